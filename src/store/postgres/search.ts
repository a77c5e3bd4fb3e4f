import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { Database } from '../rows.ts';

/** A stored tsvector: an expression index would parse every hit again when ranking (measured: 45 times slower). */
export function postgresSearch(
  kysely: Kysely<Database>,
): Pick<Engine, 'searchSchema' | 'addSearchWords' | 'removeSearchWords' | 'findSearchWords'> {
  return {
    searchSchema: (version) =>
      version === 1
        ? [
            'CREATE TABLE search_index (id BIGINT PRIMARY KEY REFERENCES search_documents(id), words TSVECTOR NOT NULL)',
            'CREATE INDEX search_index_words ON search_index USING GIN (words)',
          ]
        : [],
    addSearchWords: async (tx, documents) => {
      if (documents.length === 0) return;
      const ids = documents.map(({ id }) => id);
      const words = documents.map((document) => document.words);
      await sql`INSERT INTO search_index (id, words)
        SELECT id, to_tsvector('simple', words) FROM unnest(${ids}::bigint[], ${words}::text[]) AS d (id, words)`.execute(
        tx,
      );
    },
    removeSearchWords: async (tx, ids) => {
      await sql`DELETE FROM search_index WHERE id = ANY(${ids}::bigint[])`.execute(tx);
    },
    findSearchWords: async (words, limit) => {
      if (words.length === 0) return [];
      const query = words.map((word, at) => `'${word}'${at === words.length - 1 ? ':*' : ''}`).join(' & ');
      const { rows } = await sql<{ id: number }>`
        SELECT id FROM search_index, to_tsquery('simple', ${query}) AS q
        WHERE words @@ q ORDER BY ts_rank(words, q) DESC, id LIMIT ${limit}`.execute(kysely);
      return rows.map(({ id }) => id);
    },
  };
}
