import process from 'node:process';
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder, readTextFile, writePrivateFile } from '../lib/private-file.ts';

/** Who holds the lock, told so that a later process with the same number is not taken for it. */
interface Holder {
  readonly pid: number;
  readonly boot: string;
  readonly started: string;
}

export interface WorkerLock {
  release(): void;
}

/**
 * B5: one worker a data folder. The lock is a file made by link(2), which fails when there is one; a holder that no
 * longer lives is moved out of the way by rename(2), which only one of several can do. Null when a living one holds it.
 */
export function acquireWorkerLock(home: string, self: number): WorkerLock | null {
  makePrivateFolder(home);
  const path = join(home, 'worker.lock');
  const mine = JSON.stringify(describe(self));
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  writePrivateFile(temporary, mine);
  try {
    for (;;) {
      if (tryLink(temporary, path)) return holding(home, path, mine, self);
      const text = readTextFile(path);
      if (text === null) continue;
      if (isAlive(text)) return null;
      moveAway(path, text);
    }
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Does a living worker hold the lock of this data folder? */
export function findLivingWorker(home: string): number | null {
  const text = readTextFile(join(home, 'worker.lock'));
  return text !== null && isAlive(text) ? (parse(text)?.pid ?? null) : null;
}

function holding(home: string, path: string, mine: string, self: number): WorkerLock {
  // For the hook, which is a shell script: a number it can ask `kill -0` about.
  const pidFile = join(home, 'worker.pid');
  writePrivateFile(pidFile, `${self}\n`);
  return {
    release: () => {
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

function parse(text: string): Holder | null {
  try {
    const { pid, boot, started } = JSON.parse(text) as Partial<Holder>;
    if (Number.isInteger(pid) && typeof boot === 'string' && typeof started === 'string')
      return { pid: Number(pid), boot, started };
  } catch {
    // A lock that says nothing is held by nobody.
  }
  return null;
}

function isAlive(text: string): boolean {
  const holder = parse(text);
  if (holder === null || !exists(holder.pid)) return false;
  const now = describe(holder.pid);
  return now.boot === holder.boot && now.started === holder.started;
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const START_TIME_FIELD = 19;

/** Boot and start time come from /proc; where there is none, the process number has to do. */
function describe(pid: number): Holder {
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  const stat = read(`/proc/${pid}/stat`);
  const started = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD] ?? '';
  return { pid, boot, started };
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
