import type { Redactor } from './redact.ts';

/** A shorter part of a secret is of no use. */
const MIN_TORN_CHARS = 16;

/**
 * Redacts a text that fuel-code made out of another one, such as a title or a summary: its first letter may have been
 * capitalized, and it may have been cut within a word. Neither a secret with a capital nor half of one is recognized.
 */
export function redactCut(redactor: Redactor, text: string): string {
  const asFound = redactor.text(text);
  const asWritten = redactor.text(text.slice(0, 1).toLowerCase() + text.slice(1));
  const found = ({ replaced }: typeof asFound) => [...replaced.values()].reduce((sum, count) => sum + count, 0);
  const { value } = found(asWritten) > found(asFound) ? asWritten : asFound;
  return value.replaceAll(/\S+/g, withoutTorn);
}

/** A long word that was cut is left out. */
function withoutTorn(word: string): string {
  const cut = word.indexOf('…');
  return cut >= MIN_TORN_CHARS ? word.slice(cut) : word;
}
