import { join } from 'node:path';
import type { WorkspaceDetail } from '../api/workspaces.ts';
import {
  type AllGitHooks,
  allGitHooks,
  findWithoutGitHooks,
  type GitHooksAction,
  type GitHooksReport,
  runGitHooks,
} from '../app/hooks.ts';
import { FuelError } from '../domain/errors.ts';
import { readTextFile, writePrivateFile } from '../lib/private-file.ts';
import { visibleLine } from '../lib/terminal-text.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { printJson, printNote, wrapLines } from './output.ts';

export const command: Command = {
  name: 'git-hooks',
  about: 'Install git hooks that report commits immediately. Optional: imports read the same data from the git logs.',
  actions: { install: '[FOLDER]', uninstall: '[FOLDER]', status: '[FOLDER]' },
  minOperands: 1,
  options: {
    all: { type: 'boolean', about: 'Use every repository on this machine that a session worked in.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code git-hooks install', 'Install the hooks in the current repository.'],
    ['fuel-code git-hooks install --all', 'Install them in every repository that a session worked in.'],
    ['fuel-code git-hooks status ~/shop', 'Show which hooks are installed.'],
    ['fuel-code git-hooks uninstall ~/shop', 'Remove them; everything else in the hooks stays.'],
  ],
  run: async (context, args) => {
    const { loaded, terminal } = context;
    const [name, folder] = args.positionals;
    const action = name as GitHooksAction;
    if (args.flags.has('all')) return runAll(context, args, action);
    const report = await runGitHooks(action, { folder: folder ?? '.', home: loaded.config.home });
    if (args.flags.has('json')) printJson(terminal, report);
    else terminal.out(wrapLines(terminal, render(report)));
  },
};

/** Errors: usage when a folder is given as well. */
async function runAll(
  { openApp, terminal }: CommandContext,
  args: ParsedArguments,
  action: GitHooksAction,
): Promise<void> {
  if (args.positionals.length > 1) {
    throw new FuelError('usage', 'Use either a folder or --all.', { hint: 'Nothing was changed.' });
  }
  await using app = await openApp();
  const done = await allGitHooks(app, action);
  if (args.flags.has('json')) printJson(terminal, done);
  else terminal.out(wrapLines(terminal, renderAll(done)));
}

function renderAll({ repositories, refused }: AllGitHooks): string {
  if (repositories.length + refused.length === 0) return 'No session on this machine worked in a git repository.\n';
  const left = refused.map(({ repository, why }) => `${visibleLine(repository)}: not changed. ${visibleLine(why)}\n`);
  return [...repositories.map(render), ...left].join('');
}

function render({ repository, hooks_folder, hooks }: GitHooksReport): string {
  const lines = hooks.map(({ name, state }) => `  ${name.padEnd(14)} ${state}`);
  return `${visibleLine(repository)}, hooks in ${visibleLine(hooks_folder)}:\n${lines.join('\n')}\n`;
}

/**
 * Mentions git hooks once per workspace, only on a terminal. The hint is recorded before it is shown: if it cannot be
 * recorded it is not shown, since it would appear every time.
 */
export async function offerGitHooks(
  { terminal, loaded: { config } }: Pick<CommandContext, 'terminal' | 'loaded'>,
  { id, display_name, folders }: Pick<WorkspaceDetail, 'id' | 'display_name' | 'folders'>,
): Promise<void> {
  const path = join(config.home, 'git-hooks-offered');
  const offered = readTextFile(path) ?? '';
  if (!terminal.isInteractive || offered.split('\n').includes(id)) return;
  const folder = await findWithoutGitHooks(
    folders.map((one) => one.path),
    config.home,
  );
  if (folder === null || !remember(path, `${offered}${id}\n`)) return;
  printNote(
    terminal,
    `Hint: ${display_name} has no fuel-code git hooks, so commits appear with the next import. To see them immediately, run \`fuel-code git-hooks install\` in ${folder}. This hint is shown once.`,
  );
}

function remember(path: string, text: string): boolean {
  try {
    writePrivateFile(path, text);
    return true;
  } catch (error) {
    if (error instanceof FuelError || (error as NodeJS.ErrnoException).code !== undefined) return false;
    throw error;
  }
}
