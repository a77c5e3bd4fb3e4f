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
  /** Stores the bytes unless they are there already. With `expectedSha256`, other bytes are refused and nothing is stored. */
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
 * What was captured, in the order it happened, kept beside the blobs: with both, the store can be made again after the
 * database is lost. Errors: blob_unavailable.
 */
export interface ArchiveJournal {
  /** Written when it settles: the end of this process no longer harms it. A power cut may, until the next `flush`. */
  append(...records: JsonObject[]): Promise<void>;
  flush(): Promise<void>;
  /** All records, oldest first; a torn last one is left out. Lines that are damaged are reported and left out as well. */
  read(onDamaged?: (place: string) => void): AsyncIterable<JsonObject>;
  /** Names this journal among those that one database may know. */
  readonly name: string;
  isEmpty(): Promise<boolean>;
  /** Moves damaged lines aside and adds the records that are missing. */
  repair(missing: readonly JsonObject[]): Promise<void>;
  /**
   * Removes what the function wants gone; the text is then in no file of the journal. Interrupted at any point, it can be
   * repeated. Returns the number of lines removed.
   */
  erase(decide: EraseDecision): Promise<number>;
}

/** A model that writes summaries. It never throws for what the network or the service does: that is an answer, too. */
export interface Summarizer {
  /** Address and key as a fingerprint: another one is another service, whose troubles are its own. */
  readonly service: string;
  readonly model: string;
  readonly maxOutputTokens: number;
  ask(request: SummaryRequest): Promise<SummaryAnswer>;
}
