import { wordsOf } from './words.ts';

const BEFORE_CHARS = 60;
const SNIPPET_CHARS = 200;

/** The part of a text around the first of the words, on one line. */
export function snippetOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const at = places.length > 0 ? Math.min(...places) : 0;
  const from = Math.max(0, at - BEFORE_CHARS);
  const cut = text
    .slice(from, from + SNIPPET_CHARS)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .trim();
  return `${from > 0 ? '…' : ''}${cut}${from + SNIPPET_CHARS < text.length ? '…' : ''}`;
}

const MAX_QUERY_WORDS = 32;

/** What a person typed, as words of the index. */
export function queryWords(query: string): string[] {
  return wordsOf(query).slice(0, MAX_QUERY_WORDS);
}
