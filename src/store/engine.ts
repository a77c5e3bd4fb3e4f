import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { FuelError } from '../domain/errors.ts';
import type { StoreLocation } from './location.ts';
import type { ColumnTypes } from './migrate.ts';
import type { Database } from './rows.ts';

export type Tx = Kysely<Database>;
export type SqlValue = string | number | boolean | null;
export type TableName = Extract<keyof Database, string>;

/**
 * A text to index. Words are separated by any ASCII character that is neither letter nor digit, and ASCII letters are
 * case-insensitive; both engines are set up to split exactly this way. `parts` are the parts of camelCase names, each
 * name with a `NAME_END` after it.
 */
export interface SearchDocument {
  readonly id: number;
  readonly words: string;
  readonly parts: string;
}

/** How far an index outside of the database has been written. */
export interface SearchState {
  readonly id: string;
  readonly seq: number;
}

export interface Written<T> {
  readonly result: T;
  /** Null when the index is part of the database. */
  readonly written: SearchState | null;
}

/** A transaction on the full-text index. */
export interface SearchWriter {
  /** Sees the table `search_documents`. */
  readonly tx: Tx;
  insertDocuments(columns: readonly string[], rows: readonly (readonly SqlValue[])[]): Promise<void>;
  addWords(documents: readonly SearchDocument[]): Promise<void>;
  removeWords(ids: readonly number[]): Promise<void>;
}

/** The queries a full-text index supports: adjacent words and combinations of them. */
export type WordQuery =
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly isPrefix: boolean }
  | { readonly kind: 'any'; readonly queries: readonly WordQuery[] }
  /** Matches all of `queries` and none of `without`. */
  | { readonly kind: 'all'; readonly queries: readonly WordQuery[]; readonly without: readonly WordQuery[] };

/** Document ids from `from` (inclusive) to `below` (exclusive). */
export interface IdRange {
  readonly from: number;
  readonly below: number;
}

/** Session columns whose changes are visible to users; claims and attempt counts are not among them. */
export const SHOWN_COLUMNS =
  'lifecycle, parse_status, revision, indexed_revision, workspace_id, title, summary, tags, cost_nanos, end_reason, updated_at';

const HAS_STOPPED = "OLD.lifecycle IN ('detected', 'capturing') AND NEW.lifecycle NOT IN ('detected', 'capturing')";

/** In the triggers of these migrations: the update ended a running session, or added bytes to one that is not running. */
export const HAS_ENDED = {
  39: HAS_STOPPED,
  44: `(${HAS_STOPPED}) OR (NEW.lifecycle = 'ended' AND NEW.captured_version > OLD.captured_version)`,
} as const;

/** Runs until `close`. */
export interface ChangeWatch {
  close(): Promise<void>;
}

/**
 * Operations that two transactions must not do at once: distribute messages or commits among sessions, allocate
 * document ids.
 */
export type ExclusiveTask = 'counting' | 'search_ids' | 'git';

