import type { DatabaseSync } from 'node:sqlite';
import type { Engine } from '../engine.ts';

/** FTS5 without content of its own: the words come tokenized, the texts stay in content_blocks. */
export function sqliteSearch(
  database: DatabaseSync,
): Pick<Engine, 'searchSchema' | 'addSearchWords' | 'removeSearchWords' | 'findSearchWords'> {
  return {
    searchSchema: (version) =>
      version === 1
        ? [
            `CREATE VIRTUAL TABLE search_index USING fts5(words, content='', contentless_delete=1, detail='full',
               tokenize="unicode61 remove_diacritics 0")`,
          ]
        : [],
    addSearchWords: async (_tx, documents) => {
      const insert = database.prepare('INSERT INTO search_index (rowid, words) VALUES (?, ?)');
      for (const { id, words } of documents) insert.run(id, words);
    },
    removeSearchWords: async (_tx, ids) => {
      const remove = database.prepare('DELETE FROM search_index WHERE rowid = ?');
      for (const id of ids) remove.run(id);
    },
    findSearchWords: async (words, limit) => {
      if (words.length === 0) return [];
      const query = words.map((word, at) => `"${word}"${at === words.length - 1 ? '*' : ''}`).join(' ');
      const find = database.prepare(
        'SELECT rowid AS id FROM search_index WHERE words MATCH ? ORDER BY rank, rowid LIMIT ?',
      );
      return find.all(query, limit).map((row) => Number(row.id));
    },
  };
}
