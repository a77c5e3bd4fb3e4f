import { createHash } from 'node:crypto';

export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Size of the head and the tail of a file that the archive stores as a hash to recognize the file. */
export const FINGERPRINT_BYTES = 4 * 1024;
