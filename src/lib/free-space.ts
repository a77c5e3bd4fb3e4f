import { statfsSync } from 'node:fs';

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
