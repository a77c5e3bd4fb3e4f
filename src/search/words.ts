import { foreignTokens } from './foreign-words.ts';

/**
 * The one tokenizer of ours; both full-text engines index its output, so both find the same. Words are runs of letters
 * and digits, whatever their case; a path or a snake_case name is several words side by side, and is found by any
 * stretch of them. Names in camelCase are one word and have parts: `parseLine` is parseline, and also parse and line.
 */
export const MAX_WORD_CHARS = 64;

/**
 * What an engine gets of a text: words are separated by whatever is ASCII but neither letter nor digit, and the case of
 * ASCII letters does not matter. Plain text needs no work that way.
 */
export interface IndexText {
  readonly words: string;
  readonly parts: string;
}

const ASCII = /^[\0-\x7f]*$/;
/** Dashes, quotes, arrows and lines of boxes: frequent in the output of tools, and never part of a word. */
const FREQUENT_SIGNS = /[\u2010-\u2027\u2190-\u2193\u2500-\u259f]+/g;
const FOREIGN_RUN = /[A-Za-z0-9]*[\u0080-\uffff][A-Za-z0-9\u0080-\uffff]*/g;
const TOO_LONG = /[A-Za-z0-9\u0080-\uffff]{65,}/g;

export function toIndexText(text: string): IndexText {
  const parts: string[] = [];
  const words = ASCII.test(text) ? text : spellForeignWords(text, parts);
  const { hasLongWord } = collectCamelParts(words, parts);
  return { words: hasLongWord ? words.replaceAll(TOO_LONG, cutWord) : words, parts: parts.join(' ') };
}

/** Longer ones are keys and encoded files; they are found by their beginning. */
export function cutWord(word: string): string {
  return word.length <= MAX_WORD_CHARS ? word : word.slice(0, MAX_WORD_CHARS).toWellFormed();
}

function spellForeignWords(text: string, parts: string[]): string {
  return text.replaceAll(FREQUENT_SIGNS, ' ').replaceAll(FOREIGN_RUN, (run) => {
    const tokens = foreignTokens(run);
    for (const token of tokens) parts.push(...token.parts.map(({ word }) => word));
    return ` ${tokens.map(({ word }) => word).join(' ')} `;
  });
}

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const FOREIGN = 4;
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return /[a-z]/.test(char) ? LOWER : /[A-Z]/.test(char) ? UPPER : /[0-9]/.test(char) ? DIGIT : 0;
});

/** By hand and not by a pattern: it looks at every letter of an import once, and no text makes it slow. */
function collectCamelParts(text: string, parts: string[]): { readonly hasLongWord: boolean } {
  let start = 0;
  let letter = 0;
  let before = 0;
  let hasCamel = false;
  let hasLongWord = false;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0;
    const now = code < 128 ? CLASSES[code] : FOREIGN;
    if (now === 0) {
      if (at - start > MAX_WORD_CHARS) hasLongWord = true;
      else if (hasCamel) for (const { word } of camelParts(text.slice(start, at))) parts.push(word);
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

export interface Part {
  readonly word: string;
  /** Where it stands in its run. */
  readonly from: number;
  readonly to: number;
}

const HAS_CAMEL = /[a-z][0-9]*[A-Z]|[A-Z][0-9]*[A-Z][0-9]*[a-z]/;
const CAMEL_PART = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g;

/** The parts of an ASCII name in camelCase; none of any other. */
export function camelParts(run: string): Part[] {
  if (run.length > MAX_WORD_CHARS || !HAS_CAMEL.test(run)) return [];
  return Array.from(run.matchAll(CAMEL_PART), ({ 0: part, index }) => ({
    word: part.toLowerCase(),
    from: index,
    to: index + part.length,
  }));
}

const WORD = /[a-z0-9\u0080-\uffff]+/g;

/** The words of a text as the index has them. */
export function wordsOf(text: string): string[] {
  return toIndexText(text).words.toLowerCase().match(WORD) ?? [];
}
