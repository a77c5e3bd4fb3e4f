import type { SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type TransactionSettings,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqliteHandle } from './handle.ts';

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
    const startedMs = performance.now();
    const result = this.#handle.use(() => this.#execute<R>(query));
    this.#busyMs += performance.now() - startedMs;
    if (this.#busyMs < MAX_BUSY_MS) return result;
    this.#busyMs = 0;
    await nextTurn();
    return result;
  }

  #execute<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const { statement, isReader } = this.#handle.prepare(sql);
    const values = parameters.map(toSqlite);
    if (isReader) return { rows: statement.all(...values) as R[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const rows = this.#handle.use(() =>
      this.#handle.prepare(query.sql).statement.iterate(...query.parameters.map(toSqlite)),
    );
    for (;;) {
      const { done, value } = this.#handle.use(() => rows.next());
      if (done === true) return;
      yield { rows: [value as R] };
    }
  }
}

/** node:sqlite cannot bind booleans. */
export function toSqlite(value: unknown): SQLInputValue {
  if (value === true) return 1;
  if (value === false) return 0;
  return value as SQLInputValue;
}
