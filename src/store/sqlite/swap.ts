import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf, FuelError } from '../../domain/errors.ts';
import { acquireFileLock } from '../../lib/lock-file.ts';
import { readTextFile, syncFolder, writePrivateFile } from '../../lib/private-file.ts';
import { removeSearchFile, searchPathOf } from './search-file.ts';

/** Suffixes of the files SQLite keeps beside a database. */
const TAILS = ['-wal', '-shm'] as const;
const PAUSE_MS = 20;
const MAX_WAIT_MS = 10_000;

interface Swap {
  /** The names of both files in the database's folder. */
  readonly fresh: string;
  readonly aside: string;
}

/**
 * Replaces a database with a finished one and keeps the old one as `aside` with all its files. A record is written
 * first: from then on the swap is completed, by this process or by the next one that opens the database.
 */
export function swapDatabase(path: string, fresh: string, aside: string): void {
  const lock = acquireFileLock(lockOf(path));
  if (lock === null) throw isSwapping(path);
  try {
    syncFile(fresh);
    writePrivateFile(noteOf(path), JSON.stringify({ fresh: basename(fresh), aside: basename(aside) } satisfies Swap));
    carryOut(path, { fresh: basename(fresh), aside: basename(aside) });
  } finally {
    lock.release();
  }
}

/** Completes a swap after a crash. Errors: busy. */
export function finishSwap(path: string): void {
  for (let waitedMs = 0; existsSync(noteOf(path)); waitedMs += PAUSE_MS) {
    const lock = acquireFileLock(lockOf(path));
    if (lock !== null) {
      try {
        const swap = readSwap(path);
        if (swap !== null) carryOut(path, swap);
        return;
      } finally {
        lock.release();
      }
    }
    if (waitedMs >= MAX_WAIT_MS) throw isSwapping(path);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** Removes a database with all its files and its full text. */
export function removeDatabase(path: string): void {
  for (const tail of ['', ...TAILS]) rmSync(path + tail, { force: true });
  removeSearchFile(searchPathOf(path));
}

const noteOf = (path: string) => `${path}.swap`;
const lockOf = (path: string) => `${path}.swap-lock`;

/** The record is written atomically: an unreadable one is not ours. */
function readSwap(path: string): Swap | null {
  const text = readTextFile(noteOf(path));
  return text === null ? null : (JSON.parse(text) as Swap);
}

/** Each step may have been done before. At every moment the old or the new database exists. */
function carryOut(path: string, swap: Swap): void {
  const folder = dirname(path);
  const [fresh, aside] = [join(folder, swap.fresh), join(folder, swap.aside)];
  if (existsSync(fresh)) {
    unlessDone('EEXIST', () => linkSync(path, aside));
    // The WAL of the old database must not be used with the new one.
    for (const tail of TAILS) unlessDone('ENOENT', () => renameSync(path + tail, aside + tail));
    syncFolder(folder);
    renameSync(fresh, path);
    syncFolder(folder);
  }
  // The old index follows from the old rows, so it is not kept. Without its own index a database has an empty one.
  if (existsSync(searchPathOf(fresh))) {
    removeSearchFile(searchPathOf(path));
    renameSync(searchPathOf(fresh), searchPathOf(path));
  }
  rmSync(noteOf(path), { force: true });
}

function unlessDone(done: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const code = errnoOf(error);
    if (code !== done && code !== 'ENOENT') throw error;
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function isSwapping(path: string): FuelError {
  return new FuelError('busy', `Another process is replacing the database ${path}.`, {
    hint: 'Try again in a moment.',
  });
}
