import {
  type ClaudeHooks,
  claudeHooks,
  type HomeHooks,
  type HookChange,
  type HookStatus,
  type HookTrial,
} from '../app/hooks.ts';
import type { LoadedConfig } from '../config.ts';
import { FuelError } from '../domain/errors.ts';
import { visibleLine } from '../lib/terminal-text.ts';
import { formatAgo, plural } from '../reading/format.ts';
import { type Command, type CommandContext, INSTALL_OPTIONS, JSON_OPTION } from './command.ts';
import { printJson, wrapLines } from './output.ts';

export const command: Command = {
  name: 'hooks',
  about: 'Install, remove or test hooks that report what happens in Claude Code sessions immediately.',
  actions: { install: '', uninstall: '', status: '', test: '', prepare: '' },
  minOperands: 1,
  options: {
    'dry-run': INSTALL_OPTIONS['dry-run'],
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code hooks install', 'Add the hooks to the Claude Code settings; other settings stay unchanged.'],
    ['fuel-code hooks install --dry-run', 'Show what would change and what the hooks record.'],
    ['fuel-code hooks status', 'Show the hooks of every Claude home and when one last ran.'],
    ['fuel-code hooks test', 'Run the installed hook with a test payload.'],
    ['fuel-code hooks uninstall', 'Remove the hooks.'],
    ['fuel-code hooks prepare', 'Write the hook script only; the plugin does this by itself.'],
  ],
  run: async (context, { positionals, flags }) => {
    const name = positionals[0] ?? '';
    const hooks = claudeHooks(context.loaded, context.clock);
    const answer = await run(flags.has('dry-run') ? 'plan' : name, hooks, context.loaded);
    const { terminal } = context;
    if (flags.has('json')) printJson(terminal, answer.value);
    else terminal.out(wrapLines(terminal, answer.render(context)));
    if (answer.problem !== undefined) throw answer.problem;
  },
};

interface Answer {
  readonly value: object;
  render(context: CommandContext): string;
  readonly problem?: FuelError;
}

async function run(name: string, hooks: ClaudeHooks, loaded: LoadedConfig): Promise<Answer> {
  switch (name) {
    case 'install': {
      const { change, clientVersion } = await hooks.install();
      const value = { ...change, ...keepingOf(loaded) };
      return { value, render: () => renderInstalled(change, clientVersion) + renderKeeping(loaded) };
    }
    case 'plan': {
      const { change, clientVersion } = await hooks.plan();
      const value = { ...change, dry_run: true, ...keepingOf(loaded) };
      return { value, render: () => renderPlan(change, clientVersion) + renderKeeping(loaded) };
    }
    case 'uninstall': {
      const change = hooks.uninstall();
      return { value: change, render: () => renderUninstalled(change) };
    }
    case 'prepare': {
      hooks.prepare();
      const value = { data_home: loaded.config.home };
      return {
        value,
        render: () => `The hook script is in ${visibleLine(loaded.config.home)}. No settings were changed.\n`,
      };
    }
    case 'status': {
      const status = await hooks.status();
      return { value: status, render: ({ clock }) => renderStatus(status, clock.now()) };
    }
    default:
      return reportTrial(await hooks.test());
  }
}

function renderInstalled({ settings_path, changed, events }: HookChange, clientVersion: string | null): string {
  const what = changed ? `Installed hooks for ${events.join(', ')}.` : 'All hooks were already installed.';
  return `${what}${unknownClient(clientVersion)}
They are in ${visibleLine(settings_path)}; running sessions use them immediately.
`;
}

function renderPlan({ settings_path, changed, events }: HookChange, clientVersion: string | null): string {
  const what = changed
    ? `Would add hooks for ${events.join(', ')} to ${visibleLine(settings_path)}.`
    : `All hooks are already in ${visibleLine(settings_path)}.`;
  return `${what}${unknownClient(clientVersion)}
Nothing was changed (--dry-run).
`;
}

function unknownClient(clientVersion: string | null): string {
  if (clientVersion !== null) return '';
  return '\nThe `claude` command was not found, so only events that every client version supports are used.';
}

/** Explains what installing the hooks means for the user's data. */
function keepingOf({ config }: LoadedConfig) {
  return { claude_home: config.claudeHome, data_home: config.home, server_url: config.serverUrl, starts_worker: true };
}

