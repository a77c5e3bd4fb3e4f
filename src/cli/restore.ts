import { type Restored, type RestoredFile, type RestoreTarget, restoreByPath, restoreOne } from '../app/archive.ts';
import type { App } from '../app/open-app.ts';
import { FuelError, toFuelError } from '../domain/errors.ts';
import { textWidth, visibleLine } from '../lib/terminal-text.ts';
import { formatBytes, plural } from '../reading/format.ts';
import { type Command, JSON_OPTION, type ParsedArguments } from './command.ts';
import { printJson, wrapLines } from './output.ts';
import type { Terminal } from './terminal.ts';

export const command: Command = {
  name: 'restore',
  about:
    'Restore the files of a session byte for byte, so that `claude --resume` works again. Other archived files of a Claude home can be restored too.',
  operands: '[id or prefix]',
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
      about: 'Claude home to write to (default: the original one).',
    },
    project: { type: 'string', value: 'DIR', about: 'New working directory for the session.' },
    force: { type: 'boolean', about: 'Overwrite files that differ from the archive.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code restore 3f2a91c0', 'Restore a session that Claude Code deleted.'],
    ['fuel-code restore 3f2a91c0 --to /tmp/look', 'Write its files to another folder.'],
    ['fuel-code restore 3f2a91c0 --project ~/new/folder', 'Continue the session in another folder.'],
    ['fuel-code restore --history', 'Restore the prompt history.'],
    ['fuel-code restore --path plans --to /tmp/look', 'Extract all archived plans.'],
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
    const { session_id, resume_command, files } = await restore(app, path, args.positionals[0] ?? '', target);
    if (args.flags.has('json')) printJson(terminal, { session_id, resume_command, files: files.map(toJson) });
    else printFiles(terminal, files);
    refuseKept(files);
    if (resume_command === null || args.flags.has('json')) return;
    terminal.out(wrapLines(terminal, `Continue the session with:\n  ${fitCommand(terminal, resume_command)}\n`));
  },
};

async function restore(app: App, path: string | null, id: string, target: RestoreTarget): Promise<Restored> {
  if (path === null) return restoreOne(app, id, target);
  try {
    return await restoreByPath(app, path, target);
  } catch (error) {
    if (path !== HISTORY || toFuelError(error).code !== 'not_found') throw error;
    throw new FuelError('not_found', 'The archive has no prompt history (history.jsonl).');
  }
}

const HISTORY = 'history.jsonl';

/** The path to restore; null for a session. Errors: usage unless exactly one of them is given. */
function pathOf({ positionals, flags, values }: ParsedArguments): string | null {
  const path = values.get('path') ?? (flags.has('history') ? HISTORY : null);
  const named = [positionals.length > 0, flags.has('history'), values.has('path')].filter(Boolean).length;
  if (named === 1) return path;
  throw new FuelError('usage', 'Specify exactly one of these: a session, --history, --path PATH.', {
    hint: '`fuel-code sessions` lists the ids.',
  });
}

/** A command that is too long for one line is broken after its last `&&`, where a shell accepts a line break. */
function fitCommand({ columns, isInteractive }: Terminal, command: string): string {
  const shown = visibleLine(command);
  return isInteractive && textWidth(shown) + 2 > columns ? shown.replace(/ && (?!.* && )/, ' &&\n  ') : shown;
}

function toJson({ path, outcome, isShared, sizeBytes, sha256 }: RestoredFile) {
  return { path, outcome, is_shared: isShared, size_bytes: sizeBytes, sha256 };
}

function printFiles(terminal: Terminal, files: readonly RestoredFile[]): void {
  for (const { path, outcome, sizeBytes } of files)
    terminal.out(wrapLines(terminal, `${outcome}: ${visibleLine(path)} (${formatBytes(sizeBytes)})\n`));
}

function refuseKept(files: readonly RestoredFile[]): void {
  const kept = files.filter(({ outcome, isShared }) => outcome.startsWith('kept') && !isShared).length;
  if (kept === 0) return;
  const message = `${plural(kept, 'file differs', 'files differ')} from the archive. Nothing was overwritten.`;
  throw new FuelError('conflict', message, { hint: 'Use --force to overwrite them, or --to to write elsewhere.' });
}
