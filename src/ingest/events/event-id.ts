import { createHash } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const HASH_CHARS = 16;

/** A deterministic ULID: the same entry of the same machine always gets the same id. */
export function eventId(parts: {
  readonly deviceId: string;
  readonly entryId: string;
  readonly atMs: number;
  readonly payload: Uint8Array;
}): string {
  const name = JSON.stringify([parts.deviceId, parts.entryId]);
  const hash = createHash('sha256').update(name).update(parts.payload).digest();
  let time = '';
  for (let rest = parts.atMs, n = 0; n < TIME_CHARS; n++, rest = Math.floor(rest / ALPHABET.length)) {
    time = ALPHABET.charAt(rest % ALPHABET.length) + time;
  }
  return time + Array.from(hash.subarray(0, HASH_CHARS), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}
