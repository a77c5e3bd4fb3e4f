import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { constants, zstdCompressSync } from 'node:zlib';
import { countParts, partOf, searchedText } from '../src/domain/search.ts';
import { toIndexText } from '../src/search/words.ts';
import { createSearchFile, openSearchFile } from '../src/store/sqlite/search-file.ts';

/**
 * The work of an import that no program could avoid: each part alone, in one thread, with everything it needs in
 * memory. Only this work is measured, not the preparation of its input.
 */
export interface Floor {
  /** CPU seconds of each part. */
  readonly parts: Readonly<Record<string, number>>;
  readonly cpuSeconds: number;
  /** Not part of the sum: splitting the same texts into words. */
  readonly wordsSeconds: number;
}

const BLOCKS = 'content_blocks';
const ZSTD_LEVEL = 3;
/** As in an import. */
const ROWS_PER_TRANSACTION = 2_000;
const PRAGMAS = 'PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL';

/** Measures the floor for files that were imported into a data folder. */
export function measureFloor(files: readonly string[], home: string): Floor {
  const parts: Record<string, number> = {};
  const measure = <T>(name: string, work: () => T): T => {
    const before = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(before);
    parts[name] = (parts[name] ?? 0) + (user + system) / 1e6;
    return result;
  };
  for (const path of files) {
    const bytes = measure('read', () => readFileSync(path));
    measure('SHA-256', () => createHash('sha256').update(bytes).digest());
    measure('zstd', () => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }));
    measure('JSON.parse', () => parseLines(bytes));
  }
  using imported = new DatabaseSync(join(home, 'fuel.db'), { readOnly: true });
  using index = new DatabaseSync(join(home, 'search.db'), { readOnly: true });
  const folder = mkdtempSync(join(home, 'floor-'));
  {
    using rows = createCopy(imported, join(folder, 'fuel.db'));
    for (const table of tablesOf(imported)) copyTable(imported, rows, table, measure);
    createSearchFile(join(folder, 'search.db'));
    using texts = openSearchFile(join(folder, 'search.db'));
    copyTable(index, texts, 'search_documents', measure);
    indexTexts(imported, texts, measure);
  }
  rmSync(folder, { recursive: true });
  const { words: wordsSeconds = 0, ...unavoidable } = parts;
  const cpuSeconds = Object.values(unavoidable).reduce((sum, seconds) => sum + seconds, 0);
  return { parts: unavoidable, cpuSeconds, wordsSeconds };
}

type Measure = <T>(name: string, work: () => T) => T;

function parseLines(bytes: Buffer): void {
  for (const line of bytes.toString().split('\n')) {
    try {
      JSON.parse(line);
    } catch {
      // Incomplete lines and the end of the file.
    }
  }
}

/** An empty database with the same tables and indexes. */
function createCopy(from: DatabaseSync, path: string): DatabaseSync {
  const copy = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  copy.exec(PRAGMAS);
  for (const { sql } of from.prepare(`SELECT sql FROM sqlite_master WHERE type IN ('table', 'index')`).all()) {
    if (sql !== null) copy.exec(String(sql));
  }
  return copy;
}

function tablesOf(database: DatabaseSync): readonly string[] {
  return database
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`)
    .all()
    .map(({ name }) => String(name));
}

function copyTable(from: DatabaseSync, to: DatabaseSync, table: string, measure: Measure): void {
  const columns = from
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => `"${String(name)}"`);
  const select = from.prepare(`SELECT ${columns.join(', ')} FROM ${table}`);
  select.setReturnArrays(true);
  const insert = to.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  const rows = select.iterate() as unknown as Iterator<SQLInputValue[]>;
  for (const some of inGroups(rows)) {
    measure(table === BLOCKS ? 'rows of blocks' : 'other rows', () =>
      inTransaction(to, some, (row) => insert.run(...row)),
    );
  }
}

function indexTexts(imported: DatabaseSync, to: DatabaseSync, measure: Measure): void {
  const insert = to.prepare('INSERT INTO search_index (rowid, words, parts) VALUES (?, ?, ?)');
  let id = 0;
  for (const texts of inGroups(indexedTexts(imported))) {
    const some = measure('words', () => texts.map(toIndexText));
    measure('full text', () => inTransaction(to, some, ({ words, parts }) => insert.run(++id, words, parts)));
  }
}

function* indexedTexts(imported: DatabaseSync): Generator<string> {
  const blocks = imported.prepare(`SELECT coalesce(content_text, thinking_text, result_text) AS plain, tool_input
    FROM ${BLOCKS} WHERE block_type <> 'attachment'`);
  for (const { plain, tool_input: input } of blocks.iterate()) {
    const text = searchedText({ text: String(plain ?? input ?? ''), isJson: plain === null && input !== null });
    if (text === '') continue;
    for (let part = 0; part < countParts(text); part += 1) yield partOf(text, part);
  }
}

function* inGroups<T>(items: Iterator<T>): Generator<T[]> {
  let group: T[] = [];
  for (let next = items.next(); next.done !== true; next = items.next()) {
    group.push(next.value);
    if (group.length < ROWS_PER_TRANSACTION) continue;
    yield group;
    group = [];
  }
  yield group;
}

function inTransaction<T>(database: DatabaseSync, items: readonly T[], write: (item: T) => void): void {
  database.exec('BEGIN IMMEDIATE');
  for (const item of items) write(item);
  database.exec('COMMIT');
}
