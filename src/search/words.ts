/**
 * The one tokenizer of ours; both full-text engines index its output, so both find the same. Words are lower-case runs
 * of letters and digits; identifiers and paths give their parts as well (`session_repo.test.ts` → session repo test ts,
 * `parseLine` → parseline parse line), since that is how people look for code.
 */
export const MAX_WORD_CHARS = 64;
/** A row of the index holds at most so much text: PostgreSQL refuses a tsvector over 1 MB. */
export const MAX_DOCUMENT_CHARS = 200_000;

const RUN = /[\p{L}\p{N}\p{M}]+/gu;
const CAMEL_PART = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{M}]+\p{N}*|\p{N}+/gu;
const HAS_CAMEL = /\p{Ll}\p{N}*\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;

/** The same for ASCII, which most text is; without Unicode classes it is several times as fast. */
const ASCII = /^[\0-\x7f]*$/;
const ASCII_RUN = /[A-Za-z0-9]+/g;
const ASCII_CAMEL_PART = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g;
const ASCII_HAS_CAMEL = /[a-z][0-9]*[A-Z]|[A-Z][A-Z][a-z]/;

export function wordsOf(text: string): string[] {
  if (ASCII.test(text)) return split(text, ASCII_RUN, ASCII_HAS_CAMEL, ASCII_CAMEL_PART);
  return split(text.normalize('NFKC'), RUN, HAS_CAMEL, CAMEL_PART);
}

function split(text: string, run: RegExp, hasCamel: RegExp, camelPart: RegExp): string[] {
  const words: string[] = [];
  for (const found of text.match(run) ?? []) {
    words.push(toWord(found));
    if (hasCamel.test(found)) for (const part of found.match(camelPart) ?? []) words.push(toWord(part));
  }
  return words;
}

function toWord(run: string): string {
  return run.length > MAX_WORD_CHARS ? run.slice(0, MAX_WORD_CHARS).toLowerCase() : run.toLowerCase();
}
