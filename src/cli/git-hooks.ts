import {
  type AllGitHooks,
  allGitHooks,
  type GitHooksAction,
  type GitHooksReport,
  isGitHooksAction,
  runGitHooks,
} from '../app/git-hooks.ts';
import { FuelError } from '../domain/errors.ts';
import { visibleLine } from '../lib/visible.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { printJson } from './json.ts';
import { inColumns } from './say.ts';

export const command: Command = {
  name: 'git-hooks',
  about: 'Install git hooks that report commits immediately. Optional: imports read the same from the logs of git.',
  operands: '<install | uninstall | status> [folder]',
  minOperands: 1,
  maxOperands: 2,
  options: {
    all: { type: 'boolean', about: 'Every repository on this machine that a session worked in.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code git-hooks install', 'Add a few lines to the hooks of the current repository.'],
    ['fuel-code git-hooks install --all', 'Add them to every repository that a session worked in.'],
    ['fuel-code git-hooks status ~/shop', 'Show whether they are installed.'],
    ['fuel-code git-hooks uninstall ~/shop', 'Remove these lines and leave everything else as it is.'],
  ],
  run: async (context, args) => {
    const { loaded, terminal } = context;
    const [name = '', folder] = args.positionals;
    if (!isGitHooksAction(name)) throw unknownAction(name);
    if (args.flags.has('all')) return runAll(context, args, name);
    const report = await runGitHooks(name, { folder: folder ?? '.', home: loaded.config.home });
    if (args.flags.has('json')) printJson(terminal, report);
    else terminal.out(inColumns(terminal, render(report)));
  },
};

function unknownAction(name: string): FuelError {
  return new FuelError('usage', `Unknown action ${JSON.stringify(name)} for fuel-code git-hooks.`, {
    hint: 'Valid actions: install, uninstall, status.',
  });
}

/** Errors: usage when a folder is named as well. */
async function runAll(
  { openApp, terminal }: CommandContext,
  args: ParsedArguments,
  action: GitHooksAction,
): Promise<void> {
  if (args.positionals.length > 1) {
    throw new FuelError('usage', 'Give either a folder or --all.', { hint: 'Nothing was changed.' });
  }
  await using app = await openApp();
  const done = await allGitHooks(app, action);
  if (args.flags.has('json')) printJson(terminal, done);
  else terminal.out(inColumns(terminal, renderAll(done)));
}

function renderAll({ repositories, refused }: AllGitHooks): string {
  if (repositories.length + refused.length === 0) return 'No session worked in a repository on this machine.\n';
  const left = refused.map(({ repository, why }) => `${visibleLine(repository)}: not changed. ${visibleLine(why)}\n`);
  return [...repositories.map(render), ...left].join('');
}

function render({ repository, hooks_folder, hooks }: GitHooksReport): string {
  const lines = hooks.map(({ name, state }) => `  ${name.padEnd(14)} ${state}`);
  return `${visibleLine(repository)}, hooks in ${visibleLine(hooks_folder)}:\n${lines.join('\n')}\n`;
}
