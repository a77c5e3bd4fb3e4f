import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

const PRIVATE = 0o600;

/**
 * Writes a file under a temporary name and renames it, so that it is complete or absent, with this mode regardless of
 * the umask.
 */
export function writeNew(temporary: string, path: string, bytes: Uint8Array, mode = PRIVATE): void {
  const fd = openSync(temporary, 'wx', mode);
  try {
    try {
      fchmodSync(fd, mode);
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
