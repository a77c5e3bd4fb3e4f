import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FuelError } from '../../domain/errors.ts';
import { readTextFile, writePrivateFile } from '../../lib/private-file.ts';
import { type InstallRecords, readInstallRecords, writeInstallRecord } from '../settings/install-records.ts';
import type { Created } from './edit-hooks.ts';
import { HOOK_SCRIPT } from './hook-script.ts';

/** How the hook starts the worker: this Node.js binary with this program. */
export interface Launcher {
  readonly node: string;
  readonly program: string;
  /** Options from the user's own environment as NAME=value; the worker never gets those of a session. */
  readonly options?: readonly string[];
}

/** The files in `<data folder>/hooks`. */
export function hookPaths(home: string) {
  const folder = join(home, 'hooks');
  return {
    script: join(folder, 'hook.sh'),
    launcher: join(folder, 'env'),
    options: join(folder, 'options'),
    /** What our installation added to each settings file. */
    record: join(folder, 'install.json'),
    /** Time of the last hook call in milliseconds, written by the hook. */
    last: join(folder, 'last'),
    /** A folder that maps processes to sessions, written by the hook. */
    live: join(folder, 'live'),
    /** The worker that a hook started last and when, written by the hook. */
    starting: join(folder, 'starting'),
  };
}

/** Writes the script and the files it reads. Errors: bad_config for a path that contains a line break. */
export function writeHookFiles(home: string, launcher: Launcher): void {
  const paths = hookPaths(home);
  const options = launcher.options ?? [];
  for (const path of [home, launcher.node, launcher.program, ...options]) {
    if (!/[\n\r\0]/.test(path)) continue;
    throw new FuelError(
      'bad_config',
      `${JSON.stringify(path.split('=')[0])} contains a line break, which a hook cannot handle.`,
      {
        hint: 'Set FUEL_CODE_HOME to another folder, or install fuel-code elsewhere.',
      },
    );
  }
  if (readTextFile(paths.script) !== HOOK_SCRIPT) writePrivateFile(paths.script, HOOK_SCRIPT);
  chmodSync(paths.script, 0o700);
  const text = `${launcher.node}\n${launcher.program}\n`;
  if (readTextFile(paths.launcher) !== text) writePrivateFile(paths.launcher, text);
  writePrivateFile(paths.options, options.map((option) => `${option}\n`).join(''));
}

export function removeHookFiles(home: string): void {
  for (const path of Object.values(hookPaths(home))) rmSync(path, { recursive: true, force: true });
}

export type ScriptState = 'current' | 'outdated' | 'missing';

export function scriptState(home: string): ScriptState {
  const text = readTextFile(hookPaths(home).script);
  if (text === null) return 'missing';
  return text === HOOK_SCRIPT ? 'current' : 'outdated';
}

/** Null when it was never written or is malformed. */
export function readLauncher(home: string): Launcher | null {
  const [node, program] = (readTextFile(hookPaths(home).launcher) ?? '').split('\n');
  return node && program ? { node, program } : null;
}

/** Time of the last hook call, or null. */
export function lastFired(home: string): Date | null {
  const path = hookPaths(home).last;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const ms = Number(readTextFile(path)?.trim());
  return ms > 0 ? new Date(ms) : stat.mtime;
}

/** What an installation created in a settings file; null when there is no record. */
export function readRecord(home: string, settingsPath: string): readonly Created[] | null {
  return readRecords(home)[settingsPath] ?? null;
}

export function writeRecord(home: string, settingsPath: string, created: readonly Created[]): void {
  const all = new Set([...(readRecord(home, settingsPath) ?? []), ...created]);
  writeInstallRecord(hookPaths(home).record, settingsPath, [...all]);
}

/** Deletes the record of a settings file after uninstalling. */
export function removeRecord(home: string, settingsPath: string): void {
  writeInstallRecord(hookPaths(home).record, settingsPath, null);
}

/** The settings files that contain hooks of this data folder. */
export function listInstalledSettings(home: string): readonly string[] {
  return Object.keys(readRecords(home));
}

function readRecords(home: string): InstallRecords<readonly Created[]> {
  return readInstallRecords(hookPaths(home).record);
}
