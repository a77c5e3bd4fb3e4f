import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { App } from '../app/open-app.ts';
import { encodeProjectPath } from '../capture/project-folder.ts';
import { FuelError } from '../domain/errors.ts';
import { type RestoredFile, restorePath, restoreSession } from '../archive/restore.ts';
import { visibleLine } from '../lib/visible.ts';
import { loadSessionFiles } from '../store/queries/archive/archive.ts';
import { type Command, JSON_OPTION, type ParsedArguments } from './command.ts';
import { countOf, formatBytes } from './format.ts';
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
    const { files, ...more } =
      path === null
        ? await restoreOne(app, args, clock.now())
        : { files: await restorePath(await optionsOf(app, args, [], clock.now()), path), resume_command: null };
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

async function restoreOne(app: App, args: ParsedArguments, now: Date) {
  const { id, cwd } = await app.reads.getSession(args.positionals[0] ?? '');
  const own = await loadSessionFiles(app.store.engine.kysely, id);
  const options = await optionsOf(app, args, [...new Set(own.map(({ root }) => root))], now);
  const files = await restoreSession({ ...options, sessionId: id });
  const project = args.values.get('project');
  const folder = project === undefined ? cwd : resolve(project);
  return { session_id: id, resume_command: resumeCommand(app, { id, folder, to: options.to }), files };
}

async function optionsOf(app: App, args: ParsedArguments, roots: readonly string[], now: Date) {
  const given = args.values.get('to');
  // A session goes back to the home it came from, as far as this machine has it.
  const home = roots.find((root) => existsSync(join(root, 'projects')) || existsSync(root)) ?? app.config.claudeHome;
  const project = args.values.get('project');
  return {
    engine: app.store.engine,
    blobs: app.blobs,
    to: resolve(given ?? home),
    projectFolder: project === undefined ? null : encodeProjectPath(resolve(project)),
    replaces: args.flags.has('force'),
    now,
  };
}

function resumeCommand(
  { config }: App,
  { id, folder, to }: { readonly id: string; readonly folder: string | null; readonly to: string },
): string {
  const home = to === resolve(config.claudeHome) ? '' : `CLAUDE_CONFIG_DIR=${quote(to)} `;
  return `${folder === null ? '' : `cd ${quote(folder)} && `}${home}claude --resume ${quote(id)}`;
}

/** For a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function printFiles(terminal: Terminal, files: readonly RestoredFile[]): void {
  for (const { path, outcome, sizeBytes } of files)
    terminal.out(inColumns(terminal, `${outcome}: ${visibleLine(path)} (${formatBytes(sizeBytes)})\n`));
}

function refuseKept(files: readonly RestoredFile[]): void {
  const kept = files.filter(({ outcome, isShared }) => outcome.startsWith('kept') && !isShared).length;
  if (kept === 0) return;
  const message = `${countOf(kept, 'file differs', 'files differ')} from what is archived, and nothing was replaced.`;
  throw new FuelError('ambiguous', message, { hint: 'Give --force to replace them, or --to another folder.' });
}
