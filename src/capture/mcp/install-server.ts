import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, FuelError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { readInstallRecords, writeInstallRecord } from '../settings/install-records.ts';
import {
  changeSettings,
  EMPTY_SETTINGS,
  isEmptySettings,
  parseSettings,
  readSettings,
} from '../settings/settings-file.ts';
import { addServer, type Created, removeServer, type ServerEntry, type ServerState, stateOf } from './edit-servers.ts';

export interface McpFile {
  /** The file that Claude Code reads. */
  readonly path: string;
  readonly entry: ServerEntry;
}

export interface McpChange {
  readonly path: string;
  readonly changed: boolean;
}

/** Adds our server to the file. Errors: bad_config when it cannot be changed without losing something; busy. */
export function installServer(home: string, { path, entry }: McpFile, clock: Clock): McpChange {
  return withClientLock(path, () => {
    const changed = changeSettings(path, clock, (text) => {
      const added = addServer(text ?? EMPTY_SETTINGS, entry);
      const isNew = text === null && !existsSync(path);
      const created = new Set([...readCreated(home, path), ...(isNew ? ['file'] : []), ...added.created]);
      writeInstallRecord(recordPath(home), path, [...created]);
      return added.text;
    });
    return { path, changed };
  });
}

/** Whether installing would change the file. Errors: bad_config. */
export function planServer({ path, entry }: McpFile): McpChange {
  const text = readSettings(path) ?? EMPTY_SETTINGS;
  return { path, changed: parseSettings(path, text, () => addServer(text, entry)).text !== text };
}

/** Removes our server, and the file if the installation created it and nothing else is in it. Errors: bad_config; busy. */
export function uninstallServer(home: string, path: string, clock: Clock): McpChange {
  const created = new Set(readCreated(home, path));
  if (!existsSync(path)) return { path, changed: false };
  return withClientLock(path, () => {
    const changed = changeSettings(path, clock, (text) => {
      if (text === null) return null;
      const removed = removeServer(text, created);
      return removed !== text && created.has('file') && isEmptySettings(removed) ? null : removed;
    });
    writeInstallRecord(recordPath(home), path, null);
    return { path, changed };
  });
}

/** Errors: bad_config. */
export function readServerState({ path, entry }: McpFile): ServerState {
  const text = readSettings(path);
  return text === null ? 'missing' : parseSettings(path, text, () => stateOf(text, entry));
}

const RETRY_MS = 50;
const MAX_WAIT_MS = 5_000;
/** The client ignores a lock of this age: its owner was killed. */
const STALE_LOCK_MS = 10_000;

/** The client writes this file too, and holds a folder beside it as a lock while it does. Errors: busy. */
function withClientLock<T>(path: string, change: () => T): T {
  const lock = `${path}.lock`;
  let taken = takeLock(lock);
  for (let waitedMs = 0; taken === 'busy'; waitedMs += RETRY_MS) {
    if (waitedMs >= MAX_WAIT_MS) {
      throw new FuelError('busy', `Claude Code is changing ${path}.`, { hint: 'Try again in a moment.' });
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    taken = takeLock(lock);
  }
  try {
    return change();
  } finally {
    if (taken === 'ours') rmdirSync(lock);
  }
}

/** `none`: there is no folder for it, or it is not writable; changing the file then says so in a sentence. */
function takeLock(lock: string): 'ours' | 'busy' | 'none' {
  try {
    mkdirSync(lock);
    return 'ours';
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') return 'none';
    const stat = statSync(lock, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > STALE_LOCK_MS) rmdirSync(lock);
    return 'busy';
  }
}

function recordPath(home: string): string {
  return join(home, 'mcp-installed.json');
}

function readCreated(home: string, path: string): readonly Created[] {
  return readInstallRecords<readonly Created[]>(recordPath(home))[path] ?? [];
}
