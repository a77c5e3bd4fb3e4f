import { FuelError } from '../domain/errors.ts';
import type { BlobStore } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import {
  type GenerationRow,
  listGenerations,
  loadSegments,
  type SegmentRow,
} from '../store/queries/archive/archive.ts';
import { sha256Hex } from '../lib/sha256.ts';

export interface HealOptions {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly deviceId: string;
  /** Reads the current bytes of a file on this machine; null when it no longer exists. */
  readonly readSource: (file: { readonly root: string; readonly path: string }) => Promise<Uint8Array | null>;
}

/**
 * G7: stores lost or damaged blobs again where their source file still has the bytes. Only bytes with the blob's
 * SHA-256 are accepted. Returns the addresses of the repaired blobs.
 */
export async function healArchive(options: HealOptions): Promise<readonly string[]> {
  const { engine, blobs, deviceId } = options;
  const healed = new Set<string>();
  for (const generation of await listGenerations(engine.kysely)) {
    if (generation.deviceId !== deviceId) continue;
    const segments = await loadSegments(engine.kysely, generation.sourceFileId, generation.number);
    const broken = await findBroken(blobs, segments);
    if (broken.size === 0) continue;
    for (const [sha256, bytes] of await findInSource(options, generation, segments, broken)) {
      await blobs.delete(sha256);
      await blobs.put(bytes, sha256);
      healed.add(sha256);
    }
  }
  return [...healed];
}

async function findBroken(blobs: BlobStore, segments: readonly SegmentRow[]): Promise<ReadonlySet<string>> {
  const broken = new Set<string>();
  for (const sha256 of new Set(segments.map((segment) => segment.sha256))) {
    try {
      await blobs.get(sha256);
    } catch (error) {
      const isLost = error instanceof FuelError && (error.code === 'blob_missing' || error.code === 'blob_corrupt');
      if (!isLost) throw error;
      broken.add(sha256);
    }
  }
  return broken;
}

/** Rebuilds a blob from the runs of a file that refer to it, in file order. */
async function findInSource(
  { readSource }: HealOptions,
  { root, path }: GenerationRow,
  segments: readonly SegmentRow[],
  broken: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  const source = await readSource({ root, path });
  if (source === null) return found;
  for (const sha256 of broken) {
    const runs = segments.filter((one) => one.sha256 === sha256).toSorted((a, b) => a.blobOffset - b.blobOffset);
    const bytes = Buffer.concat(
      runs.map(({ startOffset, sizeBytes }) => source.subarray(startOffset, startOffset + sizeBytes)),
    );
    if (sha256Hex(bytes) === sha256) found.set(sha256, bytes);
  }
  return found;
}
