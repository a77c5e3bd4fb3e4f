import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../domain/ports.ts';
import { guardFolder } from '../../lib/guard-folder.ts';
import { findLivingWorker } from '../worker-lock.ts';
import { addHooks, areHooksDisabled, type Created, findHooks, isCurrent, removeHooks } from './edit-settings.ts';
import { HOOK_EVENTS, hookEventsFor } from './hook-events.ts';
import {
  hookPaths,
  lastFired,
  type Launcher,
  readLauncher,
  readRecord,
  removeHookFiles,
  type ScriptState,
  scriptState,
  writeHookFiles,
  writeRecord,
} from './hook-files.ts';
import { hookCommand } from './hook-script.ts';
import { changeSettings, readSettings, understandably } from './settings-file.ts';

export interface HookPlace {
  readonly home: string;
  readonly claudeHome: string;
  readonly clock: Clock;
}

export interface HookChange {
  readonly settings_path: string;
  readonly changed: boolean;
  readonly events: readonly string[];
}

/** Everything that an earlier fuel-code, whose record is gone, may have put in. */
const ALL_CREATED: readonly Created[] = ['hooks', ...HOOK_EVENTS.map(({ event }): Created => `hooks.${event}`)];
const EMPTY = /^\s*\{\s*\}\s*$/;

/**
 * Puts our hooks into the user's settings, one entry an event; older entries of ours are replaced where they stand.
 * Errors: bad_config when the settings cannot be changed without losing something; nothing is changed then.
 */
export function installHooks(
  { home, claudeHome, clock }: HookPlace,
  launcher: Launcher,
  clientVersion: string | null,
): HookChange {
  const events = hookEventsFor(clientVersion);
  const settings_path = settingsPath(claudeHome);
  writeHookFiles(home, launcher);
  guardFolder(join(home, 'spool'));
  const command = hookCommand(hookPaths(home).script);
  const changed = changeSettings(settings_path, clock, (text) => {
    const added = addHooks(text ?? '{}\n', command, events);
    const isNew = text === null && !existsSync(settings_path);
    writeRecord(home, settings_path, isNew ? ['file', ...added.created] : added.created);
    return added.text;
  });
  return { settings_path, changed, events: events.map(({ event }) => event) };
}

/** Takes out every entry of ours, and the hook's own files. What waits in the spool stays. Errors: bad_config. */
export function uninstallHooks({ home, claudeHome, clock }: HookPlace): HookChange {
  const settings_path = settingsPath(claudeHome);
  const created = new Set(readRecord(home, settings_path) ?? ALL_CREATED);
  let events: readonly string[] = [];
  const changed = changeSettings(settings_path, clock, (text) => {
    if (text === null) return null;
    events = findHooks(text).map(({ event }) => event);
    if (events.length === 0) return text;
    const removed = removeHooks(text, created);
    return created.has('file') && EMPTY.test(removed) ? null : removed;
  });
  removeHookFiles(home);
  return { settings_path, changed, events };
}

export interface HookStatus {
  readonly settings_path: string;
  readonly installed: boolean;
  readonly events: readonly { readonly event: string; readonly state: 'installed' | 'outdated' | 'missing' }[];
  readonly script: ScriptState;
  readonly launcher: 'ok' | 'missing';
  readonly worker_pid: number | null;
  readonly last_fired_at: string | null;
  /** The settings say `disableAllHooks`. */
  readonly disabled: boolean;
}

/** How things stand. Errors: bad_config for settings that cannot be read. */
export function readHookStatus({ home, claudeHome }: HookPlace): HookStatus {
  const path = settingsPath(claudeHome);
  const text = readSettings(path);
  const command = hookCommand(hookPaths(home).script);
  const found = text === null ? [] : understandably(path, text, () => findHooks(text));
  // Events that only newer clients know count where they are installed, and are not missed where they are not.
  const expected = HOOK_EVENTS.filter(
    ({ event, since }) => since === undefined || found.some((one) => one.event === event),
  );
  const events = expected.map(({ event, matcher }) => {
    const ours = found.filter((one) => one.event === event);
    const isRight = ours.length === 1 && ours.every((one) => one.matcher === matcher && isCurrent(one, command));
    return {
      event,
      state: isRight ? ('installed' as const) : ours.length > 0 ? ('outdated' as const) : ('missing' as const),
    };
  });
  const launcher = readLauncher(home);
  return {
    settings_path: path,
    installed: events.every(({ state }) => state === 'installed') && scriptState(home) === 'current',
    events,
    script: scriptState(home),
    launcher: launcher !== null && existsSync(launcher.node) && existsSync(launcher.program) ? 'ok' : 'missing',
    worker_pid: findLivingWorker(home),
    last_fired_at: lastFired(home)?.toISOString() ?? null,
    disabled: text !== null && areHooksDisabled(text),
  };
}

export function settingsPath(claudeHome: string): string {
  return join(claudeHome, 'settings.json');
}
