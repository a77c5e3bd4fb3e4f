import { type RawBuilder, sql } from 'kysely';
import type { WordQuery } from '../engine.ts';

/**
 * Adjacent words of a document, as a Bloom filter. The index of PostgreSQL has no positions: it finds the documents with all
 * words of a phrase, and only the tsvector shows whether they are adjacent. Reading the tsvectors of common words takes most
 * of the time of a search (measured: 90 of 100 ms); the filter rules out most of them.
 */

/** Of 100 documents in which a pair is not adjacent, the filter lets about 16 pass. */
const BITS_PER_PAIR = 4;
/** Longer filters would not be stored beside their document. */
const MAX_FILTER_BYTES = 1_024;

export function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash;
}

export function hashPair(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ second;
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 0;
}

/** The filter of these pairs as a bytea literal. Its length determines the bit of each pair. */
export function toFilter(pairs: readonly number[]): string {
  const bytes = Math.min(Math.max(1, Math.ceil((pairs.length * BITS_PER_PAIR) / 8)), MAX_FILTER_BYTES);
  const filter = Buffer.alloc(bytes);
  for (const pair of pairs) {
    const bit = pair % (bytes * 8);
    filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return `\\x${filter.toString('hex')}`;
}

/** Whether the phrases of a query may be in a row of `search_index`. */
export function mayHavePhrases(query: WordQuery): RawBuilder<boolean> {
  if (query.kind === 'words') return mayHavePhrase(query.isPrefix ? query.words.slice(0, -1) : query.words);
  const inner = query.queries.map(mayHavePhrases);
  return sql`(${sql.join(inner, query.kind === 'any' ? sql` OR ` : sql` AND `)})`;
}

function mayHavePhrase(words: readonly string[]): RawBuilder<boolean> {
  const hashes = words.map(hashWord);
  const pairs = hashes.slice(1).map((hash, at) => hashPair(hashes[at] ?? 0, hash));
  const isSet = pairs.map((pair) => sql`get_bit(pairs, mod(${pair}::bigint, octet_length(pairs) * 8::bigint)) = 1`);
  return sql`(${sql.join([sql`TRUE`, ...isSet], sql` AND `)})`;
}
