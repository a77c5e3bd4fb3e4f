import type { WorkerMode } from '../lib/follow.ts';
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { holdFolder } from '../lib/held-folder.ts';
import { makePrivateFolder, readTextFile, writePrivateFile } from '../lib/private-file.ts';
import { commandLineOf, identityOf, isAlive, isRunning, parseIdentity } from '../lib/process-identity.ts';

export interface WorkerLock {
  /** Records for `status` how this worker notices changes. */
  reportMode(mode: WorkerMode): void;
  release(): void;
}

export interface LiveWorker {
  readonly pid: number;
  /** Null until the worker has reported it. */
  readonly mode: WorkerMode | null;
}

/**
 * B5: one worker per data folder. The lock file is created with link(2), which fails when it exists; the lock of a dead
 * holder is moved aside with rename(2), which only one contender can do. Null when a live worker holds the lock.
 */
export function acquireWorkerLock(home: string, self: number): WorkerLock | null {
  makePrivateFolder(home);
  const path = join(home, 'worker.lock');
  const mine = JSON.stringify(identityOf(self));
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  writePrivateFile(temporary, mine);
  try {
    for (;;) {
      if (tryLink(temporary, path)) return createLock(home, path, mine, self);
      const text = readTextFile(path);
      if (text === null) continue;
      if (isHeld(text)) return null;
      moveAside(path, text);
    }
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Returns the process id of the live worker that holds the lock, or null. */
export function findLiveWorker(home: string): number | null {
  const text = readTextFile(join(home, 'worker.lock'));
  return text !== null && isHeld(text) ? (parseIdentity(text)?.pid ?? null) : null;
}

/** Returns the live worker and the mode it reported. */
export function describeWorker(home: string): LiveWorker | null {
  const pid = findLiveWorker(home);
  if (pid === null) return null;
  const [reported, mode] = (readTextFile(modePath(home)) ?? '').trim().split(' ');
  return { pid, mode: reported === String(pid) && (mode === 'watching' || mode === 'polling') ? mode : null };
}

/** The process that waits for changes to start a worker (src/app/sentinel.ts); null when none is running. */
export function findSentinel(home: string): { readonly pid: number } | null {
  const pid = Number(readTextFile(join(home, 'sentinel.pid')));
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isRunning(pid)) return null;
  // The file is not removed when the process ends, and its pid may have been reused by another program.
  return commandLineOf(pid)?.includes('sentinel') === false ? null : { pid };
}

const modePath = (home: string) => join(home, 'worker.mode');

function createLock(home: string, path: string, mine: string, self: number): WorkerLock {
  // For the hook, a shell script: a pid to check with `kill -0`.
  const pidFile = join(home, 'worker.pid');
  const folder = holdFolder(home);
  writePrivateFile(pidFile, `${self}\n`);
  let reported: WorkerMode | null = null;
  return {
    reportMode: (mode) => {
      if (mode !== reported && folder.isSame()) writePrivateFile(modePath(home), `${self} ${mode}\n`);
      reported = mode;
    },
    release: () => {
      // The folder was replaced and our lock went with it; the file at this path belongs to another worker.
      if (!folder.isSame()) return;
      rmSync(modePath(home), { force: true });
      if (readTextFile(pidFile)?.trim() === String(self)) rmSync(pidFile, { force: true });
      if (readTextFile(path) === mine) rmSync(path, { force: true });
    },
  };
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a dead holder's lock aside. If another process took the lock first, its lock is put back. */
function moveAside(path: string, seen: string): void {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readFileSync(aside, 'utf8') !== seen) tryLink(aside, path);
  unlinkSync(aside);
}

function isHeld(text: string): boolean {
  const holder = parseIdentity(text);
  return holder !== null && isAlive(holder);
}
