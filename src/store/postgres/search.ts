import { type RawBuilder, sql } from 'kysely';
import { NAME_END } from '../../domain/search.ts';
import type { Engine, IdRange, SearchDocument, SearchWriter, Tx, WordQuery } from '../engine.ts';
import { TRIGRAMS, textOf } from './text-index.ts';
import { hashPair, hashWord, mayHavePhrases, toFilter } from './word-pairs.ts';

type Search = Pick<
  Engine,
  | 'searchSchema'
  | 'hasSearchFile'
  | 'writeSearch'
  | 'relyOnSearch'
  | 'settleSearch'
  | 'mendSearch'
  | 'searchIds'
  | 'checksPhrases'
  | 'contains'
  | 'blockText'
>;

/** Of the same size as PostgreSQL's own compression, and half the work. A server may have been built without it. */
const COMPRESS_WITH_LZ4 = `DO $$ BEGIN
  EXECUTE 'ALTER TABLE content_blocks ALTER content_text SET COMPRESSION lz4,
    ALTER thinking_text SET COMPRESSION lz4, ALTER result_text SET COMPRESSION lz4, ALTER tool_input SET COMPRESSION lz4';
  EXECUTE 'ALTER TABLE search_index ALTER words SET COMPRESSION lz4';
EXCEPTION WHEN feature_not_supported OR syntax_error THEN
  RAISE NOTICE 'long texts are compressed with pglz: %', SQLERRM;
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
  42: [
    'ALTER TABLE search_index ADD COLUMN pairs BYTEA',
    'ALTER TABLE search_index ALTER COLUMN pairs SET STORAGE EXTERNAL',
    'UPDATE sessions SET indexed_revision = 0, indexed_version = 0',
  ],
  43: [COMPRESS_WITH_LZ4],
};

export function postgresSearch({ transaction, insertMany }: Pick<Engine, 'transaction' | 'insertMany'>): Search {
  return {
    searchSchema: (version) => SCHEMAS[version] ?? [],
    hasSearchFile: false,
    writeSearch: async (tx, work) => {
      const write = (own: Tx) => work(writerOf(own, insertMany));
      return { result: await (tx === null ? transaction(write) : write(tx)), written: null };
    },
    relyOnSearch: async () => {},
    settleSearch: async () => {},
    mendSearch: async () => false,
    searchIds: matching,
    checksPhrases: true,
    contains: (text, pattern) => sql`lower(${text} COLLATE "C") LIKE ${pattern}`,
    blockText: sql.raw(textOf('b.')),
  };
}

function writerOf(tx: Tx, insertMany: Engine['insertMany']): SearchWriter {
  return {
    tx,
    insertDocuments: (columns, rows) => insertMany(tx, 'search_documents', columns, rows),
    addWords: async (documents) => {
      for (const batch of batches(documents)) {
        const vectors = batch.map(toVector);
        const ids = batch.map(({ id }) => id);
        const texts = vectors.map(({ text }) => text);
        const lossy = vectors.map(({ isLossy }) => isLossy);
        const pairs = vectors.map(({ filter }) => filter);
        await sql`INSERT INTO search_index (id, words, is_lossy, pairs)
          SELECT * FROM unnest(${ids}::bigint[], ${texts}::text[]::tsvector[], ${lossy}::boolean[],
            ${pairs}::bytea[])`.execute(tx);
      }
    },
    removeWords: async (ids) => {
      await sql`DELETE FROM search_index WHERE id = ANY(${ids}::bigint[])`.execute(tx);
    },
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

/**
 * A document whose positions do not fit into a tsvector matches a phrase if it contains all its words. The index looks
 * for words only, as it would check the phrase in each document with them; as a function, the check is left to us.
 */
function matching(query: WordQuery, { from, below }: IdRange): ReturnType<Engine['searchIds']> {
  const select = (isSure: RawBuilder<unknown>, condition: RawBuilder<unknown>) =>
    sql<{ id: number; is_sure: boolean }>`SELECT id, ${isSure} AS is_sure FROM search_index
      WHERE words @@ ${toQuery(query, ' & ')}::tsquery AND ${condition} AND id >= ${from} AND id < ${below}`;
  if (!hasPhrase(query)) return select(sql`TRUE`, sql`TRUE`);
  return select(
    sql`NOT is_lossy`,
    sql`CASE WHEN pairs IS NULL OR ${mayHavePhrases(query)}
      THEN is_lossy OR ts_match_vq(words, ${toQuery(query, ' <-> ')}::tsquery) ELSE FALSE END`,
  );
}

function hasPhrase(query: WordQuery): boolean {
  return query.kind === 'words' ? query.words.length > 1 : query.queries.some(hasPhrase);
}

/**
 * Words contain only letters and digits, so they cannot end the quotes. A query must not name weights: the index does not
 * have them, so the server would read the words of every match (measured: 8 times slower).
 */
function toQuery(query: WordQuery, beside: ' <-> ' | ' & '): string {
  if (query.kind === 'words') return wordsQuery(query.words, query.isPrefix, beside);
  const inner = query.queries.map((one) => toQuery(one, beside));
  if (query.kind === 'any') return `(${inner.join(' | ')})`;
  return [...inner, ...query.without.map((one) => `!${toQuery(one, beside)}`)].join(' & ');
}

function wordsQuery(words: readonly string[], isPrefix: boolean, beside: string): string {
  const chain = words.map((word, at) => `'${word}'${isPrefix && at === words.length - 1 ? ':*' : ''}`);
  return `(${chain.join(beside)})`;
}

/** Limits of a tsvector: PostgreSQL silently drops positions beyond them. */
const MAX_POSITION = 16_383;
const MAX_POSITIONS_A_WORD = 255;

const WORD = /[a-z0-9\u0080-\uffff]+/g;

interface Vector {
  readonly text: string;
  /** True when some positions did not fit. */
  readonly isLossy: boolean;
  /** Which words are adjacent. */
  readonly filter: string;
}

/**
 * Builds the tsvector ourselves, since the server's parser splits words differently. The parts of names follow the words,
 * with a gap before each name, so that no phrase reaches from one name into the next.
 */
function toVector({ words, parts }: Pick<SearchDocument, 'words' | 'parts'>): Vector {
  const noted: Noted = { words: new Map(), pairs: [] };
  let end = note(noted, words, 0);
  for (const name of parts === '' ? [] : parts.split(NAME_END)) end = note(noted, name, end + 1);
  let isLossy = end > MAX_POSITION;
  const lexemes: string[] = [];
  for (const [word, { positions }] of noted.words) {
    if (positions.length > MAX_POSITIONS_A_WORD) isLossy = true;
    lexemes.push(`'${word}':${positions.join(',')}`);
  }
  return { text: lexemes.join(' '), isLossy, filter: toFilter(noted.pairs) };
}

interface Noted {
  readonly words: Map<string, { readonly hash: number; readonly positions: number[] }>;
  readonly pairs: number[];
}

function note({ words, pairs }: Noted, text: string, from: number): number {
  let position = from;
  let before: number | null = null;
  for (const word of text.toLowerCase().match(WORD) ?? []) {
    position++;
    const known = words.get(word) ?? { hash: hashWord(word), positions: [] };
    if (known.positions.length === 0) words.set(word, known);
    if (known.positions.length <= MAX_POSITIONS_A_WORD) known.positions.push(Math.min(position, MAX_POSITION));
    if (before !== null) pairs.push(hashPair(before, known.hash));
    before = known.hash;
  }
  return position;
}
