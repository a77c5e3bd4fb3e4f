import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ClaudeHomeStatus } from '../../api/server.ts';
import { toFuelError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { guardFolder } from '../../lib/private-file.ts';
import { listHomes, rememberHomes } from '../homes.ts';
import {
  changeSettings,
  EMPTY_SETTINGS,
  isEmptySettings,
  parseSettings,
  readSettings,
} from '../settings/settings-file.ts';
import { findLiveWorker } from '../worker-lock.ts';
import {
  addHooks,
  areHooksDisabled,
  type Created,
  findHooks,
  type InstalledHook,
  isCurrent,
  isPluginEnabled,
  removeHooks,
} from './edit-hooks.ts';
import { HOOK_EVENTS, hookEventsFor, RETIRED_EVENTS } from './hook-events.ts';
import {
  hookPaths,
  type Launcher,
  lastFired,
  listInstalledSettings,
  readLauncher,
  readRecord,
  removeHookFiles,
  removeRecord,
  type ScriptState,
  scriptState,
  writeHookFiles,
  writeRecord,
} from './hook-files.ts';
import { hookCommand } from './hook-script.ts';

export interface HookContext {
  readonly home: string;
  readonly claudeHome: string;
  readonly clock: Clock;
}

export interface HookChange {
  readonly settings_path: string;
  readonly changed: boolean;
  readonly events: readonly string[];
}

/** Everything an earlier version may have created when its record is missing. */
const ALL_CREATED: readonly Created[] = [
  'hooks',
  ...[...HOOK_EVENTS.map(({ event }) => event), ...RETIRED_EVENTS].map((event): Created => `hooks.${event}`),
];

/**
 * Installs our hooks in the user's settings, one entry per event; replaces older entries of ours in place. Errors:
 * bad_config when the settings cannot be changed without losing something; nothing is changed then.
 */
export function installHooks(
  { home, claudeHome, clock }: HookContext,
  launcher: Launcher,
  clientVersion: string | null,
): HookChange {
  const events = hookEventsFor(clientVersion);
  const settings_path = settingsPath(claudeHome);
  writeHookFiles(home, launcher);
  guardFolder(join(home, 'spool'));
  const command = hookCommand(hookPaths(home).script);
  const changed = changeSettings(settings_path, clock, (text) => {
    const added = addHooks(text ?? EMPTY_SETTINGS, command, events);
    const isNew = text === null && !existsSync(settings_path);
    writeRecord(home, settings_path, isNew ? ['file', ...added.created] : added.created);
    return added.text;
  });
  rememberHomes(home, [claudeHome]);
  return { settings_path, changed, events: events.map(({ event }) => event) };
}

/** Writes the hook files without touching the settings: the plugin brings the entries itself. Errors: bad_config. */
export function prepareHooks({ home, claudeHome }: Pick<HookContext, 'home' | 'claudeHome'>, launcher: Launcher): void {
  writeHookFiles(home, launcher);
  guardFolder(join(home, 'spool'));
  rememberHomes(home, [claudeHome]);
}

/** Reports what `installHooks` would change. Errors: bad_config. */
export function planHooks({ home, claudeHome }: HookContext, clientVersion: string | null): HookChange {
  const events = hookEventsFor(clientVersion);
  const settings_path = settingsPath(claudeHome);
  const text = readSettings(settings_path) ?? EMPTY_SETTINGS;
  const added = parseSettings(settings_path, text, () => addHooks(text, hookCommand(hookPaths(home).script), events));
  return { settings_path, changed: added.text !== text, events: events.map(({ event }) => event) };
}

/**
 * Removes our entries and, unless another Claude home uses them, the hook files. Spool entries stay. Errors:
 * bad_config.
 */
export function uninstallHooks({ home, claudeHome, clock }: HookContext): HookChange {
  const settings_path = settingsPath(claudeHome);
  const created = new Set(readRecord(home, settings_path) ?? ALL_CREATED);
  let events: readonly string[] = [];
  const changed = changeSettings(settings_path, clock, (text) => {
    if (text === null) return null;
    events = findHooks(text).map(({ event }) => event);
    if (events.length === 0) return text;
    const removed = removeHooks(text, created);
    return created.has('file') && isEmptySettings(removed) ? null : removed;
  });
  removeRecord(home, settings_path);
  // Hooks in other Claude homes run the same script.
  if (!listInstalledSettings(home).some((path) => hasHooks(home, path))) removeHookFiles(home);
  return { settings_path, changed, events };
}

/** Unreadable settings may contain hooks. */
function hasHooks(home: string, path: string): boolean {
  try {
    const command = hookCommand(hookPaths(home).script);
    return findHooks(readSettings(path) ?? '{}').some((hook) => hook.command === command);
  } catch {
    return true;
  }
}

interface EventState {
  readonly event: string;
  readonly state: 'installed' | 'outdated' | 'missing';
}

/** The hooks in the settings of one Claude home. */
interface SettingsStatus {
  readonly settings_path: string;
  /** Every event that we use and the client supports, and entries of earlier versions for events no longer used. */
  readonly events: readonly EventState[];
  /** True when all events are installed and the script is current. */
  readonly installed: boolean;
  /** True when the settings contain `disableAllHooks`. */
  readonly disabled: boolean;
  /** True when the settings enable the plugin, which reports the same events. */
  readonly plugin: boolean;
  /** The reason when the settings cannot be read. */
  readonly problem: string | null;
}

export interface HomeHooks extends ClaudeHomeStatus, SettingsStatus {}

export interface HookStatus extends Omit<SettingsStatus, 'problem'> {
  /** Every Claude home of this data folder, including the configured one. */
  readonly homes: readonly HomeHooks[];
  /** The version of the installed `claude`; it determines which events are expected. */
  readonly client_version: string | null;
  readonly script: ScriptState;
  readonly launcher: 'ok' | 'missing';
  readonly worker_pid: number | null;
  readonly last_fired_at: string | null;
}

/**
 * Reports the state of our hooks in every Claude home. Errors: bad_config for configured settings that cannot be read.
 */
export function readHookStatus(context: HookContext, clientVersion: string | null): HookStatus {
  const { home } = context;
  const { problem: _problem, ...configured } = readSettingsStatus(context, clientVersion);
  const launcher = readLauncher(home);
  return {
    ...configured,
    homes: listHomes(context).map((one) => ({ ...one, ...settingsStatusOf(home, one.path, clientVersion) })),
    client_version: clientVersion,
    script: scriptState(home),
    launcher: launcher !== null && existsSync(launcher.node) && existsSync(launcher.program) ? 'ok' : 'missing',
    worker_pid: findLiveWorker(home),
    last_fired_at: lastFired(home)?.toISOString() ?? null,
  };
}

function settingsStatusOf(home: string, claudeHome: string, clientVersion: string | null): SettingsStatus {
  try {
    return readSettingsStatus({ home, claudeHome }, clientVersion);
  } catch (error) {
    const settings_path = settingsPath(claudeHome);
    return {
      settings_path,
      events: [],
      installed: false,
      disabled: false,
      plugin: false,
      problem: toFuelError(error).message,
    };
  }
}

function readSettingsStatus(
  { home, claudeHome }: Pick<HookContext, 'home' | 'claudeHome'>,
  clientVersion: string | null,
): SettingsStatus {
  const path = settingsPath(claudeHome);
  const text = readSettings(path);
  const found = text === null ? [] : parseSettings(path, text, () => findHooks(text));
  const events = eventStates(found, hookCommand(hookPaths(home).script), clientVersion);
  return {
    settings_path: path,
    events,
    installed: events.every(({ state }) => state === 'installed') && scriptState(home) === 'current',
    disabled: text !== null && areHooksDisabled(text),
    plugin: text !== null && isPluginEnabled(text),
    problem: null,
  };
}

/** Events the client may not support are expected only where they are already installed. */
function eventStates(
  found: readonly InstalledHook[],
  command: string,
  clientVersion: string | null,
): readonly EventState[] {
  const known = new Set(hookEventsFor(clientVersion).map(({ event }) => event));
  const expected = HOOK_EVENTS.filter(({ event }) => known.has(event) || found.some((one) => one.event === event));
  const wanted = expected.map(({ event, matcher }): EventState => {
    const ours = found.filter((one) => one.event === event);
    const isRight = ours.length === 1 && ours.every((one) => one.matcher === matcher && isCurrent(one, command));
    return { event, state: isRight ? 'installed' : ours.length > 0 ? 'outdated' : 'missing' };
  });
  const retired = RETIRED_EVENTS.filter((event) => found.some((one) => one.event === event));
  return [...wanted, ...retired.map((event): EventState => ({ event, state: 'outdated' }))];
}

export function settingsPath(claudeHome: string): string {
  return join(claudeHome, 'settings.json');
}
