import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, rmSync } from 'node:fs';
import process from 'node:process';
import { errnoOf } from '../domain/errors.ts';
import { readTextFile, writePrivateFile } from './private-file.ts';
import { identityOf, isAlive, type ProcessIdentity, parseIdentity } from './process-identity.ts';

export interface FileLock {
  release(): void;
}

/**
 * A lock file owned by one living process. link(2) fails if the file exists; the file of a dead process is moved away
 * with rename(2), which succeeds for only one of several processes. Null when a living process holds the lock.
 */
export function acquireFileLock(path: string, pid = process.pid): FileLock | null {
  const mine = JSON.stringify({ ...identityOf(pid), nonce: randomBytes(6).toString('hex') });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  writePrivateFile(temporary, mine);
  try {
    for (;;) {
      if (tryLink(temporary, path)) return { release: () => releaseLock(path, mine) };
      const text = readTextFile(path);
      if (text === null) continue;
      if (livingHolder(text) !== null) return null;
      moveAway(path, text);
    }
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The living process named in a lock file, if any. */
export function livingHolder(text: string): ProcessIdentity | null {
  const holder = parseIdentity(text);
  return holder !== null && isAlive(holder) ? holder : null;
}

function releaseLock(path: string, mine: string): void {
  if (readTextFile(path) === mine) rmSync(path, { force: true });
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** If another process has replaced the lock in the meantime, its lock is restored. */
function moveAway(path: string, seen: string): void {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  if (readTextFile(aside) !== seen) tryLink(aside, path);
  rmSync(aside, { force: true });
}
