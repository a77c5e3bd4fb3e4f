import { listPending, recover } from '../app/maintain.ts';
import { FuelError } from '../domain/errors.ts';
import { PENDING_REASONS, type PendingSession } from '../domain/pipeline.ts';
import { plural } from '../reading/format.ts';
import { shortId } from '../reading/names.ts';
import { refuseUnfinished, withProgress } from './catch-up.ts';
import { type Command, JSON_OPTION, limitOption, REMOTE_OPTIONS } from './command.ts';
import { noteFailed, printJson, printNote } from './output.ts';
import { readNumber } from './parse-arguments.ts';
import { openSource } from './source.ts';
import { renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';

const MAX_LIMIT = 100_000;
const DEFAULT_LIMIT = 1_000;

export const recoverCommand: Command = {
  name: 'recover',
  about: 'Finish incomplete sessions: stuck, failed, outdated or never ended.',
  options: {
    'dry-run': { type: 'boolean', about: 'Only list the sessions and what is missing.' },
    limit: limitOption('sessions', DEFAULT_LIMIT, MAX_LIMIT),
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code recover --dry-run', 'List incomplete sessions and the reasons.'],
    ['fuel-code recover', 'Finish them now instead of with the next import.'],
  ],
  run: async (context, args) => {
    const { terminal } = context;
    const limit = readNumber(args, 'limit', { min: 1, max: MAX_LIMIT, otherwise: DEFAULT_LIMIT });
    await using app = await context.openApp();
    const isDryRun = args.flags.has('dry-run');
    const isLimited = (await listPending(app, limit + 1)).length > limit;
    const { failed } = isDryRun
      ? { failed: [] }
      : await withProgress(context, (run) => recover(app, { ...run, limit }));
    noteFailed(terminal, failed);
    const left = await listPending(app, limit);
    if (args.flags.has('json')) printJson(terminal, { pending: left });
    else terminal.out(left.length === 0 ? 'Nothing to do.\n' : renderPending(terminal, left));
    if (isLimited && left.length > 0) {
      const count = plural(limit, 'session');
      printNote(
        terminal,
        isDryRun ? `Only ${count} listed: use -n N.` : `Stopped after ${count}: run it again or use -n N.`,
      );
    }
    refuseUnfinished(context.signal, failed.length);
  },
};

function renderPending(terminal: Terminal, pending: readonly PendingSession[]): string {
  return renderTable(
    terminal,
    [
      { title: 'ID', text: ({ id }: PendingSession) => shortId(id), style: () => 'cyan' as const },
      { title: 'TRIES', align: 'right' as const, fromColumns: 70, text: ({ attempts }) => String(attempts) },
      {
        title: 'WHY',
        grows: true,
        text: ({ reasons, error }) => error ?? reasons.map((reason) => PENDING_REASONS[reason]).join(' '),
      },
    ],
    pending,
  );
}

export const reparseCommand: Command = {
  name: 'reparse',
  about: 'Parse sessions again from the archive. The previous data is shown until a session is done.',
  operands: '[id or prefix …]',
  maxOperands: 100,
  options: {
    all: { type: 'boolean', about: 'All sessions except archived ones.' },
    json: JSON_OPTION,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code reparse 3f2a91c0', 'Reparse one session.'],
    ['fuel-code reparse --all', 'Reparse all sessions except archived ones.'],
  ],
  run: async (context, args) => {
    const isAll = args.flags.has('all');
    if (isAll === args.positionals.length > 0) {
      throw new FuelError('usage', isAll ? '--all takes no ids.' : 'Specify the sessions to reparse, or --all.', {
        hint: '`fuel-code sessions` lists the ids.',
      });
    }
    await using source = await openSource(context, args);
    const ids: string[] = [];
    for (const name of args.positionals) ids.push((await source.get('/sessions/:id', { params: { id: name } })).id);
    const { sessions_parsed, failed } = await source.reparse(isAll ? 'all' : ids);
    noteFailed(context.terminal, failed);
    if (args.flags.has('json')) printJson(context.terminal, { sessions_parsed, failed });
    else context.terminal.out(`${plural(sessions_parsed, 'session')} reparsed.\n`);
    refuseUnfinished(context.signal, failed.length);
  },
};
