import { createHash } from 'node:crypto';
import type { BlobStore } from '../domain/ports.ts';
import { FINGERPRINT_BYTES, sha256Hex } from '../lib/sha256.ts';
import type { Engine } from '../store/engine.ts';
import {
  type CapturedBlob,
  loadSegments,
  loadSegmentsOfFiles,
  type SegmentRow,
} from '../store/queries/archive/archive.ts';

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

/** What a capture says about the bytes of its file. */
export function digestsOf(bytes: Uint8Array): {
  readonly headSha256: string;
  readonly tailSha256: string;
  readonly sha256: string;
} {
  return {
    headSha256: sha256Hex(bytes.subarray(0, FINGERPRINT_BYTES)),
    tailSha256: sha256Hex(bytes.subarray(Math.max(0, bytes.length - FINGERPRINT_BYTES))),
    sha256: sha256Hex(bytes),
  };
}

interface Piece extends ByteRange {
  readonly isShared: boolean;
}

function cutAt(length: number, shared: readonly ByteRange[]): Piece[] {
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

export interface GenerationKey {
  readonly id: string;
  readonly generation: number;
}

/** A generation of a file as the key of a map. */
export function generationKey({ id, generation }: GenerationKey): string {
  return `${id}#${generation}`;
}

/** Bytes that were just archived and are still in memory, so that the parse does not have to read them back. */
export interface HeldBytes {
  of(file: GenerationKey): readonly Uint8Array[] | undefined;
  drop(file: GenerationKey): void;
}

export interface ReadDeps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly held?: HeldBytes | undefined;
}

/** Reads the bytes of a file run by run, from an offset on. */
export type ReadFile = (file: GenerationKey, from?: number) => AsyncIterable<Uint8Array>;

/** Reads an archived generation run by run: from blobs verified against their hashes, or from memory if it was just archived. */
export async function* readGeneration(deps: ReadDeps, file: GenerationKey, from = 0): AsyncGenerator<Uint8Array> {
  const runs = from === 0 ? deps.held?.of(file) : undefined;
  if (runs === undefined) yield* readRange(deps, file, { from, to: Number.POSITIVE_INFINITY });
  else yield* runs;
}

/** Reads a range of an archived generation in pieces; blobs outside the range are not read. */
export async function* readRange(
  { engine, blobs }: Pick<ReadDeps, 'engine' | 'blobs'>,
  file: GenerationKey,
  range: ByteRange,
): AsyncGenerator<Uint8Array> {
  yield* readSegments(blobs, await loadSegments(engine.kysely, file.id, file.generation), range);
}

/** The segments of generations, by their keys, for readers without the database. */
export async function findSegments(
  { kysely }: Engine,
  files: readonly GenerationKey[],
): Promise<ReadonlyMap<string, readonly SegmentRow[]>> {
  const segments = new Map<string, SegmentRow[]>(files.map((file) => [generationKey(file), []]));
  for (const { id, generation, ...segment } of await loadSegmentsOfFiles(
    kysely,
    files.map(({ id }) => id),
  ))
    segments.get(generationKey({ id, generation }))?.push(segment);
  return segments;
}

/** Reads a range without the database, so that any thread can do it. */
export async function* readSegments(
  blobs: BlobStore,
  segments: readonly SegmentRow[],
  range: ByteRange,
): AsyncGenerator<Uint8Array> {
  const held = new Map<string, Uint8Array>();
  for (const segment of segments) {
    const part = overlap(segment, range);
    if (part === null) continue;
    const { sha256 } = segment;
    const blob = held.get(sha256) ?? (await blobs.get(sha256));
    held.delete(sha256);
    held.set(sha256, blob);
    evictOldest(held);
    yield blob.subarray(part.from, part.to);
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
export async function hashGeneration(deps: ReadDeps, file: GenerationKey): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of readGeneration(deps, file)) hash.update(bytes);
  return hash.digest('hex');
}

/** From `from` (inclusive) to `to` (exclusive). */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The part of a segment's blob that lies in the range. */
function overlap({ startOffset, sizeBytes, blobOffset }: SegmentRow, { from, to }: ByteRange): ByteRange | null {
  const first = Math.max(from, startOffset);
  const end = Math.min(to, startOffset + sizeBytes);
  if (first >= end) return null;
  const shift = blobOffset - startOffset;
  return { from: first + shift, to: end + shift };
}

/** Marks of lines on which current clients repeat their prompts, tool lists and skill lists in every session. */
const NEEDLES = ['"type":"attachment"', '"type":"api-request-shape"', '"type":"api-request-blob"'].map((text) =>
  Buffer.from(text),
);
/** Smaller values are not worth a separate blob. */
const MIN_SHARED_BYTES = 4 * 1024;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);

/**
 * Finds runs of bytes that other sessions very likely contain too and that deserve a separate blob: large values on
 * lines whose ids and times differ between sessions while the value does not. Ordered and disjoint.
 */
export function findSharedRanges(bytes: Uint8Array): readonly ByteRange[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const lines = new Map<number, number>();
  for (const needle of NEEDLES) {
    for (let at = buffer.indexOf(needle); at >= 0; ) {
      const from = buffer.lastIndexOf(NEWLINE, at) + 1;
      const end = buffer.indexOf(NEWLINE, at);
      const to = end < 0 ? buffer.length : end;
      if (to - from >= MIN_SHARED_BYTES) lines.set(from, to);
      at = buffer.indexOf(needle, to);
    }
  }
  return [...lines].toSorted(([a], [b]) => a - b).flatMap(([from, to]) => largeValues(buffer, from, to));
}

/** Finds the large values one level below the line's own braces. A line that is not JSON has none. */
function largeValues(buffer: Buffer, from: number, to: number): ByteRange[] {
  const ranges: ByteRange[] = [];
  let depth = 0;
  let valueFrom = -1;
  for (let at = from; at < to; at++) {
    const byte = buffer[at] ?? 0;
    if (byte === QUOTE) at = endOfString(buffer, at, to);
    else if (OPEN.has(byte)) {
      depth++;
      if (depth === 2) valueFrom = at;
    } else if (CLOSE.has(byte)) {
      depth--;
      if (depth === 1 && at + 1 - valueFrom >= MIN_SHARED_BYTES) ranges.push({ from: valueFrom, to: at + 1 });
    }
  }
  return depth === 0 ? ranges : [];
}

function endOfString(buffer: Buffer, quoteAt: number, to: number): number {
  for (let at = quoteAt + 1; at < to; at++) {
    const byte = buffer[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) return at;
  }
  return to;
}
