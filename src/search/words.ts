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

export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.normalize('NFKC').matchAll(RUN)) {
    push(words, run);
    if (HAS_CAMEL.test(run)) for (const [part] of run.matchAll(CAMEL_PART)) push(words, part);
  }
  return words;
}

function push(words: string[], run: string): void {
  words.push(run.toLowerCase().slice(0, MAX_WORD_CHARS));
}
