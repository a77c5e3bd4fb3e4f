import type { BlobStore } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { loadSegments, type SegmentRow } from '../store/queries/archive/archive.ts';

/** From `from` (inclusive) to `to` (exclusive). */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Reads a range of an archived generation in pieces; blobs outside the range are not read. */
export async function* readRange(
  { engine, blobs }: { readonly engine: Engine; readonly blobs: BlobStore },
  file: { readonly id: string; readonly generation: number },
  { from, to }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let held: { readonly sha256: string; readonly bytes: Uint8Array } = { sha256: '', bytes: new Uint8Array() };
  for (const segment of await loadSegments(engine.kysely, file.id, file.generation)) {
    const part = overlap(segment, { from, to });
    if (part === null) continue;
    if (held.sha256 !== segment.sha256) {
      held = { sha256: segment.sha256, bytes: await blobs.get(segment.sha256) };
    }
    yield held.bytes.subarray(part.from, part.to);
  }
}

/** The part of a segment's blob that lies in the range. */
function overlap({ startOffset, sizeBytes, blobOffset }: SegmentRow, { from, to }: ByteRange): ByteRange | null {
  const first = Math.max(from, startOffset);
  const end = Math.min(to, startOffset + sizeBytes);
  if (first >= end) return null;
  const shift = blobOffset - startOffset;
  return { from: first + shift, to: end + shift };
}
