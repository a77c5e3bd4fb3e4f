import { sql } from 'kysely';
import type { Engine, SearchDocument, WordQuery } from '../engine.ts';

type Search = Pick<
  Engine,
  'searchSchema' | 'addSearchWords' | 'removeSearchWords' | 'searchIds' | 'contains' | 'blockText'
>;

const TEXT_COLUMNS = ['content_text', 'thinking_text', 'result_text', 'tool_input::text'];
const textOf = (block: string) => `coalesce(${TEXT_COLUMNS.map((column) => block + column).join(', ')})`;

export const TEXT_INDEX = 'content_blocks_trigrams';

/** Where the extension cannot be created, searches work without it and check patterns text by text. */
const TRIGRAMS = `DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX IF NOT EXISTS ${TEXT_INDEX} ON content_blocks USING GIN (lower(${textOf('')} COLLATE "C") gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
  RAISE NOTICE 'searches for patterns do without an index: %', SQLERRM;
END $$`;

/** A stored tsvector: an expression index would re-parse every hit for ranking (measured: 45 times slower). */
const SCHEMAS: Readonly<Record<number, readonly string[]>> = {
  1: [
    'CREATE TABLE search_index (id BIGINT PRIMARY KEY REFERENCES search_documents(id), words TSVECTOR NOT NULL)',
    'CREATE INDEX search_index_words ON search_index USING GIN (words)',
  ],
  7: [
    `CREATE TABLE search_index (
      id BIGINT PRIMARY KEY REFERENCES search_documents(id),
      words TSVECTOR NOT NULL,
      is_lossy BOOLEAN NOT NULL
    )`,
    'CREATE INDEX search_index_words ON search_index USING GIN (words)',
  ],
  10: [TRIGRAMS],
};

export function postgresSearch(): Search {
  return {
    searchSchema: (version) => SCHEMAS[version] ?? [],
    addSearchWords: async (tx, documents) => {
      for (const batch of batches(documents)) {
        const vectors = batch.map(toVector);
        const ids = batch.map(({ id }) => id);
        const texts = vectors.map(({ text }) => text);
        const lossy = vectors.map(({ isLossy }) => isLossy);
        await sql`INSERT INTO search_index (id, words, is_lossy)
          SELECT * FROM unnest(${ids}::bigint[], ${texts}::text[]::tsvector[], ${lossy}::boolean[])`.execute(tx);
      }
    },
    removeSearchWords: async (tx, ids) => {
      await sql`DELETE FROM search_index WHERE id = ANY(${ids}::bigint[])`.execute(tx);
    },
    searchIds: (query, { from, below }) =>
      sql`SELECT id FROM search_index WHERE ${fits(query)} AND id >= ${from} AND id < ${below}`,
    contains: (text, pattern) => sql`lower(${text} COLLATE "C") LIKE ${pattern}`,
    blockText: sql.raw(textOf('b.')),
  };
}

const CHARS_PER_STATEMENT = 4 * 1024 * 1024;

function* batches(documents: readonly SearchDocument[]): Generator<SearchDocument[]> {
  let batch: SearchDocument[] = [];
  let chars = 0;
  for (const document of documents) {
    batch.push(document);
    chars += document.words.length + document.parts.length;
    if (chars < CHARS_PER_STATEMENT) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

/** A document whose positions do not fit into a tsvector matches a phrase if it contains all its words. */
function fits(query: WordQuery) {
  const exact = sql`words @@ ${toQuery(query, ' <-> ')}::tsquery`;
  const wide = toQuery(query, ' & ');
  return hasPhrase(query) ? sql`(${exact} OR (is_lossy AND words @@ ${wide}::tsquery))` : exact;
}

function hasPhrase(query: WordQuery): boolean {
  return query.kind === 'words' ? query.words.length > 1 : query.queries.some(hasPhrase);
}

/** Words contain only letters and digits, so they cannot end the quotes. Weight A marks words, B parts of names. */
function toQuery(query: WordQuery, beside: ' <-> ' | ' & '): string {
  if (query.kind === 'words') return wordsQuery(query.words, query.isPrefix, beside);
  const inner = query.queries.map((one) => toQuery(one, beside));
  if (query.kind === 'any') return `(${inner.join(' | ')})`;
  return [...inner, ...query.without.map((one) => `!${toQuery(one, beside)}`)].join(' & ');
}

function wordsQuery(words: readonly string[], isPrefix: boolean, beside: string): string {
  const chain = (weight: string) =>
    words.map((word, at) => `'${word}':${isPrefix && at === words.length - 1 ? '*' : ''}${weight}`).join(beside);
  return words.length === 1 ? `(${chain('AB')})` : `((${chain('A')}) | (${chain('B')}))`;
}

/** Limits of a tsvector: PostgreSQL silently drops positions beyond them. */
const MAX_POSITION = 16_383;
const MAX_POSITIONS_A_WORD = 255;

const WORD = /[a-z0-9\u0080-\uffff]+/g;

interface Vector {
  readonly text: string;
  /** True when some positions did not fit. */
  readonly isLossy: boolean;
}

/**
 * Builds the tsvector ourselves, since the server's parser splits words differently. Parts follow the words after a
 * gap.
 */
function toVector({ words, parts }: Pick<SearchDocument, 'words' | 'parts'>): Vector {
  const places = new Map<string, string[]>();
  const last = note(places, words, 0, 'A');
  const end = note(places, parts, last + 1, 'B');
  let isLossy = end > MAX_POSITION;
  const lexemes: string[] = [];
  for (const [word, positions] of places) {
    if (positions.length > MAX_POSITIONS_A_WORD) isLossy = true;
    lexemes.push(`'${word}':${positions.join(',')}`);
  }
  return { text: lexemes.join(' '), isLossy };
}

function note(places: Map<string, string[]>, text: string, from: number, weight: string): number {
  let position = from;
  for (const word of text.toLowerCase().match(WORD) ?? []) {
    position++;
    const known = places.get(word);
    const place = `${Math.min(position, MAX_POSITION)}${weight}`;
    if (known === undefined) places.set(word, [place]);
    else if (known.length <= MAX_POSITIONS_A_WORD) known.push(place);
  }
  return position;
}
