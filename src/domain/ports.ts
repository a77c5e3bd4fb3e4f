import type { SummaryAnswer, SummaryRequest } from './summary.ts';
import type { JsonObject } from './transcript.ts';

/** The few interfaces with more than one implementation. */

export interface Clock {
  now(): Date;
  /** Milliseconds that never jump; only differences mean anything. */
  monotonicMs(): number;
}

export interface BlobStat {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly storedBytes: number;
}

/**
 * Content-addressed, write-once bytes. The address is the lower-case hex SHA-256 of the uncompressed content.
 * Errors: blob_corrupt, blob_missing, blob_unavailable.
 */
export interface BlobStore {
  /** Stores the bytes unless they exist. With `expectedSha256`, other bytes are rejected and nothing is stored. */
  put(bytes: Uint8Array, expectedSha256?: string): Promise<BlobStat>;
  /** The bytes, verified against their address. */
  get(sha256: string): Promise<Uint8Array>;
  has(sha256: string): Promise<boolean>;
  delete(sha256: string): Promise<void>;
  /** Every address in the store, in no particular order. */
  list(): AsyncIterable<string>;
  /** A URL that gives the stored zstd frame without further credentials; only where there is a bucket. Errors: usage. */
  presign?(sha256: string, expiresSeconds: number): Promise<string>;
  close(): Promise<void>;
}

/**
 * `keep`, `erase`, or the shorter record to write instead. Damaged lines have no record; their text still may have to
 * go.
 */
export type EraseDecision = (line: {
  readonly record: JsonObject | null;
  readonly text: string;
}) => 'keep' | 'erase' | JsonObject;

/**
 * Everything that was captured, in order, kept beside the blobs: together they allow rebuilding the store after the database
 * is lost. Errors: blob_unavailable.
 */
export interface ArchiveJournal {
  /**
   * When it settles, the records survive the end of this process; they survive a power failure only after the next `flush`.
   */
  append(...records: JsonObject[]): Promise<void>;
  flush(): Promise<void>;
  /** All records, oldest first; an incomplete last one is omitted. Damaged lines are reported and omitted as well. */
  read(onDamaged?: (place: string) => void): AsyncIterable<JsonObject>;
  /** Names this journal among those that one database may know. */
  readonly name: string;
  isEmpty(): Promise<boolean>;
  /** Sets damaged lines aside and adds the missing records. */
  repair(missing: readonly JsonObject[]): Promise<void>;
  /**
   * Removes the lines that the function selects; their text is then in no file of the journal. Interrupted at any point, it can be
   * repeated. Returns the number of lines removed.
   */
  erase(decide: EraseDecision): Promise<number>;
}

/** A model that writes summaries. Failures of the network or the service are returned, not thrown. */
export interface Summarizer {
  /** A fingerprint of address and key: failures are counted for each of them separately. */
  readonly service: string;
  readonly model: string;
  readonly maxOutputTokens: number;
  ask(request: SummaryRequest): Promise<SummaryAnswer>;
}
