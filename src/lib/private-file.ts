import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeNew } from './write-new.ts';

/**
 * Creates a folder and its parents. The `recursive` option of Node.js loops forever on file systems such as /proc that
 * cannot create folders: it takes ENOENT for a missing parent although the parent exists.
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

/** Creates a folder that only its owner can enter, regardless of the umask. */
export function makePrivateFolder(path: string): void {
  makeFolder(path, 0o700);
  chmodSync(path, 0o700);
}

/** Atomically writes a file that only its owner can read. */
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
