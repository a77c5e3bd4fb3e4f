import { rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { holdFolder } from '../lib/data-folder.ts';
import type { WorkerMode } from '../lib/follow.ts';
import { acquireFileLock, type FileLock, livingHolder } from '../lib/lock-file.ts';
import { makePrivateFolder, readTextFile, writePrivateFile } from '../lib/private-file.ts';
import { commandLineOf, isRunning } from '../lib/process-identity.ts';

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

/** B5: one worker per data folder. Null when a live worker holds the lock. */
export function acquireWorkerLock(home: string, self: number): WorkerLock | null {
  makePrivateFolder(home);
  const lock = acquireFileLock(join(home, 'worker.lock'), self);
  return lock === null ? null : createLock(home, lock, self);
}

/** Returns the process id of the live worker that holds the lock, or null. */
export function findLiveWorker(home: string): number | null {
  const text = readTextFile(join(home, 'worker.lock'));
  return text === null ? null : (livingHolder(text)?.pid ?? null);
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

function createLock(home: string, lock: FileLock, self: number): WorkerLock {
  // For the hook, a shell script: a pid to check with `kill -0`.
  const pidFile = join(home, 'worker.pid');
  const folder = holdFolder(home);
  writePrivateFile(pidFile, `${self}\n`);
  let reported: WorkerMode | null = null;
  const release = () => {
    process.off('exit', release);
    // The folder was replaced and our lock went with it; the file at this path belongs to another worker.
    if (!folder.isSame()) return;
    rmSync(modePath(home), { force: true });
    if (readTextFile(pidFile)?.trim() === String(self)) rmSync(pidFile, { force: true });
    lock.release();
  };
  // F16: an orderly exit that takes too long is cut short.
  process.on('exit', release);
  return {
    reportMode: (mode) => {
      if (mode !== reported && folder.isSame()) writePrivateFile(modePath(home), `${self} ${mode}\n`);
      reported = mode;
    },
    release,
  };
}
