import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { ColumnTypes } from './migrate.ts';
import type { Database } from './rows.ts';

export type Tx = Kysely<Database>;
export type SqlValue = string | number | boolean | null;
export type TableName = Extract<keyof Database, string>;

/** A text to be found: its words come from our own tokenizer, so that both engines find the same. */
export interface SearchDocument {
  readonly id: number;
  readonly words: string;
}

/** What two transactions must not do at once: share out messages among sessions, give out numbers of documents. */
export type SharedThing = 'counting' | 'search_ids';

/** Where SQLite and PostgreSQL differ; everything else is written once, in Kysely. */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  readonly kysely: Kysely<Database>;
  readonly columnTypes: ColumnTypes;
  /** DDL of the full-text index that belongs to a migration. */
  searchSchema(version: number): readonly string[];
  hasTable(name: string): Promise<boolean>;
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
  /** Ids of documents that hold every word (a last one may be a prefix), best first. */
  findSearchWords(words: readonly string[], limit: number): Promise<readonly number[]>;
  close(): Promise<void>;
}
