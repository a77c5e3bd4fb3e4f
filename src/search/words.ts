import { NAME_END, type TextNode } from '../domain/search.ts';

/**
 * The only tokenizer; both full-text engines index its output and therefore find the same. Words are case-insensitive
 * runs of letters and digits. A path or a snake_case name is several adjacent words and is found by any part of that
 * sequence. Names in camelCase are one word with parts: `parseLine` is parseline, and also parse and line.
 */
export const MAX_WORD_CHARS = 64;

/**
 * Input for an engine: words are separated by ASCII characters other than letters and digits, and the case of ASCII
 * letters is ignored. Plain text needs no conversion.
 */
interface IndexText {
  readonly words: string;
  readonly parts: string;
}

const ASCII = /^[\0-\x7f]*$/;
/** Dashes, quotes, arrows and box drawing: frequent in tool output and never part of a word. */
const FREQUENT_SIGNS = /[\u2010-\u2027\u2190-\u2193\u2500-\u259f]+/g;
const TOO_LONG = /[A-Za-z0-9\u0080-\uffff]{65,}/g;

export function toIndexText(text: string): IndexText {
  const parts: string[] = [];
  const words = ASCII.test(text) ? text : spellForeignWords(text, parts);
  const { hasLongWord } = collectCamelParts(words, parts);
  return { words: hasLongWord ? words.replaceAll(TOO_LONG, cutWord) : words, parts: parts.join(' ') };
}

/** Longer words are keys and encoded files; they are found by their start. */
export function cutWord(word: string): string {
  return word.length <= MAX_WORD_CHARS ? word : word.slice(0, MAX_WORD_CHARS).toWellFormed();
}

function spellForeignWords(text: string, parts: string[]): string {
  const plain = text.replaceAll(FREQUENT_SIGNS, ' ');
  let spelled = '';
  let end = 0;
  for (const { from, to } of foreignRuns(plain)) {
    const tokens = foreignTokens(plain.slice(from, to));
    for (const { parts: own } of tokens) if (own.length > 0) parts.push(...own.map(({ word }) => word), NAME_END);
    spelled += `${plain.slice(end, from)} ${tokens.map(({ word }) => word).join(' ')} `;
    end = to;
  }
  return spelled + plain.slice(end);
}

/** Runs of letters, digits and non-ASCII characters that contain at least one non-ASCII character. */
export function* foreignRuns(text: string): Generator<{ readonly from: number; readonly to: number }> {
  const foreign = /[\u0080-\uffff]/g;
  for (let found = foreign.exec(text); found !== null; found = foreign.exec(text)) {
    const from = runStart(text, found.index);
    const to = runEnd(text, found.index);
    yield { from, to };
    foreign.lastIndex = to;
  }
}

function runStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && classOf(text.charCodeAt(start - 1)) !== 0) start--;
  return start;
}

function runEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && classOf(text.charCodeAt(end)) !== 0) end++;
  return end;
}

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const FOREIGN = 4;
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return /[a-z]/.test(char) ? LOWER : /[A-Z]/.test(char) ? UPPER : /[0-9]/.test(char) ? DIGIT : 0;
});

function classOf(code: number): number {
  return code < 128 ? (CLASSES[code] ?? 0) : FOREIGN;
}

/** Hand-written instead of a pattern: it reads every letter of an import once, and no text makes it slow. */
function collectCamelParts(text: string, parts: string[]): { readonly hasLongWord: boolean } {
  let start = 0;
  let letter = 0;
  let before = 0;
  let hasCamel = false;
  let hasLongWord = false;
  for (let at = 0; at <= text.length; at++) {
    const now = at < text.length ? classOf(text.charCodeAt(at)) : 0;
    if (now === 0) {
      if (at - start > MAX_WORD_CHARS) hasLongWord = true;
      else if (hasCamel) pushParts(text.slice(start, at), parts);
      start = at + 1;
      letter = 0;
      before = 0;
      hasCamel = false;
    } else if (now === LOWER) {
      if (letter === UPPER && before === UPPER) hasCamel = true;
      before = letter;
      letter = LOWER;
    } else if (now === UPPER) {
      if (letter === LOWER) hasCamel = true;
      before = letter;
      letter = UPPER;
    }
  }
  return { hasLongWord };
}

interface Part {
  readonly word: string;
  /** Position in its run. */
  readonly from: number;
  readonly to: number;
}

const HAS_CAMEL = /[a-z][0-9]*[A-Z]|[A-Z][0-9]*[A-Z][0-9]*[a-z]/;

