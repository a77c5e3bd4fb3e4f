import type { TextNode } from '../domain/search.ts';
import {
  camelParts,
  cutWord,
  type ForeignToken,
  foreignRuns,
  foreignTokens,
  isPartStart,
  MAX_WORD_CHARS,
} from './words.ts';

/** A matching range of a text. Parts of a name weigh less than the whole name. */
export interface Found {
  readonly from: number;
  readonly to: number;
  readonly isWhole: boolean;
}

/** A text to search. Expensive properties are computed on first use and cached. */
export class SearchedText {
  readonly text: string;
  #lower: string | null = null;
  #foreign: ReadonlySet<string> | null = null;
  #tokens: readonly ForeignToken[] | null = null;

  constructor(text: string) {
    this.text = text;
  }

  get lower(): string {
    return (this.#lower ??= this.text.toLowerCase());
  }

  /** Words and parts of words that contain non-ASCII characters, folded. */
  get foreign(): ReadonlySet<string> {
    return (this.#foreign ??= foreignWordsIn(this.text));
  }

  get tokens(): readonly ForeignToken[] {
    return (this.#tokens ??= foreignTokens(this.text));
  }
}

const FOREIGN_WORD = /(?![\0-\x7f])[\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/u;

function foreignWordsIn(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { from, to } of foreignRuns(text)) {
    const run = text.slice(from, to);
    if (!FOREIGN_WORD.test(run)) continue;
    for (const { word, parts } of foreignTokens(run)) {
      words.add(word);
      for (const part of parts) words.add(part.word);
    }
  }
  return words;
}

/**
 * Finds the words next to each other, in order. The index finds candidates; this function decides, for both engines.
 * Words that resemble no non-ASCII word of the text are found by string search, many times as fast as by tokens.
 */
export function findWords(searched: SearchedText, node: TextNode, limit: number): Found[] {
  const { text, lower, foreign } = searched;
  const isLikeForeign = node.words.some((word, at) =>
    hasWord(foreign, word, node.isPrefix && at === node.words.length - 1),
  );
  if (isLikeForeign || lower.length !== text.length) return findAmongTokens(searched.tokens, node, limit);
  return node.words.every((word) => ASCII.test(word)) ? findPlain(searched, node, limit) : [];
}

const ASCII = /^[\0-\x7f]*$/;

function hasWord(words: ReadonlySet<string>, word: string, isPrefix: boolean): boolean {
  if (words.has(word)) return true;
  const mayBeLonger = isPrefix || word.length === MAX_WORD_CHARS;
  return mayBeLonger && words.size > 0 && [...words].some((one) => one.startsWith(word));
}

function findPlain(searched: SearchedText, node: TextNode, limit: number): Found[] {
  const { lower } = searched;
  const found: Found[] = [];
  const first = node.words[0] ?? '';
  for (let at = lower.indexOf(first); at >= 0 && found.length < limit; at = lower.indexOf(first, at + 1)) {
    const end = isWordAt(lower, at - 1) ? -1 : endOfPhrase(lower, at, node);
    const one = end >= 0 ? { from: at, to: end, isWhole: true } : findParts(searched, at, node);
    if (one !== null) found.push(one);
  }
  return found;
}

/** End of the phrase that starts at `at`; -1 if the words are not there. */
function endOfPhrase(lower: string, at: number, { words, isPrefix }: TextNode): number {
  let from = at;
  for (const [index, word] of words.entries()) {
    if (!lower.startsWith(word, from)) return -1;
    const end = from + word.length;
    const isLast = index === words.length - 1;
    const mayGoOn = (isLast && isPrefix) || word.length === MAX_WORD_CHARS;
    if (isWordAt(lower, end) && !mayGoOn) return -1;
    if (isLast) return end;
    from = startOfNextWord(lower, endOfRun(lower, end));
  }
  return -1;
}

function isWordAt(lower: string, at: number): boolean {
  const code = lower.charCodeAt(at);
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  return at >= 0 && at < lower.length && FOREIGN_WORD.test(characterAt(lower, at));
}

/** The whole character at a position, which may be the second half of a surrogate pair. */
function characterAt(text: string, at: number): string {
  const isSecondHalf = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return String.fromCodePoint(text.codePointAt(isSecondHalf ? at - 1 : at) ?? 0);
}

function endOfRun(lower: string, at: number): number {
  let end = at;
  while (isWordAt(lower, end)) end++;
  return end;
}

function startOfNextWord(lower: string, at: number): number {
  let start = at;
  while (start < lower.length && !isWordAt(lower, start)) start++;
  return start;
}

const RUN_CHAR = /[A-Za-z0-9]/;

/** Matches the words as parts of the name around `at`; names with non-ASCII letters are matched by their tokens. */
function findParts({ text, lower }: SearchedText, at: number, node: TextNode): Found | null {
  if (isWordAt(lower, at - 1) && !isPartStart(text, at)) return null;
  let start = at;
  let end = at;
  while (start > 0 && at - start <= MAX_WORD_CHARS && RUN_CHAR.test(text[start - 1] ?? '')) start--;
  while (end < text.length && end - at <= MAX_WORD_CHARS && RUN_CHAR.test(text[end] ?? '')) end++;
  if (isWordAt(lower, start - 1) || isWordAt(lower, end)) return null;
  const parts = camelParts(text.slice(start, end));
  const first = parts.findIndex(({ from }) => start + from === at);
  const last = parts[first + node.words.length - 1];
  if (first < 0 || last === undefined || !fits(parts, first, node)) return null;
  return { from: at, to: start + last.to, isWhole: false };
}

function fits(tokens: readonly { readonly word: string }[], at: number, { words, isPrefix }: TextNode): boolean {
  return words.every((word, index) => {
    const token = cutWord(tokens[at + index]?.word ?? '');
    return isPrefix && index === words.length - 1 ? token.startsWith(word) : token === word;
  });
}

function findAmongTokens(tokens: readonly ForeignToken[], node: TextNode, limit: number): Found[] {
  const found: Found[] = [];
  for (let at = 0; at < tokens.length && found.length < limit; at++) {
    const first = tokens[at];
    const last = tokens[at + node.words.length - 1];
    if (first && last && fits(tokens, at, node)) found.push({ from: first.from, to: last.to, isWhole: true });
    else if (first && first.parts.length > 0) found.push(...findAmongParts(first, node));
  }
  return found;
}

function findAmongParts({ parts }: ForeignToken, node: TextNode): Found[] {
  return parts.flatMap((part, at) => {
    const last = parts[at + node.words.length - 1];
    return last && fits(parts, at, node) ? [{ from: part.from, to: last.to, isWhole: false }] : [];
  });
}
