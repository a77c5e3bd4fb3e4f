import { Kysely, sql } from 'kysely';
import { FuelError } from '../../domain/errors.ts';
import type { Engine, SearchWriter, WordQuery } from '../engine.ts';
import type { Database } from '../rows.ts';
import { insertMany, SqliteHandle, sqliteDialect } from './driver.ts';
import { openSearchFile } from './search-file.ts';

type Search = Pick<
  Engine,
  | 'searchSchema'
  | 'hasSearchFile'
  | 'writeSearch'
  | 'relyOnSearch'
  | 'searchIds'
  | 'checksPhrases'
  | 'contains'
  | 'blockText'
  | 'supportsTextIndex'
  | 'hasTextIndex'
  | 'postponeTextIndexes'
  | 'buildTextIndex'
  | 'buildWordIndex'
>;

/** Contentless FTS5: the texts stay in content_blocks. Since version 36 it is in a file of its own. */
const SCHEMAS: Readonly<Record<number, readonly string[]>> = {
  1: [
    `CREATE VIRTUAL TABLE search_index USING fts5(words, content='', contentless_delete=1, detail='full',
        tokenize="unicode61 remove_diacritics 0")`,
  ],
  // The ascii tokenizer treats all non-ASCII characters as letters, so we decide what a word is.
  7: [
    `CREATE VIRTUAL TABLE search_index USING fts5(words, parts, content='', contentless_delete=1, detail='full',
        tokenize='ascii')`,
  ],
  36: [
    'DROP TABLE main.search_index',
    'DROP TABLE main.search_documents',
    'CREATE TABLE main.search_file (id TEXT NOT NULL, seq BIGINT NOT NULL)',
    'UPDATE sessions SET indexed_revision = 0, indexed_version = 0',
  ],
};

/** The writer of the index file, opened when it is first needed. */
export interface SearchFileWriter {
  write: Engine['writeSearch'];
  /** The writer itself, for maintenance. */
  kysely(): Kysely<Database>;
  close(): Promise<void>;
}

export function openSearchWriter(path: string): SearchFileWriter {
  let opened: { readonly handle: SqliteHandle; readonly kysely: Kysely<Database> } | null = null;
  const open = () => {
    if (opened !== null) return opened;
    const handle = new SqliteHandle({ path, watched: [path], open: () => openSearchFile(path) });
    opened = { handle, kysely: new Kysely<Database>({ dialect: sqliteDialect(handle) }) };
    return opened;
  };
  return {
    kysely: () => open().kysely,
    write: async (_tx, work) => {
      const { handle, kysely } = open();
      return kysely.transaction().execute(async (tx) => {
        const result = await work({ tx, ...writerOf(handle) });
        const { rows } = await sql<{ id: string; seq: number }>`UPDATE search_file SET seq = seq + 1
          RETURNING id, seq`.execute(tx);
        const [written] = rows;
        if (written === undefined) throw replaced();
        return { result, written };
      });
    },
    close: async () => {
      await opened?.kysely.destroy();
      opened?.handle.close();
    },
  };
}

function writerOf(handle: SqliteHandle): Omit<SearchWriter, 'tx'> {
  return {
    insertDocuments: async (columns, rows) => handle.use(() => insertMany(handle, 'search_documents', columns, rows)),
    addWords: async (documents) => {
      handle.use(() => {
        const insert = handle.prepare('INSERT INTO search_index (rowid, words, parts) VALUES (?, ?, ?)').statement;
        for (const { id, words, parts } of documents) insert.run(id, words, parts);
      });
    },
    removeWords: async (ids) => {
      handle.use(() => {
        const remove = handle.prepare('DELETE FROM search_index WHERE rowid = ?').statement;
        for (const id of ids) remove.run(id);
      });
    },
  };
}

export function sqliteSearch(writer: SearchFileWriter): Search {
  return {
    searchSchema: (version) => SCHEMAS[version] ?? [],
    hasSearchFile: true,
    writeSearch: writer.write,
    relyOnSearch: async (tx, written) => {
      if (written === null) return;
      const { rows } = await sql`UPDATE main.search_file SET seq = max(seq, ${written.seq}) WHERE id = ${written.id}
        RETURNING id`.execute(tx);
      if (rows.length === 0) throw replaced();
    },
    searchIds: (query, { from, below }) =>
      sql`SELECT rowid AS id, TRUE AS is_sure FROM search_index
        WHERE search_index MATCH ${toMatch(query)} AND rowid >= ${from} AND rowid < ${below}`,
    checksPhrases: false,
    // LIKE ignores the case of ASCII letters.
    contains: (text, pattern) => sql`${text} LIKE ${pattern} ESCAPE '\\'`,
    blockText: sql`coalesce(b.content_text, b.thinking_text, b.result_text, b.tool_input)`,
    // Measured: a trigram index costs five times as much as the word index, and LIKE reads 300 MB a second.
    supportsTextIndex: false,
    hasTextIndex: async () => false,
    postponeTextIndexes: async () => {},
    buildTextIndex: async () => {},
    buildWordIndex: async () => {},
  };
}

function replaced(): FuelError {
  return new FuelError('busy', 'The search index was replaced while sessions were added to it.', {
    hint: 'Try again; they are added to the new one.',
  });
}

/** Words contain only letters and digits, so they cannot end the quotes. */
function toMatch(query: WordQuery): string {
  if (query.kind === 'words') return `"${query.words.join(' ')}"${query.isPrefix ? ' *' : ''}`;
  const inner = query.queries.map(toMatch);
  if (query.kind === 'any') return `(${inner.join(' OR ')})`;
  return query.without.reduce((match, without) => `(${match} NOT ${toMatch(without)})`, `(${inner.join(' AND ')})`);
}
