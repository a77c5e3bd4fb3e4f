import { workerData } from 'node:worker_threads';
import { type GenerationKey, generationKey, type HeldBytes, readSegments } from '../archive/archive-bytes.ts';
import { createStorer } from '../archive/archive-together.ts';
import type { ChangedFile } from '../archive/find-changes.ts';
import type { DeviceIdentity } from '../capture/device.ts';
import type { Config } from '../config.ts';
import { FuelError } from '../domain/errors.ts';
import { holdFolder } from '../lib/data-folder.ts';
import { answerRequests, type PackedError, packError } from '../lib/thread.ts';
import { type BuildInput, type BuiltSession, buildSession } from '../pipeline/build-session.ts';
import type { Capture, SegmentRow } from '../store/queries/archive/archive.ts';
import type { PriceBook } from '../transcript/price/book.ts';
import { priceUsage } from '../transcript/price/price-usage.ts';
import { openMasking } from './masking.ts';
import { openBlobs } from './open-archive.ts';

/**
 * A thread for large runs: reads new files and stores their bytes as blobs, and turns the same bytes, or archived ones, into
 * rows. It does not use the database.
 */
export interface ImportThreadData {
  readonly config: Config;
  /** The data folder that was opened. */
  readonly folderId: string;
  readonly device: DeviceIdentity;
  readonly book: PriceBook;
  /** Files stored in parallel. */
  readonly concurrency: number;
}

/** The result for each file, in order. */
export type StoredFiles = readonly ({ readonly capture: Capture | null; readonly bytes: number } | PackedError)[];

export interface ImportThreadAnswers {
  readonly [name: string]: (question: never) => unknown;
  /** Stores files and keeps their bytes until they are forgotten. */
  store(question: { readonly batch: number; readonly changes: readonly ChangedFile[] }): Promise<StoredFiles>;
  /**
   * Builds a session from the bytes of a batch, once, and from segments in the archive; one at a time, in the order of
   * the requests.
   */
  build(question: {
    readonly batch: number;
    readonly input: BuildInput;
    /** By generation, of files whose bytes the thread does not have. */
    readonly segments: ReadonlyMap<string, readonly SegmentRow[]>;
  }): Promise<BuiltSession>;
  forget(question: { readonly batch: number }): Promise<void>;
}

const { config, folderId, device, book, concurrency } = workerData as ImportThreadData;
const blobs = openBlobs(config, holdFolder(config.home, folderId), { compressesHere: true });
const price: typeof priceUsage = (model, usage, at) => priceUsage(model, usage, at, book);
const { open: openMask } = openMasking(config);
const never = new AbortController().signal;
const batches = new Map<number, HeldBytes>();
const WHOLE = { from: 0, to: Number.POSITIVE_INFINITY };
let building: Promise<unknown> = Promise.resolve();

answerRequests({
  store: async ({ batch, changes }) => {
    const storer = createStorer({ blobs: await blobs, device, concurrency, signal: never });
    batches.set(batch, storer.held);
    const results: StoredFiles[number][] = [];
    await storer.store(changes.map(withPath), (result) => {
      results.push('error' in result ? packError(result.error) : { capture: result.capture, bytes: result.bytes });
    });
    return results;
  },
  build: ({ batch, input, segments }) => {
    const fetched = fetchTranscripts(input, segments);
    // Its error is reported when the session is built.
    fetched.catch(() => {});
    const read = async function* (file: GenerationKey) {
      const key = generationKey(file);
      const stored = segments.get(key);
      const runs =
        stored === undefined
          ? batches.get(batch)?.of(file)
          : ((await fetched).get(key) ?? readSegments(await blobs, stored, WHOLE));
      if (runs === undefined) throw new FuelError('internal', `The thread does not have the bytes of ${file.id}.`);
      yield* runs;
    };
    const built = building.then(() => buildSession({ price, read, checkpoint: () => {}, openMask }, input));
    building = built.catch(() => {}).then(() => input.fetched.all.forEach((file) => batches.get(batch)?.drop(file)));
    return built;
  },
  forget: async ({ batch }) => void batches.delete(batch),
} satisfies ImportThreadAnswers);

/** Reads the transcripts of a session from a bucket while earlier ones are built. A disk is read when needed: less memory. */
async function fetchTranscripts(
  { fetched }: BuildInput,
  segments: ReadonlyMap<string, readonly SegmentRow[]>,
): Promise<ReadonlyMap<string, readonly Uint8Array[]>> {
  const bytes = new Map<string, readonly Uint8Array[]>();
  if (config.s3Bucket === null) return bytes;
  for (const file of fetched.transcripts) {
    const stored = segments.get(generationKey(file));
    if (stored === undefined) continue;
    bytes.set(generationKey(file), await Array.fromAsync(readSegments(await blobs, stored, WHOLE)));
  }
  return bytes;
}

/** A copied buffer is a plain array of bytes. */
function withPath(change: ChangedFile): ChangedFile {
  const { absolutePath } = change.file;
  if (typeof absolutePath === 'string') return change;
  return { ...change, file: { ...change.file, absolutePath: Buffer.from(absolutePath) } };
}
