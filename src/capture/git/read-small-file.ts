import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/**
 * Reads the last bytes of a regular file as text. Null for anything else, since a repository may hold a FIFO or a
 * device under any name, and for unreadable files.
 */
export function readSmallFile(path: string, maxBytes: number): string | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return null;
    const buffer = Buffer.alloc(Math.min(stat.size, maxBytes));
    const length = readSync(fd, buffer, 0, buffer.length, Math.max(0, stat.size - maxBytes));
    return buffer.toString('utf8', 0, length);
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

/** Null for a missing or inaccessible path. */
export function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
