import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeNew } from './write-new.ts';

/**
 * Makes a folder and those above it. Node's own `recursive` runs for ever where a file system has nothing to make, as
 * /proc does: it takes ENOENT for a missing parent, and the parent is there.
 */
export function makeFolder(path: string, mode: number): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const isAnothers = (error as NodeJS.ErrnoException).code === 'EEXIST' && isFolder(path);
    if (!isAnothers) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A folder that only its owner may enter, whatever the umask. */
export function makePrivateFolder(path: string): void {
  makeFolder(path, 0o700);
  chmodSync(path, 0o700);
}

/** Writes a file that only its owner may read, whole or not at all. */
export function writePrivateFile(path: string, text: string): void {
  makePrivateFolder(dirname(path));
  writeNew(temporaryOf(path), path, Buffer.from(text));
}

function temporaryOf(path: string): string {
  return `${path}.${crypto.randomUUID()}.tmp`;
}

/** The text of a file, or null when there is none. */
export function readTextFile(path: string | Buffer): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
