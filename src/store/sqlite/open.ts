import { chmodSync, closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Kysely, sql, type Transaction } from 'kysely';
import { FuelError } from '../../domain/errors.ts';
import { makeFolder } from '../../lib/private-file.ts';
import type { Engine, SqlValue } from '../engine.ts';
import type { ColumnTypes } from '../migrate.ts';
import type { Database } from '../rows.ts';
import { slowQuestion } from '../slow-question.ts';
import { sqliteChanges } from './changes.ts';
import { rememberStatements, sqliteDialect, toSqlite } from './driver.ts';
import { sqliteSearch } from './search.ts';

const BUSY_TIMEOUT_MS = 15_000;
const CACHE_KIB = 32 * 1024;
/** 32 MB: an import writes in bursts, and every checkpoint waits for the disk. */
const CHECKPOINT_PAGES = 8_192;

const COLUMN_TYPES: ColumnTypes = {
  key: 'TEXT',
  // The word TEXT gives these text affinity: SQLite must not turn '2026' or '12' into numbers.
  json: 'JSON_TEXT',
  time: 'TIME_TEXT',
  bool: 'BOOLEAN',
  int: 'BIGINT',
  id: 'INTEGER PRIMARY KEY',
  dollars: (nanosColumn) => `REAL GENERATED ALWAYS AS (${nanosColumn} / 1000000000.0) VIRTUAL`,
};

/** Opens or creates the embedded database, readable by its owner only. */
export function openSqlite(path: string): Engine {
  const database = openDatabase(path);
  const kysely = new Kysely<Database>({ dialect: sqliteDialect(database) });
  // The tables and columns of bulk inserts are few and always the same.
  const prepare = rememberStatements(database);
  const transaction = <T>(work: (tx: Transaction<Database>) => Promise<T>) => kysely.transaction().execute(work);
  const engine: Engine = {
    name: 'sqlite',
    kysely,
    columnTypes: COLUMN_TYPES,
    hasTable: async (name) =>
      database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(name) !== undefined,
    transaction,
    snapshot: (work) => kysely.transaction().setAccessMode('read only').execute(work),
    exclusively: transaction,
    // A write transaction is alone from its beginning.
    oneAtATime: async () => {},
    nowMs: sql<number>`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
    // One writer at a time: nobody else can hold a row.
    skipLocked: sql``,
    insertMany: async (_tx, table, columns, rows) => insertMany(prepare, table, columns, rows),
    lower: (text) => sql<string>`lower(${text})`,
    // It has no clock to stop by: what a statement may look at is limited, and a look at many rows asks us.
    stopsReads: false,
    within: (maxMs, read) => read({ ...engine, inTime: sql`in_time(${performance.now() + maxMs})` }),
    inTime: sql`TRUE`,
    ...sqliteSearch(prepare),
    ...sqliteChanges(database),
    close: () => kysely.destroy(),
  };
  return engine;
}

function openDatabase(path: string): DatabaseSync {
  try {
    if (path !== ':memory:') makePrivate(path);
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = NORMAL');
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.exec('PRAGMA foreign_keys = ON');
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    database.exec('PRAGMA temp_store = MEMORY');
    database.function('in_time', { directOnly: true }, (deadlineMs) => {
      if (performance.now() > Number(deadlineMs)) throw slowQuestion();
      return 1;
    });
    return database;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FuelError('store_unavailable', `The database ${path} cannot be opened: ${why}.`, {
      hint: 'Check that the data folder is writable and its disk not full; `fuel-code doctor` tells more.',
      cause,
    });
  }
}

function makePrivate(path: string): void {
  makeFolder(dirname(path), 0o700);
  closeSync(openSync(path, 'a', 0o600));
  // SQLite gives its -wal and -shm files the mode of the database file.
  chmodSync(path, 0o600);
}

function insertMany(
  prepare: (sql: string) => StatementSync,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): void {
  const places = columns.map(() => '?').join(', ');
  const statement = prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
  for (const row of rows) statement.run(...row.map(toSqlite));
}
