import type { TextNode } from '../domain/search.ts';
import { type ForeignToken, foreignTokens } from './foreign-words.ts';
import { camelParts, cutWord, MAX_WORD_CHARS } from './words.ts';

/** A stretch of a text that fits. Parts of a name weigh less than the whole of it. */
export interface Found {
  readonly from: number;
  readonly to: number;
  readonly isWhole: boolean;
}

/** A text to look into; what is costly to know of it is found out once. */
export interface LookedAt {
  readonly text: string;
  readonly lower: string;
  /** Null when all its words are ASCII: then it is read letter by letter. */
  readonly tokens: readonly ForeignToken[] | null;
}

const FOREIGN_WORD = /(?![\0-\x7f])[\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/u;

export function lookAt(text: string): LookedAt {
  return { text, lower: text.toLowerCase(), tokens: FOREIGN_WORD.test(text) ? foreignTokens(text) : null };
}

/** Where the words stand side by side, in order. The index finds candidates; this decides, for both engines. */
export function findWords(looked: LookedAt, node: TextNode, limit: number): Found[] {
  return looked.tokens === null ? findPlain(looked, node, limit) : findAmongTokens(looked.tokens, node, limit);
}

function findPlain({ text, lower }: LookedAt, node: TextNode, limit: number): Found[] {
  const found: Found[] = [];
  const first = node.words[0] ?? '';
  for (let at = lower.indexOf(first); at >= 0 && found.length < limit; at = lower.indexOf(first, at + 1)) {
    const isRunStart = !isWordAt(lower, at - 1);
    const end = isRunStart ? endOfPhrase(lower, at, node) : -1;
    if (end >= 0) found.push({ from: at, to: end, isWhole: true });
    else {
      const part = findParts(text, at, node);
      if (part !== null) found.push(part);
    }
  }
  return found;
}

/** Where the words end that begin at `at`; -1 when they do not stand there. */
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
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
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

/** The words as parts of the one name that stands around `at`. */
function findParts(text: string, at: number, node: TextNode): Found | null {
  let start = at;
  let end = at;
  while (start > 0 && at - start <= MAX_WORD_CHARS && RUN_CHAR.test(text[start - 1] ?? '')) start--;
  while (end < text.length && end - at <= MAX_WORD_CHARS && RUN_CHAR.test(text[end] ?? '')) end++;
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
