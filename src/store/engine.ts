import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { ColumnTypes } from './migrate.ts';
import type { Database } from './rows.ts';

export type Tx = Kysely<Database>;
export type SqlValue = string | number | boolean | null;
export type TableName = Extract<keyof Database, string>;

/**
 * A text to be found. Its words are separated by whatever is ASCII but neither letter nor digit, and the case of ASCII
 * letters does not matter; both engines are made to read them just so. `parts` are those of names in camelCase.
 */
export interface SearchDocument {
  readonly id: number;
  readonly words: string;
  readonly parts: string;
}

/** What the full-text index can be asked: words side by side, and combinations of such. */
export type WordQuery =
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly isPrefix: boolean }
  | { readonly kind: 'any'; readonly queries: readonly WordQuery[] }
  /** All of the one, none of the other. */
  | { readonly kind: 'all'; readonly queries: readonly WordQuery[]; readonly without: readonly WordQuery[] };

/** Document ids from `from` on, below `below`. */
export interface IdRange {
  readonly from: number;
  readonly below: number;
}

/** Columns of a session whose change somebody may see; who works on it, and how often it was tried, is none of them. */
export const SHOWN_COLUMNS =
  'lifecycle, parse_status, revision, indexed_revision, workspace_id, title, summary, tags, cost_nanos, end_reason, updated_at';

/** Ends with `close`. */
export interface ChangeWatch {
  close(): Promise<void>;
}

/** What two transactions must not do at once: share out messages or commits among sessions, give out numbers of documents. */
export type SharedThing = 'counting' | 'search_ids' | 'git';

/** Where SQLite and PostgreSQL differ; everything else is written once, in Kysely. */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  readonly kysely: Kysely<Database>;
  readonly columnTypes: ColumnTypes;
  /** DDL of the full-text index that belongs to a migration. */
  searchSchema(version: number): readonly string[];
  /** DDL by which the engine notes changes of sessions, as far as it belongs to a migration. */
  changeSchema(version: number): readonly string[];
  /** Calls back soon after another process, or this one, changed a session; told once too often rather than not at all. */
  onChange(listener: () => void): ChangeWatch;
  /** Text in lower case, A to Z only: the same on every engine, whatever its locale. */
  lower(text: RawBuilder<unknown>): RawBuilder<string>;
  hasTable(name: string): Promise<boolean>;
  /** The data folder cannot be written: everything can be read, nothing changed. */
  readonly isReadOnly: boolean;
  /** After a write failed on a full disk: frees what the engine holds without needing it, so that a small write may succeed. */
  makeRoom(): Promise<void>;
  /** What the engine itself finds wrong with its files, in its words: `quick` reads every page, `full` every index too. */
  findDamage(depth: 'quick' | 'full'): Promise<readonly string[]>;
  /** A write transaction; retried when the engine says that another one got in the way. */
  transaction<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /** Several questions about one moment: what others write meanwhile is not seen. */
  snapshot<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /** Until this transaction ends, no other one of any process is past this line. */
  oneAtATime(tx: Tx, what: SharedThing): Promise<void>;
  /** A transaction that no other process of ours runs at the same time: for migrations. */
  exclusively<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /** Milliseconds since 1970 by the database's clock. */
  readonly nowMs: RawBuilder<number>;
  /** At the end of a subselect that claims a row: rows that another transaction holds are passed by. */
  readonly skipLocked: RawBuilder<unknown>;
  /** Inserts all rows; every row has a value for every column, in order. */
  insertMany(
    tx: Tx,
    table: TableName,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void>;
  addSearchWords(tx: Tx, documents: readonly SearchDocument[]): Promise<void>;
  removeSearchWords(tx: Tx, ids: readonly number[]): Promise<void>;
  /**
   * A query for the `id` of the documents that may fit: all that do, and of phrases perhaps some that do not.
   */
  searchIds(query: WordQuery, range: IdRange): RawBuilder<{ id: number }>;
  /** Whether a text fits a pattern of LIKE in lower case; a backslash takes the meaning of `%` and `_`. */
  contains(text: RawBuilder<unknown>, pattern: string): RawBuilder<boolean>;
  /** The text of the block `b`, as `hasTextIndex` speaks of it. */
  readonly blockText: RawBuilder<unknown>;
  /** Whether an index knows which blocks contain a piece of text. */
  hasTextIndex(): Promise<boolean>;
  /** H14: whether the engine itself ends a read that takes too long. */
  readonly stopsReads: boolean;
  /** Reads with a time of their own: PostgreSQL stops each statement then, SQLite one that asks `inTime`. Errors: timeout. */
  within<T>(maxMs: number, read: (limited: Engine) => Promise<T>): Promise<T>;
  /** True for every row that is looked at in time: the way to stop an engine that has no clock. */
  readonly inTime: RawBuilder<boolean>;
  close(): Promise<void>;
}
