import { createHash } from 'node:crypto';
import type { BlobStore } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { type Capture, type CapturedSegment, loadSegments, saveCapture } from '../store/queries/archive.ts';
import { markBytesCaptured, type SessionSeed } from '../store/queries/session-state.ts';

/** A file's identity on its device; the row id follows from it. */
export interface FileKey {
  readonly deviceId: string;
  readonly root: string;
  readonly path: string;
}

export function sourceFileId({ deviceId, root, path }: FileKey): string {
  const name = JSON.stringify([deviceId, root, path]);
  return `file_${createHash('sha256').update(name).digest('hex').slice(0, 24)}`;
}

/** Puts bytes into the archive; the file's row comes later, when all of them are safe. */
export async function archiveSegment(
  blobs: BlobStore,
  segment: { readonly startOffset: number; readonly bytes: Uint8Array },
): Promise<CapturedSegment> {
  const { sha256, sizeBytes, storedBytes } = await blobs.put(segment.bytes);
  return { startOffset: segment.startOffset, sizeBytes, storedBytes, sha256 };
}

/** Notes a file's archived bytes and re-opens its session, both or neither. */
export async function acceptCapture(
  engine: Engine,
  capture: Capture,
  session: SessionSeed | null,
  now: string,
): Promise<void> {
  await engine.transaction(async (tx) => {
    if (session !== null) await markBytesCaptured(tx, session, now);
    await saveCapture(engine, tx, capture, now);
  });
}

/** The bytes of an archived generation, piece by piece, each verified against its hash. */
export async function* readGeneration(
  engine: Engine,
  blobs: BlobStore,
  file: { readonly id: string; readonly generation: number },
): AsyncGenerator<Uint8Array> {
  for (const sha256 of await loadSegments(engine.kysely, file.id, file.generation)) yield await blobs.get(sha256);
}

/** SHA-256 of an archived generation as a whole. */
export async function hashGeneration(
  engine: Engine,
  blobs: BlobStore,
  file: { readonly id: string; readonly generation: number },
): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of readGeneration(engine, blobs, file)) hash.update(bytes);
  return hash.digest('hex');
}
