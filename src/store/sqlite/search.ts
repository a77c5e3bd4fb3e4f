import { sql } from 'kysely';
import type { Engine, WordQuery } from '../engine.ts';
import type { SqliteHandle } from './driver.ts';

type Search = Pick<
  Engine,
  'searchSchema' | 'addSearchWords' | 'removeSearchWords' | 'searchIds' | 'contains' | 'blockText' | 'hasTextIndex'
>;

/** Contentless FTS5: the texts stay in content_blocks. */
const SCHEMAS: Readonly<Record<number, string>> = {
  1: `CREATE VIRTUAL TABLE search_index USING fts5(words, content='', contentless_delete=1, detail='full',
        tokenize="unicode61 remove_diacritics 0")`,
  // The ascii tokenizer treats all non-ASCII characters as letters, so we decide what a word is.
  7: `CREATE VIRTUAL TABLE search_index USING fts5(words, parts, content='', contentless_delete=1, detail='full',
        tokenize='ascii')`,
};

export function sqliteSearch(handle: SqliteHandle): Search {
  return {
    searchSchema: (version) => (SCHEMAS[version] === undefined ? [] : [SCHEMAS[version]]),
    addSearchWords: async (_tx, documents) => {
      handle.use(() => {
        const insert = handle.prepare('INSERT INTO search_index (rowid, words, parts) VALUES (?, ?, ?)').statement;
        for (const { id, words, parts } of documents) insert.run(id, words, parts);
      });
    },
    removeSearchWords: async (_tx, ids) => {
      handle.use(() => {
        const remove = handle.prepare('DELETE FROM search_index WHERE rowid = ?').statement;
        for (const id of ids) remove.run(id);
      });
    },
    searchIds: (query, { from, below }) =>
      sql`SELECT rowid AS id FROM search_index
        WHERE search_index MATCH ${toMatch(query)} AND rowid >= ${from} AND rowid < ${below}`,
    // LIKE ignores the case of ASCII letters.
    contains: (text, pattern) => sql`${text} LIKE ${pattern} ESCAPE '\\'`,
    blockText: sql`coalesce(b.content_text, b.thinking_text, b.result_text, b.tool_input)`,
    // Measured: a trigram index costs five times as much as the word index, and LIKE reads 300 MB a second.
    hasTextIndex: async () => false,
  };
}

/** Words contain only letters and digits, so they cannot end the quotes. */
function toMatch(query: WordQuery): string {
  if (query.kind === 'words') return `"${query.words.join(' ')}"${query.isPrefix ? ' *' : ''}`;
  const inner = query.queries.map(toMatch);
  if (query.kind === 'any') return `(${inner.join(' OR ')})`;
  return query.without.reduce((match, without) => `(${match} NOT ${toMatch(without)})`, `(${inner.join(' AND ')})`);
}