/** The differences between SQLite and PostgreSQL; everything else is written once, in Kysely. */
export interface Engine {
  readonly name: StoreLocation['engine'];
  readonly kysely: Kysely<Database>;
  readonly columnTypes: ColumnTypes;
  /** DDL for the full-text index in a given migration. */
  searchSchema(version: number): readonly string[];
  /** DDL for the triggers that record session changes in a given migration. */
  changeSchema(version: number): readonly string[];
  /** Calls back soon after any process changed a session; may call once too often but never misses a change. */
  onChange(listener: () => void): ChangeWatch;
  /** Lower-cases A to Z only: the same on every engine and in every locale. */
  lower(text: RawBuilder<unknown>): RawBuilder<string>;
  /** The items of a JSON list of texts, as a table `item` with a column `value`. */
  listItems(list: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Stored size of a JSON column, without reading it where the engine can avoid that; null for null. */
  jsonBytes(column: RawBuilder<unknown>): RawBuilder<number | null>;
  hasTable(name: string): Promise<boolean>;
  /** All tables, without those of extensions, if other programs may have some in the database; otherwise none. */
  listTables(tx: Tx): Promise<readonly string[]>;
  /** True when the data folder is not writable: everything can be read, nothing changed. */
  readonly isReadOnly: boolean;
  /**
   * Called after a write failed on a full disk: frees space the engine does not need, so that a small write may
   * succeed.
   */
  makeRoom(): Promise<void>;
  /**
   * Removes deleted rows and words from the engine's files as well. False when a reader held on to them and it must be
   * repeated. PostgreSQL does this itself, see docs/delete.md.
   */
  scrub(): Promise<boolean>;
  /** Problems the engine finds in its own files, in its own words: `quick` reads every page, `full` every index too. */
  findDamage(depth: 'quick' | 'full'): Promise<readonly string[]>;
  /** Called after many rows were written: updates the planner's statistics on engines that do not do so soon enough. */
  refreshStatistics(): Promise<void>;
  /** Runs a write transaction; retries when it conflicts with another one. */
  transaction<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /** Runs several queries on one consistent snapshot. */
  snapshot<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /** Waits until no other transaction of any process is past this point, and excludes them until this one ends. */
  oneAtATime(tx: Tx, what: ExclusiveTask): Promise<void>;
  /** Runs a transaction that excludes all our other processes: for migrations. */
  exclusively<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /** Milliseconds since 1970 by the database's clock. */
  readonly nowMs: RawBuilder<number>;
  /** Appended to a subselect that claims a row: skips rows locked by another transaction. */
  readonly skipLocked: RawBuilder<unknown>;
  /** Inserts all rows; each has a value for every column, in order. `onConflict` is an ON CONFLICT clause. */
  insertMany(
    tx: Tx,
    table: TableName,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    onConflict?: string,
  ): Promise<void>;
  /** True when the full-text index is in a file of its own, which can be written while the database is only read. */
  readonly hasSearchFile: boolean;
  /**
   * Changes the full-text index. SQLite has it in a file of its own: the change is durable when this returns, even if
   * `tx` fails, and must not use the database itself. PostgreSQL does it in `tx`, or in a transaction of its own.
   */
  writeSearch<T>(tx: Tx | null, work: (writer: SearchWriter) => Promise<T>): Promise<Written<T>>;
  /** Called before `tx` records that something is indexed. Errors: busy when the index was replaced since. */
  relyOnSearch(tx: Tx, written: SearchState | null): Promise<void>;
  /** Called after a migration: ensures that the index belongs to this database. */
  settleSearch(): Promise<void>;
  /** Looks for damage in an index outside of the database. True if it was replaced; every session is then due again. */
  mendSearch(): Promise<boolean>;
  /**
   * A query for the `id` of matching documents. Phrases may give false positives, never false negatives. `is_sure` means
   * that it is none, provided that this version indexed the document.
   */
  searchIds(query: WordQuery, range: IdRange): RawBuilder<{ id: number; is_sure: boolean }>;
  /** True when the index has no positions of words, so that it checks a phrase in every document with its words. */
  readonly checksPhrases: boolean;
  /** Matches a text against a lower-case LIKE pattern; a backslash escapes `%` and `_`. */
  contains(text: RawBuilder<unknown>, pattern: string): RawBuilder<boolean>;
  /** The text of block `b`, as covered by `hasTextIndex`. */
  readonly blockText: RawBuilder<unknown>;
  /** True when the engine can have a substring index over the block texts. */
  readonly supportsTextIndex: boolean;
  /** Returns true when that index exists. */
  hasTextIndex(): Promise<boolean>;
  /** Called before a first import: drops that index and the one of words while there are no texts. They are built afterwards. */
  postponeTextIndexes(): Promise<void>;
  /** Builds that index if it is missing. Ends without it, and without an error, when aborted. */
  buildTextIndex(signal: AbortSignal): Promise<void>;
  /** The same for the index of words, when all texts are indexed. */
  buildWordIndex(signal: AbortSignal): Promise<void>;
  /** H14: true when the engine itself cancels slow reads. */
  readonly stopsReads: boolean;
  /**
   * Runs reads under a time limit: PostgreSQL cancels each statement, SQLite those that use `inTime`. Errors: timeout.
   */
  within<T>(maxMs: number, read: (limited: Engine) => Promise<T>): Promise<T>;
  /** True for every row read within the time limit; the way to stop an engine that has no timeout. */
  readonly inTime: RawBuilder<boolean>;
  close(): Promise<void>;
}

/** The engine within a transaction: everything it does belongs to that transaction. */
export function insideOf(engine: Engine, tx: Transaction<Database>): Engine {
  return {
    ...engine,
    kysely: tx,
    transaction: (work) => work(tx),
    snapshot: (work) => work(tx),
    writeSearch: (own, work) => engine.writeSearch(own ?? tx, work),
  };
}

/** H14: the error for a query that was stopped. */
export function queryTimeout(cause?: unknown): FuelError {
  return new FuelError('timeout', 'The query took too long and was canceled.', {
    hint: 'Narrow it down with a rarer word or a shorter period such as `after:30d`. On a busy server, try again later.',
    ...(cause === undefined ? {} : { cause }),
  });
}
