import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FuelError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { readTextFile, writePrivateFile } from '../../lib/private-file.ts';
import { changeSettings, parseSettings, readSettings } from '../hook/settings-file.ts';
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

const EMPTY = /^\s*\{\s*\}\s*$/;
const NEW_FILE = '{}\n';

/** Adds our server to the file. Errors: bad_config when it cannot be changed without losing something; busy. */
export function installServer(home: string, { path, entry }: McpFile, clock: Clock): McpChange {
  return withClientLock(path, () => {
    const changed = changeSettings(path, clock, (text) => {
      const added = addServer(text ?? NEW_FILE, entry);
      const isNew = text === null && !existsSync(path);
      remember(home, path, isNew ? ['file', ...added.created] : added.created);
      return added.text;
    });
    return { path, changed };
  });
}

/** Whether installing would change the file. Errors: bad_config. */
export function planServer({ path, entry }: McpFile): McpChange {
  const text = readSettings(path) ?? NEW_FILE;
  return { path, changed: parseSettings(path, text, () => addServer(text, entry)).text !== text };
}

/** Removes our server, and the file if the installation created it and nothing else is in it. Errors: bad_config; busy. */
export function uninstallServer(home: string, path: string, clock: Clock): McpChange {
  const created = new Set(readRecords(home)[path] ?? []);
  if (!existsSync(path)) return { path, changed: false };
  return withClientLock(path, () => {
    const changed = changeSettings(path, clock, (text) => {
      if (text === null) return null;
      const removed = removeServer(text, created);
      return removed !== text && created.has('file') && EMPTY.test(removed) ? null : removed;
    });
    forget(home, path);
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
/** The client gives up a lock of this age: its owner was killed. */
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
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return 'none';
    const stat = statSync(lock, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > STALE_LOCK_MS) rmdirSync(lock);
    return 'busy';
  }
}

type Records = Readonly<Record<string, readonly Created[]>>;

function recordPath(home: string): string {
  return join(home, 'mcp-installed.json');
}

function readRecords(home: string): Records {
  try {
    return (JSON.parse(readTextFile(recordPath(home)) ?? '{}') as Records | null) ?? {};
  } catch {
    // The only cost of a broken record is an empty object left in the file.
    return {};
  }
}

function remember(home: string, path: string, created: readonly Created[]): void {
  const records = readRecords(home);
  const all = [...new Set([...(records[path] ?? []), ...created])];
  writePrivateFile(recordPath(home), `${JSON.stringify({ ...records, [path]: all }, null, 2)}\n`);
}

function forget(home: string, path: string): void {
  const { [path]: removed, ...others } = readRecords(home);
  if (removed !== undefined) writePrivateFile(recordPath(home), `${JSON.stringify(others, null, 2)}\n`);
}
