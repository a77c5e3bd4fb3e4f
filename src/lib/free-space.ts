import { statfsSync } from 'node:fs';

/** Bytes that an ordinary account can still write to the disk of a folder; null where the system does not say. */
export function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize, blocks } = statfsSync(folder);
    // File systems without a size of their own report no blocks at all.
    return blocks === 0 ? null : bavail * bsize;
  } catch {
    return null;
  }
}

/** With less than this, not even the smallest transaction is sure to be written. */
const MIN_FREE_BYTES = 256 * 1024;

export function isDiskFull(folder: string): boolean {
  const free = freeBytes(folder);
  return free !== null && free < MIN_FREE_BYTES;
}
