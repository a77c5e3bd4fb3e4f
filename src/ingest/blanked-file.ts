import type { Upload } from '../api/ingest.ts';
import { readGeneration } from '../archive/archive-bytes.ts';
import { type BlankOut, blankSessions, isSharedKind } from '../archive/blank-sessions.ts';
import { loadPurged } from '../store/queries/deletions/deletions.ts';
import type { IntakeDeps } from './intake.ts';

/** A file with entries of several sessions, without those of sessions that were removed here. */
export interface BlankedFile {
  readonly bytes: Uint8Array;
  /** This chunk shows that an entry belongs to a removed session, so stored bytes have to change too. */
  readonly isRewritten: boolean;
}

/** Null unless the file has entries of several sessions and sessions were removed here. */
export async function blankFor({ engine, clock }: IntakeDeps, kind: string): Promise<BlankOut | null> {
  if (!isSharedKind(kind)) return null;
  const purged = await loadPurged(engine.kysely, clock.now().toISOString());
  return purged.size === 0 ? null : blankSessions(kind, purged);
}

const SPACE = 0x20;

/**
 * Adds a chunk to our bytes of a generation, both blanked. Null when they differ in a place that neither has blanked.
 * The digest of the whole file proves nothing here, since the device has the entries that we lack.
 */
export async function addBlanked(
  deps: IntakeDeps,
  blank: BlankOut,
  stored: { readonly id: string; readonly generation: number },
  { chunk: { offset } }: Upload,
  chunk: Uint8Array,
): Promise<BlankedFile | null> {
  const before = Buffer.concat(await Array.fromAsync(readGeneration(deps, stored)));
  const sent = blank(
    Buffer.concat([before.subarray(0, offset), chunk, before.subarray(offset + chunk.length, before.length)]),
  );
  const merged = Buffer.from(sent);
  for (const [at, byte] of before.entries()) {
    if (byte === sent[at]) continue;
    if (byte !== SPACE && sent[at] !== SPACE) return null;
    merged[at] = SPACE;
  }
  return { bytes: merged, isRewritten: !merged.subarray(0, before.length).equals(before) };
}
