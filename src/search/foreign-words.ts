import type { Part } from './words.ts';

/** Non-ASCII words: accents and widths folded, unspaced scripts as pairs of letters, pictographs individually. */
export interface ForeignToken extends Part {
  readonly parts: readonly Part[];
}

const TOKEN = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
const HAS_CAMEL = /\p{Ll}\p{N}*\p{Lu}|\p{Lu}\p{N}*\p{Lu}\p{N}*\p{Ll}/u;
const CAMEL_PART = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+\p{N}*|\p{N}+/gu;
const MAX_CAMEL_CHARS = 64;

/** All words of a text with the parts of names, in order, with their positions. */
export function foreignTokens(text: string): ForeignToken[] {
  return Array.from(text.matchAll(TOKEN)).flatMap(({ 0: run, index }) => tokensOfRun(run, index));
}

const UNSPACED_SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const UNSPACED_CLASS = `[\\u30fc${UNSPACED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}]`;
const UNSPACED = new RegExp(`${UNSPACED_CLASS}+`, 'gu');
const UNSPACED_LETTER = new RegExp(`^${UNSPACED_CLASS}$`, 'u');

export function isUnspacedLetter(word: string): boolean {
  return UNSPACED_LETTER.test(word);
}

function tokensOfRun(run: string, at: number): ForeignToken[] {
  const tokens: ForeignToken[] = [];
  let end = 0;
  for (const { 0: stretch, index } of run.matchAll(UNSPACED)) {
    tokens.push(...spacedToken(run.slice(end, index), at + end), ...pairs(stretch, at + index));
    end = index + stretch.length;
  }
  tokens.push(...spacedToken(run.slice(end), at + end));
  return tokens;
}

function spacedToken(run: string, at: number): ForeignToken[] {
  const word = fold(run);
  if (word === '') return [];
  const hasParts = run.length <= MAX_CAMEL_CHARS && HAS_CAMEL.test(run);
  const found = hasParts ? Array.from(run.matchAll(CAMEL_PART)) : [];
  const parts = found.map(({ 0: part, index }) => ({
    word: fold(part),
    from: at + index,
    to: at + index + part.length,
  }));
  return [{ word, from: at, to: at + run.length, parts: parts.filter((part) => part.word !== '') }];
}

/** 日本語 → 日本, 本語, 語: any substring is found by its adjacent pairs, a single letter as the start of a pair. */
function pairs(stretch: string, at: number): ForeignToken[] {
  const letters = Array.from(stretch);
  let from = at;
  return letters.flatMap((letter, index) => {
    const both = letter + (letters[index + 1] ?? '');
    const token = { word: fold(both), from, to: from + both.length, parts: [] };
    from += letter.length;
    return token.word === '' ? [] : [token];
  });
}

const ACCENTS = /[\u0300-\u036f]/g;
const NO_WORD = /[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/gu;

function fold(run: string): string {
  return run
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(ACCENTS, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll(NO_WORD, '');
}
