import { createHash } from 'node:crypto';
import { ulid } from '../../lib/ids.ts';

/** A deterministic ULID: the same entry of the same machine always gets the same id. */
export function eventId(parts: {
  readonly deviceId: string;
  readonly entryId: string;
  readonly atMs: number;
  readonly payload: Uint8Array;
}): string {
  const name = JSON.stringify([parts.deviceId, parts.entryId]);
  return ulid(new Date(parts.atMs), createHash('sha256').update(name).update(parts.payload).digest());
}
