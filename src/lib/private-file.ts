import {
  accessSync,
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { HOUR_MS } from '../domain/durations.ts';
import { errnoOf, FuelError } from '../domain/errors.ts';

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
    const isAnothers = errnoOf(error) === 'EEXIST' && isFolder(path);
    if (!isAnothers) throw error;
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A folder that does not exist or cannot be read counts as empty. */
export function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A folder that does not exist counts as empty; one that cannot be read is an error. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '');
}

/** Makes renames and new files in a folder survive a power failure. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** `mode` is one or several of `constants.R_OK`, `W_OK` and `X_OK`. */
export function canAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
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

/** A temporary file of this age was left behind by a process that crashed. */
export const OLD_TEMPORARY_MS = HOUR_MS;

function temporaryOf(path: string): string {
  return `${path}.${crypto.randomUUID()}.tmp`;
}

/** The text of a file, or null when there is none. */
export function readTextFile(path: string | Buffer): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    // Errors of reading, such as of a folder, name no path.
    throw Object.assign(error as NodeJS.ErrnoException, { path: String(path) });
  }
}

const PRIVATE = 0o600;

/** Writes a private file under a temporary name and renames it, so that it is complete or absent. */
export function writeNew(temporary: string, path: string, bytes: Uint8Array): void {
  const fd = openSync(temporary, 'wx', PRIVATE);
  try {
    try {
      fchmodSync(fd, PRIVATE);
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Ensures that a folder exists, is not a link, belongs to us and is private. True if others had access to it before.
 * Errors: bad_config for a link, a file or another user's folder; none of them is followed or changed.
 */
export function guardFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    makePrivateFolder(path);
    return false;
  }
  const why = reasonAgainst(stat);
  if (why !== null) {
    throw new FuelError('bad_config', `${path} ${why}. For safety, fuel-code does not use it.`, {
      hint: 'Find out why, then move it away; fuel-code creates a new folder in its place.',
    });
  }
  if ((stat.mode & 0o777) !== 0o700) chmodSync(path, 0o700);
  return (stat.mode & 0o077) !== 0;
}

function reasonAgainst(stat: { isSymbolicLink(): boolean; isDirectory(): boolean; readonly uid: number }) {
  if (stat.isSymbolicLink()) return 'is a symbolic link';
  if (!stat.isDirectory()) return 'is not a folder';
  return isOurs(stat.uid) ? null : 'belongs to another user';
}

export function isOurs(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/** Bytes that an unprivileged user can still write to the disk of a folder; null if unknown. */
export function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize, blocks } = statfsSync(folder);
    // File systems without a size report zero blocks.
    return blocks === 0 ? null : bavail * bsize;
  } catch {
    return null;
  }
}

/** With less than this, even the smallest transaction may fail. */
const MIN_FREE_BYTES = 256 * 1024;

export function isDiskFull(folder: string): boolean {
  const free = freeBytes(folder);
  return free !== null && free < MIN_FREE_BYTES;
}