function renderKeeping({ config }: LoadedConfig): string {
  const where =
    config.databaseUrl !== null || config.s3Bucket !== null ? 'the configured database and archive' : config.home;
  const leaves =
    config.serverUrl === null ? 'Nothing leaves this machine.' : `A copy is sent to ${visibleLine(config.serverUrl)}.`;
  return `
Stored: every session in ${visibleLine(config.claudeHome)}, including sub-agents, tool results, plans, tasks and file history, even after Claude Code deletes them.
Location: ${visibleLine(where)}, readable only by you. ${leaves}
A hook starts a background worker (fuel-code worker) that archives new data and exits when nothing is left to do.
To exclude a project, add it to the setting \`ignore\` or create a file named .fuel-code-ignore in it.
To test the hooks: fuel-code hooks test
To remove them: fuel-code hooks uninstall
`;
}

function renderUninstalled({ settings_path, changed, events }: HookChange): string {
  if (!changed) return `No fuel-code hooks found in ${visibleLine(settings_path)}.\n`;
  return `Removed ${plural(events.length, 'hook')} from ${visibleLine(settings_path)}. New sessions are still found when fuel-code scans for them.\n`;
}

const SCRIPT_STATES = { current: 'current', outdated: 'installed by another version', missing: 'missing' } as const;

function renderStatus(status: HookStatus, now: Date): string {
  const lines = [
    ...status.homes.flatMap(homeLines),
    `Script      ${SCRIPT_STATES[status.script]}`,
    `Worker      ${describeWorker(status)}`,
    `Last fired  ${status.last_fired_at === null ? 'never' : formatAgo(status.last_fired_at, now)}`,
  ];
  if (status.launcher === 'missing' && status.script !== 'missing')
    lines.push('The hook cannot start a worker: Node.js or fuel-code has moved. Run `fuel-code hooks install` again.');
  return `${lines.join('\n')}\n`;
}

function homeLines(home: HomeHooks): string[] {
  const wrong = home.events.filter(({ state }) => state !== 'installed');
  const count = `${home.events.length - wrong.length} of ${home.events.length} installed in`;
  const notes = [
    ...(home.exists ? [] : [`${visibleLine(home.path)} does not exist or has no projects folder.`]),
    ...(home.same_as === null ? [] : [`The same folder as ${visibleLine(home.same_as)}.`]),
    ...(home.problem === null ? wrong.map(({ event, state }) => `${event}: ${state}`) : [visibleLine(home.problem)]),
    ...(home.disabled ? ['Hooks are disabled here: the settings contain "disableAllHooks".'] : []),
    ...(home.plugin
      ? ['The fuel-code plugin is enabled here; it reports events unless these hooks are installed.']
      : []),
    ...(home.installed || home.plugin || home.problem !== null
      ? []
      : [`To install them: ${installCommand(home.path)}`]),
  ];
  return [`Hooks       ${count} ${visibleLine(home.settings_path)}`, ...notes.map((note) => `            ${note}`)];
}

/** Names the Claude home, so that the command works regardless of the configured one. */
function installCommand(claudeHome: string): string {
  return `CLAUDE_CONFIG_DIR=${visibleLine(claudeHome)} fuel-code hooks install`;
}

function describeWorker({ worker_pid, installed }: HookStatus): string {
  if (worker_pid !== null) return `running as process ${worker_pid}`;
  return installed ? 'not running; the next hook starts it' : 'not running';
}

function reportTrial(trial: HookTrial): Answer {
  const isGood = trial.exit_code === 0 && trial.output === '' && trial.arrived;
  const render = () =>
    isGood ? `The hook took ${trial.duration_ms} ms, printed nothing, and its payload arrived in the spool.\n` : '';
  if (isGood) return { value: trial, render };
  const why = [
    trial.exit_code === 0 ? '' : `it exited with code ${trial.exit_code}`,
    trial.output === '' ? '' : `it printed ${JSON.stringify(visibleLine(trial.output))}`,
    trial.arrived ? '' : 'its payload did not arrive in the spool',
  ].filter((reason) => reason !== '');
  const problem = new FuelError('bad_config', `The hook does not work: ${why.join(', ')}.`, {
    hint: 'Run `fuel-code hooks install` to reinstall it and `fuel-code doctor` to check the data folder.',
  });
  return { value: trial, render, problem };
}
