import { DatabaseSync } from 'node:sqlite';
import { Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { FuelError } from '../../domain/errors.ts';
import { monotonicMs } from '../../lib/timing.ts';
import { type Engine, queryTimeout } from '../engine.ts';
import type { ColumnTypes } from '../migrate.ts';
import type { Database } from '../rows.ts';
import { sqliteChanges } from './changes.ts';
import { hasTable, insertMany, SqliteHandle, sqliteDialect } from './driver.ts';
import { explainFile, explainSqlite, isDamage } from './errors.ts';
import { type DatabaseLocation, locateDatabase } from './location.ts';
import { openSearchWriter, type SearchFileWriter, sqliteSearch } from './search.ts';
import { attachForReading, attachSearch, removeSearchFile, settleSearch } from './search-file.ts';
import { finishSwap } from './swap.ts';

const BUSY_TIMEOUT_MS = 15_000;
const CACHE_KIB = 16 * 1024;
const SEARCH_CACHE_KIB = 16 * 1024;
/** Of new databases; larger pages mean less work per row of an import. */
const PAGE_BYTES = 8 * 1024;
/** An import writes in bursts, and every checkpoint waits for the disk. */
const CHECKPOINT_BYTES = 32 * 1024 * 1024;

const COLUMN_TYPES: ColumnTypes = {
  key: 'TEXT',
  // The word TEXT gives these columns text affinity: SQLite must not turn '2026' or '12' into numbers.
  json: 'JSON_TEXT',
  time: 'TIME_TEXT',
  bool: 'BOOLEAN',
  int: 'BIGINT',
  id: 'INTEGER PRIMARY KEY',
  keyed: () => [],
  statistics: () => [],
  dollars: (nanosColumn) => `REAL GENERATED ALWAYS AS (${nanosColumn} / 1000000000.0) VIRTUAL`,
};

/** Opens or creates the embedded database, readable by its owner only. Errors: those of SqliteHandle. */
export function openSqlite(path: string, cacheKib = CACHE_KIB): Engine {
  const location = findUsable(path);
  const handle = openHandle(path, location, cacheKib);
  const kysely = new Kysely<Database>({ dialect: sqliteDialect(handle) });
  const { searchPath } = location;
  const writer = openSearchWriter(searchPath);
  const transaction = <T>(work: (tx: Transaction<Database>) => Promise<T>) => kysely.transaction().execute(work);
  const engine: Engine = {
    name: 'sqlite',
    kysely,
    columnTypes: COLUMN_TYPES,
    hasTable: async (name) => handle.use((database) => hasTable(database, name)),
    // The file is ours alone.
    listTables: async () => [],
    isReadOnly: location.isReadOnly,
    // The WAL then restarts in the space it already has.
    makeRoom: async () => void handle.use((database) => database.prepare('PRAGMA main.wal_checkpoint(RESTART)').get()),
    // Plans do not depend on statistics: queries name their order, and indexes are unambiguous.
    refreshStatistics: async () => {},
    scrub: () => scrub(kysely, writer),
    findDamage: async (depth) => findDamage(handle, depth),
    settleSearch: async () => {
      if (!location.isReadOnly) handle.use((database) => settleSearch(database, searchPath));
    },
    mendSearch: async () => mendSearch(location),
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
    within: (maxMs, read) => read({ ...engine, inTime: sql`in_time(${monotonicMs() + maxMs})` }),
    inTime: sql`TRUE`,
    ...sqliteSearch(writer),
    ...sqliteChanges(handle),
    close: async () => {
      await kysely.destroy();
      // Kysely closes only connections it has used.
      handle.close();
      // Last: the last connection for writing moves the log of the index into its file.
      await writer.close();
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

function openHandle(path: string, location: DatabaseLocation, cacheKib: number): SqliteHandle {
  try {
    return new SqliteHandle({
      path,
      watched: location.isFixed ? [] : [path, location.searchPath],
      open: () => openDatabase(location, cacheKib),
      explainDamage: (error) => (isSearchDamaged(location) ? damagedIndex(location, error) : error),
    });
  } catch (error) {
    location.remove();
    throw explainSqlite(error, path);
  }
}

function openDatabase(
  { location, isReadOnly, searchPath, searchToRead }: DatabaseLocation,
  cacheKib: number,
): DatabaseSync {
  const database = new DatabaseSync(location, { readOnly: isReadOnly });
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Detects damaged pages when they are read, before their content is used.
  database.exec('PRAGMA cell_size_check = ON');
  if (!isReadOnly) {
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = NORMAL');
    const pageBytes = Number(database.prepare('PRAGMA page_size').get()?.page_size ?? PAGE_BYTES);
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_BYTES / pageBytes}`);
    database.exec('PRAGMA foreign_keys = ON');
  }
  database.exec(`PRAGMA cache_size = -${cacheKib}`);
  database.exec('PRAGMA temp_store = MEMORY');
  if (isReadOnly) attachForReading(database, searchToRead);
  else attachSearch(database, searchPath);
  database.exec(`PRAGMA search.cache_size = -${Math.min(cacheKib, SEARCH_CACHE_KIB)}`);
  database.function('in_time', { directOnly: true }, (deadlineMs) => {
    if (monotonicMs() > Number(deadlineMs)) throw queryTimeout();
    return 1;
  });
  return database;
}

/**
 * The index keeps removed words until it is merged, and a file keeps freed pages until it is rewritten. Documents of
 * sessions that are gone are left over when a process ended between the two files.
 */
async function scrub(kysely: Kysely<Database>, writer: SearchFileWriter): Promise<boolean> {
  await removeLeftovers(kysely, writer);
  const isIndexClean = await rewrite(writer.kysely(), sql`INSERT INTO search_index (search_index) VALUES ('optimize')`);
  return (await rewrite(kysely, sql`SELECT 1`)) && isIndexClean;
}

async function removeLeftovers(kysely: Kysely<Database>, writer: SearchFileWriter): Promise<void> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM search_documents
    WHERE session_id NOT IN (SELECT id FROM sessions)`.execute(kysely);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  await writer.write(null, async ({ tx, removeWords }) => {
    await removeWords(ids);
    for (const id of ids) await tx.deleteFrom('search_documents').where('id', '=', id).execute();
  });
}

async function rewrite(kysely: Kysely<Database>, first: RawBuilder<unknown>): Promise<boolean> {
  return kysely.connection().execute(async (connection) => {
    await first.execute(connection);
    // In memory, a copy of the whole database would not fit.
    await sql`PRAGMA temp_store = FILE`.execute(connection);
    try {
      await sql`VACUUM main`.execute(connection);
    } finally {
      await sql`PRAGMA temp_store = MEMORY`.execute(connection);
    }
    const { rows } = await sql<{ busy: number }>`PRAGMA main.wal_checkpoint(TRUNCATE)`.execute(connection);
    return rows[0]?.busy === 0;
  });
}

const MAX_FINDINGS = 20;

/** A page that is too damaged to be checked is a problem too. */
function findDamage(handle: SqliteHandle, depth: 'quick' | 'full'): readonly string[] {
  const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check';
  try {
    const rows = handle.use((database) => database.prepare(`PRAGMA main.${pragma}(${MAX_FINDINGS})`).all());
    return rows.map((row) => String(row[pragma])).filter((line) => line !== 'ok');
  } catch (error) {
    if (error instanceof FuelError && error.code === 'store_corrupt') return [error.message];
    throw error;
  }
}

/** Reads the whole index. */
function isSearchDamaged({ searchPath, isReadOnly, searchToRead }: DatabaseLocation): boolean {
  const location = isReadOnly ? searchToRead : searchPath;
  if (location === null) return false;
  try {
    using file = new DatabaseSync(location, { readOnly: true });
    return file.prepare('PRAGMA quick_check(1)').all()[0]?.quick_check !== 'ok';
  } catch (error) {
    return isDamage(error);
  }
}

/** All of it follows from the rows: the next use of the database creates a new one. */
function damagedIndex({ searchPath, isReadOnly }: DatabaseLocation, cause: unknown): FuelError {
  if (!isReadOnly) removeSearchFile(searchPath);
  return new FuelError('busy', `The search index ${searchPath} was damaged.`, {
    hint: isReadOnly
      ? 'It is built again as soon as the data folder is writable.'
      : 'It is being built again in the background, or by `fuel-code backfill`. Until then, searches find only part of the sessions.',
    cause,
  });
}

function mendSearch(location: DatabaseLocation): boolean {
  if (!isSearchDamaged(location)) return false;
  if (!location.isReadOnly) removeSearchFile(location.searchPath);
  return true;
}
