import { realpathSync } from 'node:fs';
import { delimiter } from 'node:path';
import process from 'node:process';
import {
  type HookChange,
  type HookPlace,
  type HookStatus,
  installHooks,
  readHookStatus,
  uninstallHooks,
} from '../capture/hook/install.ts';
import { readClientVersion } from '../capture/hook/client-version.ts';
import type { Launcher } from '../capture/hook/hook-files.ts';
import { type HookTrial, tryHook } from '../capture/hook/try-hook.ts';
import { type LoadedConfig, type OptionKey, OPTIONS } from '../config.ts';
import { FuelError } from '../domain/errors.ts';
import { visibleLine } from '../lib/visible.ts';
import { type Command, type CommandContext, JSON_OPTION } from './command.ts';
import { formatAgo } from './format.ts';
import { inColumns } from './say.ts';

export const command: Command = {
  name: 'hooks',
  about: 'Let Claude Code tell fuel-code at once when a session begins, goes on or ends.',
  operands: '<install | uninstall | status | test>',
  minOperands: 1,
  maxOperands: 1,
  options: { json: JSON_OPTION },
  examples: [
    ['fuel-code hooks install', 'Put our hooks into the settings of Claude Code; everything else in them stays.'],
    ['fuel-code hooks status', 'Are they there, and when did one fire last?'],
    ['fuel-code hooks test', 'Run the installed command line on a made-up payload.'],
    ['fuel-code hooks uninstall', 'Take them out again.'],
  ],
  run: async (context, { positionals, flags }) => {
    const { config } = context.loaded;
    const place: HookPlace = { home: config.home, claudeHome: config.claudeHome, clock: context.clock };
    const answer = await act(positionals[0] ?? '', place, context.loaded);
    const { terminal } = context;
    if (flags.has('json')) terminal.out(`${JSON.stringify(answer.value, null, 2)}\n`);
    else terminal.out(inColumns(terminal, answer.render(context)));
    if (answer.problem !== undefined) throw answer.problem;
  },
};

interface Answer {
  readonly value: object;
  render(context: CommandContext): string;
  readonly problem?: FuelError;
}

async function act(name: string, place: HookPlace, loaded: LoadedConfig): Promise<Answer> {
  switch (name) {
    case 'install': {
      const clientVersion = await readClientVersion();
      const change = installHooks(place, launcher(loaded), clientVersion);
      return { value: change, render: () => renderInstalled(change, clientVersion) };
    }
    case 'uninstall': {
      const change = uninstallHooks(place);
      return { value: change, render: () => renderUninstalled(change) };
    }
    case 'status': {
      const status = readHookStatus(place);
      return { value: status, render: ({ clock }) => renderStatus(status, clock.now()) };
    }
    case 'test':
      return judgeTrial(await tryHook(place));
    default:
      throw new FuelError('usage', `fuel-code hooks does not know ${JSON.stringify(name)}.`, {
        hint: 'It knows install, uninstall, status and test.',
      });
  }
}

/** This Node.js and this program: what the hook starts when no worker lives. */
function launcher(loaded: LoadedConfig): Launcher {
  return { node: process.execPath, program: realpathSync(process.argv[1] ?? ''), options: environmentOptions(loaded) };
}

/** What the person set in the environment stays in force for a worker that a hook starts. */
function environmentOptions({ config, sources }: LoadedConfig): string[] {
  const keys = (Object.keys(OPTIONS) as OptionKey[]).filter((key) => {
    // A key that nothing will use is written down nowhere.
    if (key === 'home' || (key === 'anthropicApiKey' && config.summaries !== 'ai')) return false;
    return sources[key] === 'environment';
  });
  const own = keys.map((key) => {
    const value = config[key];
    const separator = OPTIONS[key].type === 'paths' ? delimiter : ',';
    return `${OPTIONS[key].env}=${Array.isArray(value) ? value.join(separator) : String(value)}`;
  });
  return own.some((option) => option.startsWith('CLAUDE_CONFIG_DIR='))
    ? own
    : [`CLAUDE_CONFIG_DIR=${config.claudeHome}`, ...own];
}

function renderInstalled({ settings_path, changed, events }: HookChange, clientVersion: string | null): string {
  const what = changed ? `Installed for ${events.join(', ')}.` : 'All hooks were installed already.';
  const client =
    clientVersion === null
      ? '\nNo `claude` was found to ask for its version, so only events that every client knows are used.'
      : '';
  return `${what}${client}
They stand in ${visibleLine(settings_path)}; running sessions use them at once.
To see them work: fuel-code hooks test
`;
}

function renderUninstalled({ settings_path, changed, events }: HookChange): string {
  if (!changed) return `There was no hook of fuel-code in ${visibleLine(settings_path)}.\n`;
  return `Removed ${events.length} hooks from ${visibleLine(settings_path)}. New sessions are found by the scan alone.\n`;
}

const SCRIPT_WORDS = { current: 'current', outdated: 'of another version', missing: 'not there' } as const;

function renderStatus(status: HookStatus, now: Date): string {
  const wrong = status.events.filter(({ state }) => state !== 'installed');
  const installed = status.events.length - wrong.length;
  const lines = [
    `Hooks       ${installed} of ${status.events.length} installed in ${visibleLine(status.settings_path)}`,
    ...wrong.map(({ event, state }) => `            ${event}: ${state}`),
    `Script      ${SCRIPT_WORDS[status.script]}`,
    `Worker      ${workerWords(status)}`,
    `Last fired  ${status.last_fired_at === null ? 'never' : formatAgo(status.last_fired_at, now)}`,
  ];
  if (status.launcher === 'missing' && status.script !== 'missing')
    lines.push('The hook cannot start a worker: Node.js or fuel-code is not where it was.');
  if (status.disabled) lines.push('Claude Code runs no hooks at all: its settings say "disableAllHooks".');
  if (!status.installed) lines.push('To put it right: fuel-code hooks install');
  return `${lines.join('\n')}\n`;
}

function workerWords({ worker_pid, installed }: HookStatus): string {
  if (worker_pid !== null) return `runs as process ${worker_pid}`;
  return installed ? 'not running; the next hook starts it' : 'not running';
}

function judgeTrial(trial: HookTrial): Answer {
  const isGood = trial.exit_code === 0 && trial.output === '' && trial.arrived;
  const render = () =>
    isGood ? `The hook took ${trial.duration_ms} ms, printed nothing, and its payload arrived in the spool.\n` : '';
  if (isGood) return { value: trial, render };
  const why = [
    trial.exit_code === 0 ? '' : `it ended with ${trial.exit_code}`,
    trial.output === '' ? '' : `it printed ${JSON.stringify(visibleLine(trial.output))}`,
    trial.arrived ? '' : 'its payload did not arrive in the spool',
  ].filter((reason) => reason !== '');
  const problem = new FuelError('bad_config', `The hook does not work: ${why.join(', ')}.`, {
    hint: '`fuel-code hooks install` writes it anew; `fuel-code doctor` checks the data folder.',
  });
  return { value: trial, render, problem };
}
