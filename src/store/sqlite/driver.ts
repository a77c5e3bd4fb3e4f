import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { FuelError } from '../../domain/errors.ts';
import { monotonicMs } from '../../lib/timing.ts';
import type { SqlValue } from '../engine.ts';
import { explainSqlite, isDamage } from './errors.ts';

/** H14: a statement blocks the whole process; after this time other tasks run before the next one. */
const MAX_BUSY_MS = 15;

/** Kysely dialect for Node's SQLite: one connection with one user at a time. */
export function sqliteDialect(handle: SqliteHandle): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new NodeSqliteDriver(handle),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class NodeSqliteDriver implements Driver {
  readonly #connection: NodeSqliteConnection;
  readonly #handle: SqliteHandle;
  #free: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(handle: SqliteHandle) {
    this.#handle = handle;
    this.#connection = new NodeSqliteConnection(handle);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#free;
    let release = () => {};
    this.#free = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    this.#release = release;
    return this.#connection;
  }

  /** Immediate: SQLite's busy handler cannot retry a transaction that reads first and writes later. */
  async beginTransaction(_connection: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    this.#handle.use((database) => database.exec(accessMode === 'read only' ? 'BEGIN' : 'BEGIN IMMEDIATE'));
  }

  async commitTransaction(): Promise<void> {
    this.#handle.use((database) => database.exec('COMMIT'));
  }

  async rollbackTransaction(): Promise<void> {
    if (this.#handle.isTransaction) this.#handle.use((database) => database.exec('ROLLBACK'));
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  async destroy(): Promise<void> {
    this.#handle.close();
  }
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #handle: SqliteHandle;
  #busyMs = 0;

  constructor(handle: SqliteHandle) {
    this.#handle = handle;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const startedMs = monotonicMs();
    const result = this.#handle.use(() => this.#execute<R>(query));
    this.#busyMs += monotonicMs() - startedMs;
    if (this.#busyMs < MAX_BUSY_MS) return result;
    this.#busyMs = 0;
    await nextTurn();
    return result;
  }

  #execute<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const prepared = this.#handle.prepare(sql);
    const { statement } = prepared;
    const values = parameters.map(toSqlite);
    if (prepared.isReader) return { rows: toRows<R>(prepared, statement.all(...values)) };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const prepared = this.#handle.use(() => this.#handle.prepare(query.sql));
    const rows = this.#handle.use(() => prepared.statement.iterate(...query.parameters.map(toSqlite)));
    for (;;) {
      const { done, value } = this.#handle.use(() => rows.next());
      if (done === true) return;
      yield { rows: toRows<R>(prepared, [value]) };
    }
  }
}

/**
 * Rows as plain objects. The objects that node:sqlite makes itself take twice as long to create and several times as
 * long to read, because each is a table of its own without a prototype.
 */
function toRows<R>({ statement, columns }: RememberedStatement, rows: readonly unknown[]): R[] {
  const lists = rows as unknown as readonly SQLOutputValue[][];
  // A migration may have added columns since the statement was prepared.
  const names = lists[0] === undefined || lists[0].length === columns.length ? columns : namesOf(statement);
  return lists.map((values) => {
    const row: Record<string, SQLOutputValue> = {};
    for (let at = 0; at < names.length; at += 1) row[names[at] as string] = values[at] as SQLOutputValue;
    return row as R;
  });
}

function namesOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

/** node:sqlite cannot bind booleans. */
function toSqlite(value: unknown): SQLInputValue {
  if (value === true) return 1;
  if (value === false) return 0;
  return value as SQLInputValue;
}

const MAX_REMEMBERED_STATEMENTS = 400;

interface RememberedStatement {
  /** Returns rows as lists of values. */
  readonly statement: StatementSync;
  readonly isReader: boolean;
  readonly columns: readonly string[];
}

interface HandleOptions {
  readonly path: string;
  /** Files that may be replaced while they are open; none in memory or for our own copy. */
  readonly watched: readonly string[];
  readonly open: () => DatabaseSync;
  /** Explains damage that may not be in the database itself. */
  readonly explainDamage?: (error: unknown) => unknown;
}

/**
 * The connection to a database file. `fuel-code rebuild` replaces the file: open handles switch to the new one between
 * two transactions. Every error is explained.
 */
export class SqliteHandle {
  readonly #options: HandleOptions;
  readonly #statements = new Map<string, RememberedStatement>();
  #database: DatabaseSync;
  #files: string | null;

  constructor(options: HandleOptions) {
    this.#options = options;
    this.#database = options.open();
    this.#files = this.#filesNow();
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs work on the connection. Errors: store_corrupt, disk_full, busy, file_unavailable, store_unavailable. */
  use<T>(work: (database: DatabaseSync) => T): T {
    const { path, explainDamage } = this.#options;
    try {
      this.#followFiles();
      return work(this.#database);
    } catch (error) {
      throw explainSqlite(explainDamage !== undefined && isDamage(error) ? explainDamage(error) : error, path);
    }
  }

  /** Prepares a statement once per text. */
  prepare(sql: string): RememberedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= MAX_REMEMBERED_STATEMENTS) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    const columns = namesOf(statement);
    const prepared = { statement, isReader: columns.length > 0, columns };
    this.#statements.set(sql, prepared);
    return prepared;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #followFiles(): void {
    if (this.#files === null || this.#database.isTransaction) return;
    if (this.#filesNow() === this.#files) return;
    const { path, open } = this.#options;
    if (fileAt(path) === null) {
      throw new FuelError('store_unavailable', `The database ${path} was removed while it was open.`, {
        hint: 'Restore it, or run `fuel-code rebuild` to create a new one from the archive.',
      });
    }
    const fresh = open();
    this.#statements.clear();
    this.#database.close();
    this.#database = fresh;
    this.#files = this.#filesNow();
  }

  /** Null when no file can be replaced. */
  #filesNow(): string | null {
    const { watched } = this.#options;
    if (watched.length === 0) return null;
    let files = '';
    for (const path of watched) files += `${fileAt(path) ?? ''} `;
    return files;
  }
}

function fileAt(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

export function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare(`SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = ?`).get(name) !== undefined;
}

export function insertMany(
  handle: SqliteHandle,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
  onConflict = '',
): void {
  const places = columns.map(() => '?').join(', ');
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places}) ${onConflict}`;
  const { statement } = handle.prepare(insert.trimEnd());
  for (const row of rows) statement.run(...row.map(toSqlite));
}