/** Parts of an ASCII name in camelCase; empty for any other name. */
export function camelParts(run: string): Part[] {
  if (run.length > MAX_WORD_CHARS || !HAS_CAMEL.test(run)) return [];
  const lower = run.toLowerCase();
  const starts = Array.from(run, (_, at) => at).filter((at) => isPartStart(run, at));
  return starts.map((from, at) => {
    const to = starts[at + 1] ?? run.length;
    return { word: lower.slice(from, to), from, to };
  });
}

/** The same without positions, for every name of an import. */
function pushParts(run: string, parts: string[]): void {
  const lower = run.toLowerCase();
  let from = 0;
  for (let at = 1; at < run.length; at++) {
    if (!isPartStart(run, at)) continue;
    parts.push(lower.slice(from, at));
    from = at;
  }
  parts.push(lower.slice(from), NAME_END);
}

/** HTTPServer2Go: HTTP, Server2, Go. Digits belong to the part before them. */
export function isPartStart(run: string, at: number): boolean {
  if (at === 0) return true;
  const before = classOf(run.charCodeAt(at - 1));
  const now = classOf(run.charCodeAt(at));
  if (now === DIGIT) return false;
  if (now === LOWER) return before === DIGIT;
  return before !== UPPER || (at + 1 < run.length && classOf(run.charCodeAt(at + 1)) === LOWER);
}

const WORD = /[a-z0-9\u0080-\uffff]+/g;

/** The words of a text as they are in the index. */
export function wordsOf(text: string): string[] {
  return toIndexText(text).words.toLowerCase().match(WORD) ?? [];
}

/** Non-ASCII words: accents and widths folded, unspaced scripts as pairs of letters, pictographs individually. */
export interface ForeignToken extends Part {
  readonly parts: readonly Part[];
}

/** Made at first use: the sets of all these characters take longer than many commands. */
let foreign: ReturnType<typeof createPatterns> | undefined;

function foreignPatterns(): ReturnType<typeof createPatterns> {
  foreign ??= createPatterns();
  return foreign;
}

const UNSPACED_SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];

function createPatterns() {
  const unspaced = `[\\u30fc${UNSPACED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}]`;
  return {
    token: /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu,
    hasCamel: /\p{Ll}\p{N}*\p{Lu}|\p{Lu}\p{N}*\p{Lu}\p{N}*\p{Ll}/u,
    camelPart: /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+\p{N}*|\p{N}+/gu,
    unspaced: new RegExp(`${unspaced}+`, 'gu'),
    unspacedLetter: new RegExp(`^${unspaced}$`, 'u'),
    noWord: /[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/gu,
  };
}

const MAX_CAMEL_CHARS = 64;

/** All words of a text with the parts of names, in order, with their positions. */
export function foreignTokens(text: string): ForeignToken[] {
  return Array.from(text.matchAll(foreignPatterns().token)).flatMap(({ 0: run, index }) => tokensOfRun(run, index));
}

function isUnspacedLetter(word: string): boolean {
  return foreignPatterns().unspacedLetter.test(word);
}

function tokensOfRun(run: string, at: number): ForeignToken[] {
  const tokens: ForeignToken[] = [];
  let end = 0;
  for (const { 0: stretch, index } of run.matchAll(foreignPatterns().unspaced)) {
    tokens.push(...spacedToken(run.slice(end, index), at + end), ...pairs(stretch, at + index));
    end = index + stretch.length;
  }
  tokens.push(...spacedToken(run.slice(end), at + end));
  return tokens;
}

function spacedToken(run: string, at: number): ForeignToken[] {
  const word = fold(run);
  if (word === '') return [];
  const hasParts = run.length <= MAX_CAMEL_CHARS && foreignPatterns().hasCamel.test(run);
  const found = hasParts ? Array.from(run.matchAll(foreignPatterns().camelPart)) : [];
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

function fold(run: string): string {
  return run
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(ACCENTS, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll(foreignPatterns().noWord, '');
}

/** Typed words as words of the index; null if there is no letter. */
export function textNode(text: string, isPrefix: boolean): TextNode | null {
  const words = wordsOf(text);
  const last = words.at(-1);
  if (last === undefined) return null;
  if (!isUnspacedLetter(last)) return { kind: 'text', words, isPrefix };
  // The index contains 日本, 本語, 語 for 日本語, so 語 at the end of a search is not necessarily the end of the text.
  const before = words.at(-2) ?? '';
  const isTail = Array.from(before).length === 2 && before.endsWith(last);
  return { kind: 'text', words: isTail ? words.slice(0, -1) : words, isPrefix: !isTail };
}
