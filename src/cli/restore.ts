import { restoreByPath, type RestoredFile, restoreOne } from '../app/restore.ts';
import { FuelError } from '../domain/errors.ts';
import { visibleLine } from '../lib/visible.ts';
import { formatBytes, plural } from '../reading/format.ts';
import { type Command, JSON_OPTION, type ParsedArguments } from './command.ts';
import { printJson } from './json.ts';
import { inColumns } from './say.ts';
import type { Terminal } from './terminal.ts';

export const command: Command = {
  name: 'restore',
  about:
    'Write the files of a session back, byte for byte, so that `claude --resume` finds it again; or any other archived file of a Claude home.',
  operands: '[id or its beginning]',
  maxOperands: 1,
  options: {
    history: { type: 'boolean', about: 'Restore the prompt history (history.jsonl) instead of a session.' },
    path: {
      type: 'string',
      value: 'PATH',
      about: 'Restore a file or folder by its path in the Claude home instead of a session, for example plans.',
    },
    to: {
      type: 'string',
      value: 'DIR',
      about: 'The Claude home to write into (default: the one the files come from).',
    },
    project: { type: 'string', value: 'DIR', about: 'The working directory that the session belongs to from now on.' },
    force: { type: 'boolean', about: 'Replace files that differ from the archived ones.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code restore 3f2a91c0', 'Put a session back that Claude Code has deleted.'],
    ['fuel-code restore 3f2a91c0 --to /tmp/look', 'Put its files somewhere else.'],
    ['fuel-code restore 3f2a91c0 --project ~/new/place', 'Continue it in another folder.'],
    ['fuel-code restore --history', 'Put the prompt history back.'],
    ['fuel-code restore --path plans --to /tmp/look', 'Look at all archived plans.'],
  ],
  run: async ({ openApp, terminal, clock }, args) => {
    const path = pathOf(args);
    await using app = await openApp();
    const target = {
      to: args.values.get('to'),
      project: args.values.get('project'),
      replaces: args.flags.has('force'),
      now: clock.now(),
    };
    const { files, ...more } =
      path === null ? await restoreOne(app, args.positionals[0] ?? '', target) : await restoreByPath(app, path, target);
    if (args.flags.has('json')) printJson(terminal, { ...more, files });
    else printFiles(terminal, files);
    refuseKept(files);
    if (more.resume_command === null || args.flags.has('json')) return;
    terminal.out(inColumns(terminal, `Continue it with:\n  ${visibleLine(more.resume_command)}\n`));
  },
};

/** What is to be restored by path; null for a session. Errors: usage unless exactly one thing is named. */
function pathOf({ positionals, flags, values }: ParsedArguments): string | null {
  const path = values.get('path') ?? (flags.has('history') ? 'history.jsonl' : null);
  const named = [positionals.length > 0, flags.has('history'), values.has('path')].filter(Boolean).length;
  if (named === 1) return path;
  throw new FuelError('usage', 'Give the session to restore, or --history, or --path PATH.', {
    hint: '`fuel-code sessions` lists the ids.',
  });
}

function printFiles(terminal: Terminal, files: readonly RestoredFile[]): void {
  for (const { path, outcome, sizeBytes } of files)
    terminal.out(inColumns(terminal, `${outcome}: ${visibleLine(path)} (${formatBytes(sizeBytes)})\n`));
}

function refuseKept(files: readonly RestoredFile[]): void {
  const kept = files.filter(({ outcome, isShared }) => outcome.startsWith('kept') && !isShared).length;
  if (kept === 0) return;
  const message = `${plural(kept, 'file differs', 'files differ')} from what is archived, and nothing was replaced.`;
  throw new FuelError('ambiguous', message, { hint: 'Give --force to replace them, or --to another folder.' });
}
