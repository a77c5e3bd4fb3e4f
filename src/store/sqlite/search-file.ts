import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { errnoOf } from '../../domain/errors.ts';
import { hasTable } from './driver.ts';
import { isDamage } from './errors.ts';

/**
 * The full text is in a separate file beside the database, with its own writer, so that it can be written while rows are.
 * The two files are not atomic together: changes of the index are durable before the database records them, and each file
 * names the other. An index that is missing, damaged, older than the database or of another database is replaced by an empty
 * one, and every session is due again, because the index can be rebuilt from the rows.
 */

/** Raised when tables or words change: older files are replaced. */
const FORMAT = 2;

/** `seq` counts the transactions; the database remembers the last one it relies on. */
const TABLES = `
  CREATE TABLE search_file (id TEXT NOT NULL, format INTEGER NOT NULL, seq INTEGER NOT NULL);
  CREATE TABLE search_documents (
    id          INTEGER PRIMARY KEY,
    session_id  TEXT NOT NULL,
    message_id  TEXT NOT NULL,
    block_order BIGINT NOT NULL,
    part        BIGINT NOT NULL,
    kind        TEXT NOT NULL,
    chars       BIGINT NOT NULL,
    call_id     TEXT
  );
  CREATE INDEX search_documents_by_session ON search_documents (session_id, message_id, block_order);
  CREATE VIRTUAL TABLE search_index USING fts5(words, parts, content='', contentless_delete=1, detail='full',
    tokenize='ascii');`;

/** Measured: with FTS5's default of 4, an import merges each word more often and takes a third longer; searches do not. */
const SEGMENTS_TO_MERGE = 16;

const BUSY_TIMEOUT_MS = 15_000;
const CHECKPOINT_PAGES = 8_192;
const CACHE_KIB = 4 * 1024;

/** `fuel.db` has `search.db`, and `fuel.db.rebuild` has `search.db.rebuild`. */
export function searchPathOf(path: string): string {
  const name = basename(path);
  return join(dirname(path), name.startsWith('fuel.') ? `search.${name.slice(5)}` : `search-${name}`);
}

/** A database in memory has its index in a temporary folder. */
export function temporarySearchPath(): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-search-'));
  return { path: join(folder, 'search.db'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Opens the index for writing. */
export function openSearchFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.exec('PRAGMA cell_size_check = ON');
  database.exec('PRAGMA journal_mode = WAL');
  // The database says that a session is indexed only after that is durable.
  database.exec('PRAGMA synchronous = FULL');
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  database.exec('PRAGMA temp_store = MEMORY');
  return database;
}

/**
 * Attaches the index for reading only: a write transaction of the database must not lock it. Creates it if it does not
 * exist or cannot be read.
 */
export function attachSearch(database: DatabaseSync, path: string): void {
  if (!isUsable(path)) {
    inTransaction(database, () => {
      if (isUsable(path)) return;
      removeSearchFile(path);
      createSearchFile(path);
    });
  }
  attachAt(database, path);
  settleSearch(database, path);
}

/** Only one process does this at a time: the others wait for the database. */
function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Attaches an index in a folder that is not writable; without one, searches find nothing. */
export function attachForReading(database: DatabaseSync, location: string | URL | null): void {
  if (location !== null) return attachAt(database, location);
  database.exec(`ATTACH ':memory:' AS search`);
  database.exec(TABLES.replaceAll(/CREATE (VIRTUAL TABLE|TABLE|INDEX) /g, 'CREATE $1 search.'));
}

function attachAt(database: DatabaseSync, location: string | URL): void {
  const url = typeof location === 'string' ? pathToFileURL(location) : new URL(location);
  url.searchParams.set('mode', 'ro');
  database.prepare('ATTACH ? AS search').run(url.href);
}

/** Reads only the first pages; damage behind them is found when it is read. Errors: other than damage. */
function isUsable(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database.prepare('SELECT format FROM search_file').get() !== undefined;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/**
 * Creates an empty file unless it exists: SQLite gives its other files the mode of this one. An existing database is
 * never opened here, because closing it would release the locks that this process holds on it.
 */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Creates an empty index. */
export function createSearchFile(path: string): void {
  createPrivate(path);
  using database = openSearchFile(path);
  emptySearchFile(database);
}

export function removeSearchFile(path: string): void {
  for (const tail of ['', '-wal', '-shm']) rmSync(path + tail, { force: true });
}

/** Replaces whatever is in the file, in one transaction. Returns its new id. */
function emptySearchFile(database: DatabaseSync): string {
  const id = randomUUID();
  inTransaction(database, () => {
    for (const name of ['search_file', 'search_documents', 'search_index'])
      database.exec(`DROP TABLE IF EXISTS ${name}`);
    database.exec(TABLES);
    database.exec(`INSERT INTO search_index (search_index, rank) VALUES ('automerge', ${SEGMENTS_TO_MERGE})`);
    database.prepare('INSERT INTO search_file (id, format, seq) VALUES (?, ?, 0)').run(id, FORMAT);
  });
  return id;
}

const STATE = `SELECT (SELECT id FROM main.search_file) AS known, (SELECT seq FROM main.search_file) AS used,
  (SELECT id FROM search.search_file) AS id, (SELECT seq FROM search.search_file) AS seq,
  (SELECT format FROM search.search_file) AS format`;

/**
 * Makes sure that the attached index belongs to the database and is as new as the database believes. Otherwise it is
 * emptied and every session is due again.
 */
export function settleSearch(database: DatabaseSync, path: string): void {
  // Before the migration, the index is in the database.
  if (!hasTable(database, 'search_file')) return;
  const isSettled = () => {
    const { known, used, id, seq, format } = database.prepare(STATE).get() ?? {};
    return known === id && id !== null && format === FORMAT && Number(seq) >= Number(used);
  };
  if (isSettled()) return;
  inTransaction(database, () => {
    if (isSettled()) return;
    using file = openSearchFile(path);
    const id = emptySearchFile(file);
    database.exec('DELETE FROM main.search_file');
    database.prepare('INSERT INTO main.search_file (id, seq) VALUES (?, 0)').run(id);
    database.exec(`UPDATE sessions SET indexed_revision = 0, indexed_version = 0
      WHERE indexed_version > 0 OR indexed_revision > 0`);
  });
}
