import { listPending, recover } from '../app/run-by-hand.ts';
import { PENDING_REASONS, type PendingSession } from '../domain/pipeline.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { printJson } from './json.ts';
import { readNumber } from './parse-arguments.ts';
import { withProgress } from './progress.ts';
import { renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { refuseUnfinished } from './unfinished.ts';

const MAX_LIMIT = 100_000;
const DEFAULT_LIMIT = 1_000;
const ID_CHARS = 8;

export const command: Command = {
  name: 'recover',
  about: 'Finish incomplete sessions: stuck, failed, outdated or never ended.',
  options: {
    'dry-run': { type: 'boolean', about: 'Only list the sessions and what is missing.' },
    limit: {
      type: 'string',
      value: 'N',
      about: `Maximum number of sessions (default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}).`,
    },
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
    const { failed } = args.flags.has('dry-run')
      ? { failed: [] }
      : await withProgress(context, (run) => recover(app, { ...run, limit }));
    for (const { path, error } of failed) terminal.err(`Failed: ${path}: ${error}\n`);
    const left = await listPending(app, limit);
    if (args.flags.has('json')) printJson(terminal, { pending: left });
    else terminal.out(left.length === 0 ? 'Nothing to do.\n' : render(terminal, left));
    refuseUnfinished(context.signal, failed.length);
  },
};

function render(terminal: Terminal, pending: readonly PendingSession[]): string {
  return renderTable(
    terminal,
    [
      { title: 'ID', text: ({ id }: PendingSession) => id.slice(0, ID_CHARS) },
      { title: 'TRIES', align: 'right' as const, fromColumns: 70, text: ({ attempts }) => String(attempts) },
      { title: 'WHY', grows: true, text: ({ reasons, error }) => error ?? reasons.map(sentence).join(' ') },
    ],
    pending,
  );
}

function sentence(reason: PendingSession['reasons'][number]): string {
  return PENDING_REASONS[reason];
}
