import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, rmSync } from 'node:fs';
import process from 'node:process';
import { errnoOf } from '../domain/errors.ts';
import { readTextFile, writePrivateFile } from './private-file.ts';
import { identityOf, isAlive, parseIdentity, type ProcessIdentity } from './process-identity.ts';

export interface FileLock {
  release(): void;
}

/**
 * A file that one living process has made. link(2) fails when there is one; the file of a process that is gone is moved
 * away by rename(2), which only one of several can do. Null when a living process holds it.
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

/** The living process that the text of a lock file names. */
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

/** When another process was quicker, its lock is put back. */
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
