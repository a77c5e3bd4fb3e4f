import { createHash } from 'node:crypto';
import type { BlobStore } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { type CapturedBlob, loadSegments, type SegmentRow } from '../store/queries/archive/archive.ts';
import { findSharedRanges } from './shared-ranges.ts';

export interface ArchivedBytes {
  readonly segments: readonly SegmentRow[];
  readonly blobs: readonly CapturedBlob[];
}

/**
 * Stores a run of a file as blobs. Parts that many sessions share (the client's own prompts and tool lists) become
 * separate blobs, stored once; the remaining bytes of the run form one blob.
 */
export async function archiveBytes(
  blobs: BlobStore,
  run: { readonly startOffset: number; readonly bytes: Uint8Array },
): Promise<ArchivedBytes> {
  const pieces = cutAt(run.bytes.length, findSharedRanges(run.bytes));
  const own = pieces.filter(({ isShared }) => !isShared);
  const rest =
    own.length === 1 && pieces.length === 1
      ? run.bytes
      : Buffer.concat(own.map((p) => run.bytes.subarray(p.from, p.to)));
  const restBlob = rest.length > 0 ? await blobs.put(rest) : null;
  const stored: CapturedBlob[] = restBlob === null ? [] : [restBlob];
  const segments: SegmentRow[] = [];
  let blobOffset = 0;
  for (const { from, to, isShared } of pieces) {
    const blob = isShared ? await blobs.put(run.bytes.subarray(from, to)) : restBlob;
    if (blob === null) continue;
    if (isShared) stored.push(blob);
    segments.push({
      startOffset: run.startOffset + from,
      sizeBytes: to - from,
      sha256: blob.sha256,
      blobOffset: isShared ? 0 : blobOffset,
    });
    if (!isShared) blobOffset += to - from;
  }
  return { segments, blobs: stored };
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly isShared: boolean;
}

function cutAt(length: number, shared: readonly { readonly from: number; readonly to: number }[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { from, to } of shared) {
    if (from > at) pieces.push({ from: at, to: from, isShared: false });
    pieces.push({ from, to, isShared: true });
    at = to;
  }
  if (at < length) pieces.push({ from: at, to: length, isShared: false });
  return pieces;
}

/** Size of the blob cache while a generation is read: its runs alternate between a few blobs. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** Reads an archived generation run by run, each from a blob that was verified against its hash. */
export async function* readGeneration(
  engine: Engine,
  blobs: BlobStore,
  file: { readonly id: string; readonly generation: number },
  from = 0,
): AsyncGenerator<Uint8Array> {
  const held = new Map<string, Uint8Array>();
  for (const segment of await loadSegments(engine.kysely, file.id, file.generation)) {
    const skipped = Math.max(0, from - segment.startOffset);
    if (skipped >= segment.sizeBytes) continue;
    const { sha256 } = segment;
    const blob = held.get(sha256) ?? (await blobs.get(sha256));
    held.delete(sha256);
    held.set(sha256, blob);
    evictOldest(held);
    const start = segment.blobOffset;
    yield blob.subarray(start + skipped, start + segment.sizeBytes);
  }
}

/** Evicts the oldest blobs; the one in use is the newest and always stays. */
function evictOldest(held: Map<string, Uint8Array>): void {
  let bytes = held.values().reduce((sum, blob) => sum + blob.length, 0);
  for (const [sha256, blob] of held) {
    if (bytes <= MAX_HELD_BYTES || held.size === 1) return;
    held.delete(sha256);
    bytes -= blob.length;
  }
}

/** Computes the SHA-256 of a whole archived generation. */
export async function hashGeneration(
  engine: Engine,
  blobs: BlobStore,
  file: { readonly id: string; readonly generation: number },
): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of readGeneration(engine, blobs, file)) hash.update(bytes);
  return hash.digest('hex');
}
