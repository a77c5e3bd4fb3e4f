import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql, type Transaction } from 'kysely';
import { FuelError } from '../../domain/errors.ts';
import { type Engine, queryTimeout, type SqlValue } from '../engine.ts';
import type { ColumnTypes } from '../migrate.ts';
import type { Database } from '../rows.ts';
import { sqliteChanges } from './changes.ts';
import { sqliteDialect, SqliteHandle, toSqlite } from './driver.ts';
import { explainFile, explainSqlite } from './errors.ts';
import { locateDatabase, type DatabaseLocation } from './location.ts';
import { sqliteSearch } from './search.ts';
import { finishSwap } from './swap.ts';

const BUSY_TIMEOUT_MS = 15_000;
const CACHE_KIB = 32 * 1024;
/** 32 MB: an import writes in bursts, and every checkpoint waits for the disk. */
const CHECKPOINT_PAGES = 8_192;

const COLUMN_TYPES: ColumnTypes = {
  key: 'TEXT',
  // The word TEXT gives these columns text affinity: SQLite must not turn '2026' or '12' into numbers.
  json: 'JSON_TEXT',
  time: 'TIME_TEXT',
  bool: 'BOOLEAN',
  int: 'BIGINT',
  id: 'INTEGER PRIMARY KEY',
  keyed: () => [],
  dollars: (nanosColumn) => `REAL GENERATED ALWAYS AS (${nanosColumn} / 1000000000.0) VIRTUAL`,
};

/** Opens or creates the embedded database, readable by its owner only. Errors: those of SqliteHandle. */
export function openSqlite(path: string): Engine {
  const location = findUsable(path);
  const handle = openHandle(path, location);
  const kysely = new Kysely<Database>({ dialect: sqliteDialect(handle) });
  const transaction = <T>(work: (tx: Transaction<Database>) => Promise<T>) => kysely.transaction().execute(work);
  const engine: Engine = {
    name: 'sqlite',
    kysely,
    columnTypes: COLUMN_TYPES,
    hasTable: async (name) => handle.use((database) => hasTable(database, name)),
    isReadOnly: location.isReadOnly,
    // The WAL then restarts in the space it already has.
    makeRoom: async () => void handle.use((database) => database.prepare('PRAGMA wal_checkpoint(RESTART)').get()),
    scrub: () => scrub(kysely),
    findDamage: async (depth) => findDamage(handle, depth),
    transaction,
    snapshot: (work) => kysely.transaction().setAccessMode('read only').execute(work),
    exclusively: transaction,
    // A write transaction is exclusive from its start.
    oneAtATime: async () => {},
    nowMs: sql<number>`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
    // There is one writer at a time, so no row can be locked by another.
    skipLocked: sql``,
    insertMany: async (_tx, table, columns, rows, onConflict) =>
      handle.use(() => insertMany(handle, table, columns, rows, onConflict)),
    jsonBytes: (column) => sql<number | null>`octet_length(${column})`,
    lower: (text) => sql<string>`lower(${text})`,
    listItems: (list) => sql`json_each(${list}) AS item`,
    // SQLite has no timeout: the rows a statement may read are limited, and long scans check our clock.
    stopsReads: false,
    within: (maxMs, read) => read({ ...engine, inTime: sql`in_time(${performance.now() + maxMs})` }),
    inTime: sql`TRUE`,
    ...sqliteSearch(handle),
    ...sqliteChanges(handle),
    close: async () => {
      await kysely.destroy();
      // Kysely closes only connections it has used.
      handle.close();
      location.remove();
    },
  };
  return engine;
}

/** File system errors here are about the database. */
function findUsable(path: string): DatabaseLocation {
  try {
    if (path !== ':memory:') finishSwap(path);
    return locateDatabase(path);
  } catch (error) {
    throw explainFile(error, path);
  }
}

function openHandle(path: string, location: DatabaseLocation): SqliteHandle {
  try {
    return new SqliteHandle(path, location.isFixed ? null : path, () => openDatabase(location));
  } catch (error) {
    location.remove();
    throw explainSqlite(error, path);
  }
}

function openDatabase({ location, isReadOnly }: DatabaseLocation): DatabaseSync {
  const database = new DatabaseSync(location, { readOnly: isReadOnly });
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Detects damaged pages when they are read, before their content is used.
  database.exec('PRAGMA cell_size_check = ON');
  if (!isReadOnly) {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = NORMAL');
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.exec('PRAGMA foreign_keys = ON');
  }
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  database.exec('PRAGMA temp_store = MEMORY');
  database.function('in_time', { directOnly: true }, (deadlineMs) => {
    if (performance.now() > Number(deadlineMs)) throw queryTimeout();
    return 1;
  });
  return database;
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(name) !== undefined;
}

/** The index keeps removed words until it is merged, and the file keeps freed pages until it is rewritten. */
async function scrub(kysely: Kysely<Database>): Promise<boolean> {
  return kysely.connection().execute(async (connection) => {
    await sql`INSERT INTO search_index (search_index) VALUES ('optimize')`.execute(connection);
    // In memory, a copy of the whole database would not fit.
    await sql`PRAGMA temp_store = FILE`.execute(connection);
    try {
      await sql`VACUUM`.execute(connection);
    } finally {
      await sql`PRAGMA temp_store = MEMORY`.execute(connection);
    }
    const { rows } = await sql<{ busy: number }>`PRAGMA wal_checkpoint(TRUNCATE)`.execute(connection);
    return rows[0]?.busy === 0;
  });
}

const MAX_FINDINGS = 20;

/** A page that is too damaged to be checked is a problem too. */
function findDamage(handle: SqliteHandle, depth: 'quick' | 'full'): readonly string[] {
  const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check';
  try {
    const rows = handle.use((database) => database.prepare(`PRAGMA ${pragma}(${MAX_FINDINGS})`).all());
    return rows.map((row) => String(row[pragma])).filter((line) => line !== 'ok');
  } catch (error) {
    if (error instanceof FuelError && error.code === 'store_corrupt') return [error.message];
    throw error;
  }
}

function insertMany(
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
