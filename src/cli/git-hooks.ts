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
import { type Command, JSON_OPTION } from './command.ts';
import { printJson } from './json.ts';
import { inColumns } from './say.ts';

const ACTS: Readonly<Record<string, (options: GitHooksOptions) => Promise<GitHooksReport>>> = {
  install: installGitHooks,
  uninstall: uninstallGitHooks,
  status: readGitHooks,
};

export const command: Command = {
  name: 'git-hooks',
  about: 'Have one repository tell at once what happens in it. Not needed: the logs of git tell it later.',
  operands: '<install | uninstall | status> [folder]',
  minOperands: 1,
  maxOperands: 2,
  options: { json: JSON_OPTION },
  examples: [
    ['fuel-code git-hooks install', 'Add a few lines to the hooks of the repository you are in.'],
    ['fuel-code git-hooks status ~/shop', 'Are they there?'],
    ['fuel-code git-hooks uninstall ~/shop', 'Take them out; everything else stays as it is.'],
  ],
  run: async ({ loaded, terminal }, args) => {
    const [act = '', folder = '.'] = args.positionals;
    const run = Object.hasOwn(ACTS, act) ? ACTS[act] : undefined;
    if (run === undefined) {
      throw new FuelError('usage', `fuel-code git-hooks does not know ${JSON.stringify(act)}.`, {
        hint: 'Say install, uninstall or status.',
      });
    }
    const report = await run({ folder, home: loaded.config.home, git: createGitRunner() });
    if (args.flags.has('json')) printJson(terminal, report);
    else terminal.out(inColumns(terminal, render(report)));
  },
};

function render({ repository, hooks_folder, hooks }: GitHooksReport): string {
  const lines = hooks.map(({ name, state }) => `  ${name.padEnd(14)} ${state}`);
  return `${visibleLine(repository)}, hooks in ${visibleLine(hooks_folder)}:\n${lines.join('\n')}\n`;
}
