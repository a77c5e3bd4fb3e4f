import type { WorkerMode } from '../lib/follow.ts';
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { holdFolder } from '../lib/held-folder.ts';
import { makePrivateFolder, readTextFile, writePrivateFile } from '../lib/private-file.ts';
import { commandLineOf, identityOf, isAlive, isRunning, parseIdentity } from '../lib/process-identity.ts';

export interface WorkerLock {
  /** For `status`: how this worker notices changes. */
  tell(mode: WorkerMode): void;
  release(): void;
}

export interface LivingWorker {
  readonly pid: number;
  /** Null before it has told. */
  readonly mode: WorkerMode | null;
}

/**
 * B5: one worker a data folder. The lock is a file made by link(2), which fails when there is one; a holder that no
 * longer lives is moved out of the way by rename(2), which only one of several can do. Null when a living one holds it.
 */
export function acquireWorkerLock(home: string, self: number): WorkerLock | null {
  makePrivateFolder(home);
  const path = join(home, 'worker.lock');
  const mine = JSON.stringify(identityOf(self));
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  writePrivateFile(temporary, mine);
  try {
    for (;;) {
      if (tryLink(temporary, path)) return holding(home, path, mine, self);
      const text = readTextFile(path);
      if (text === null) continue;
      if (isHeld(text)) return null;
      moveAway(path, text);
    }
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Does a living worker hold the lock of this data folder? */
export function findLivingWorker(home: string): number | null {
  const text = readTextFile(join(home, 'worker.lock'));
  return text !== null && isHeld(text) ? (parseIdentity(text)?.pid ?? null) : null;
}

/** The living worker and what it has told of itself. */
export function describeWorker(home: string): LivingWorker | null {
  const pid = findLivingWorker(home);
  if (pid === null) return null;
  const [told, mode] = (readTextFile(modePath(home)) ?? '').trim().split(' ');
  return { pid, mode: told === String(pid) && (mode === 'watching' || mode === 'polling') ? mode : null };
}

/** The process that waits for changes to start a worker (src/app/sentinel.ts); null when none runs. */
export function findSentinel(home: string): { readonly pid: number } | null {
  const pid = Number(readTextFile(join(home, 'sentinel.pid')));
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isRunning(pid)) return null;
  // Nothing removes the file when the process ends, and its number may belong to another program by now.
  return commandLineOf(pid)?.includes('sentinel') === false ? null : { pid };
}

const modePath = (home: string) => join(home, 'worker.mode');

function holding(home: string, path: string, mine: string, self: number): WorkerLock {
  // For the hook, which is a shell script: a number it can ask `kill -0` about.
  const pidFile = join(home, 'worker.pid');
  const folder = holdFolder(home);
  writePrivateFile(pidFile, `${self}\n`);
  let told: WorkerMode | null = null;
  return {
    tell: (mode) => {
      if (mode !== told && folder.isSame()) writePrivateFile(modePath(home), `${self} ${mode}\n`);
      told = mode;
    },
    release: () => {
      // The lock went with the folder; what is at its path now is not ours.
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

/** Takes a dead holder's lock away; when somebody was quicker, his lock is put back. */
function moveAway(path: string, seen: string): void {
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
