import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { readRange } from '../capture/read-new-bytes.ts';
import { toFuelError } from '../domain/errors.ts';
import type { ArchiveJournal, BlobStore } from '../domain/ports.ts';
import { sha256Hex } from '../lib/sha256.ts';
import type { Engine } from '../store/engine.ts';
import {
  type GenerationRow,
  listBlobAddresses,
  listGenerations,
  loadSegments,
  type SegmentRow,
} from '../store/queries/archive/archive.ts';
import { listSharePartAddresses } from '../store/queries/people/shares.ts';
import { isBlobLost } from './blobs/content-address.ts';
import { compareJournal } from './journal/compare.ts';

interface ArchiveProblem {
  readonly path: string;
  readonly generation: number | null;
  readonly problem: string;
}

export interface VerifyReport {
  /** Problems that the database engine finds in its own files. */
  readonly database: readonly string[];
  readonly journal: {
    readonly captures: number;
    readonly damaged: readonly string[];
    /** Captures that the database lacks. */
    readonly unknown: number;
    /** Captures that only the database has. */
    readonly missing: number;
    /** Hook events that only the database has. */
    readonly missing_events: number;
  };
  /** Unreferenced blobs: a crash may leave some, and so does the loss of both database and journal. */
  readonly unused_blobs: number;
  readonly files: number;
  readonly generations: number;
  readonly blobs: number;
  readonly bytes: number;
  readonly problems: readonly ArchiveProblem[];
}

interface VerifyOptions {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly journal: ArchiveJournal;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Runs the database's own check, compares journal, store and blobs in every direction, and re-reads every byte of every
 * generation to compare it with its hash.
 */
export async function verifyArchive(options: VerifyOptions): Promise<VerifyReport> {
  const { engine, blobs, journal, onProgress, signal } = options;
  const database = await engine.findDamage('full');
  const { captures, damaged, unknown, missing, missingEvents } = await compareJournal(engine, journal);
  const generations = await listGenerations(engine.kysely);
  const seen = new Set<string>();
  const problems: ArchiveProblem[] = [];
  let bytes = 0;
  for (const [done, generation] of generations.entries()) {
    signal?.throwIfAborted();
    onProgress?.(done, generations.length);
    const problem = await verifyGeneration({ engine, blobs }, generation, seen);
    bytes += generation.sizeBytes;
    if (problem !== null) problems.push({ path: generation.path, generation: generation.number, problem });
  }
  problems.push(...(await verifyUnused({ engine, blobs }, seen)));
  const files = new Set(generations.map(({ sourceFileId }) => sourceFileId)).size;
  return {
    database,
    journal: { captures, damaged, unknown, missing: missing.length, missing_events: missingEvents.length },
    unused_blobs: await countUnused({ engine, blobs }, seen),
    files,
    generations: generations.length,
    blobs: seen.size,
    bytes,
    problems,
  };
}

type Deps = Pick<VerifyOptions, 'engine' | 'blobs'>;

/** Describes the problem with a generation; null when there is none. */
async function verifyGeneration(deps: Deps, generation: GenerationRow, seen: Set<string>): Promise<string | null> {
  const hash = createHash('sha256');
  let at = 0;
  for (const segment of await loadSegments(deps.engine.kysely, generation.sourceFileId, generation.number)) {
    if (segment.startOffset !== at) return `bytes ${at} to ${segment.startOffset} are missing`;
    const blob = await readBlob(deps.blobs, segment.sha256);
    seen.add(segment.sha256);
    if (typeof blob === 'string') return blob;
    const run = blob.subarray(segment.blobOffset, segment.blobOffset + segment.sizeBytes);
    if (run.length !== segment.sizeBytes) return `blob ${segment.sha256} is too short`;
    hash.update(run);
    at += run.length;
  }
  if (at !== generation.sizeBytes) return `only ${at} of ${generation.sizeBytes} bytes are present`;
  if (generation.sha256 !== null && hash.digest('hex') !== generation.sha256)
    return 'the content does not match its SHA-256';
  return null;
}

async function verifyUnused({ engine, blobs }: Deps, seen: Set<string>): Promise<ArchiveProblem[]> {
  const problems: ArchiveProblem[] = [];
  for (const sha256 of await listBlobAddresses(engine.kysely)) {
    if (seen.has(sha256)) continue;
    seen.add(sha256);
    const blob = await readBlob(blobs, sha256);
    if (typeof blob === 'string') problems.push({ path: `blob ${sha256}`, generation: null, problem: blob });
  }
  return problems;
}

async function countUnused({ engine, blobs }: Deps, seen: ReadonlySet<string>): Promise<number> {
  const shared = new Set(await listSharePartAddresses(engine.kysely));
  let unused = 0;
  for await (const sha256 of blobs.list()) if (!seen.has(sha256) && !shared.has(sha256)) unused++;
  return unused;
}

/** Returns the blob or a description of its problem; an unreachable store throws instead. */
async function readBlob(blobs: BlobStore, sha256: string): Promise<Uint8Array | string> {
  try {
    return await blobs.get(sha256);
  } catch (error) {
    if (isBlobLost(error)) return toFuelError(error).message;
    throw error;
  }
}

interface HealOptions {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly deviceId: string;
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
    for await (const { sha256, bytes } of findInSource(generation, segments, broken)) {
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
      if (!isBlobLost(error)) throw error;
      broken.add(sha256);
    }
  }
  return broken;
}

/** Rebuilds blobs from the runs of a file that refer to them, as far as the file still exists and has the same bytes. */
async function* findInSource(
  { root, path }: GenerationRow,
  segments: readonly SegmentRow[],
  broken: ReadonlySet<string>,
): AsyncGenerator<{ readonly sha256: string; readonly bytes: Uint8Array }> {
  // The root of an uploaded file is not a folder.
  if (!isAbsolute(root)) return;
  await using source = await open(join(root, path)).catch(() => null);
  if (source === null) return;
  for (const sha256 of broken) {
    const runs = segments.filter((one) => one.sha256 === sha256).toSorted((a, b) => a.blobOffset - b.blobOffset);
    const parts: Uint8Array[] = [];
    for (const { startOffset, sizeBytes } of runs) parts.push(await readRange(source, startOffset, sizeBytes));
    const bytes = Buffer.concat(parts);
    if (sha256Hex(bytes) === sha256) yield { sha256, bytes };
  }
}

/** Finds blobs that the store refers to and the archive does not list. Does not read them; `verify` does. */
export async function findMissingBlobs({
  store,
  blobs,
}: {
  readonly store: { readonly engine: Engine };
  readonly blobs: BlobStore;
}): Promise<readonly string[]> {
  const there = new Set<string>();
  for await (const sha256 of blobs.list()) there.add(sha256);
  return (await listBlobAddresses(store.engine.kysely)).filter((sha256) => !there.has(sha256));
}
