import {
  type GitHooksOptions,
  type GitHooksReport,
  installGitHooks,
  readGitHooks,
  uninstallGitHooks,
} from '../capture/git/git-hooks.ts';
import { createGitRunner } from '../capture/git/run-git.ts';
import { FuelError } from '../domain/errors.ts';
import { visibleLine } from '../lib/visible.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { type AllGitHooks, allGitHooks } from './git-hooks-all.ts';
import { printJson } from './json.ts';
import { inColumns } from './say.ts';

type Act = (options: GitHooksOptions) => Promise<GitHooksReport>;

const ACTS: Readonly<Record<string, Act>> = {
  install: installGitHooks,
  uninstall: uninstallGitHooks,
  status: readGitHooks,
};

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
    const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
    if (act === undefined) throw unknownAct(name);
    if (args.flags.has('all')) return runAll(context, args, act);
    const report = await act({ folder: folder ?? '.', home: loaded.config.home, git: createGitRunner() });
    if (args.flags.has('json')) printJson(terminal, report);
    else terminal.out(inColumns(terminal, render(report)));
  },
};

function unknownAct(name: string): FuelError {
  return new FuelError('usage', `Unknown action ${JSON.stringify(name)} for fuel-code git-hooks.`, {
    hint: 'Valid actions: install, uninstall, status.',
  });
}

/** Errors: usage when a folder is named as well. */
async function runAll({ openApp, terminal }: CommandContext, args: ParsedArguments, act: Act): Promise<void> {
  if (args.positionals.length > 1) {
    throw new FuelError('usage', 'Give either a folder or --all.', { hint: 'Nothing was changed.' });
  }
  await using app = await openApp();
  const done = await allGitHooks(app, act);
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
