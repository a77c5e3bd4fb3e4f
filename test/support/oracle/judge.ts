/** Reports a fault unless the condition is true. */
export const fault = (isTrue: boolean, what: string): readonly string[] => (isTrue ? [] : [what]);

/** The words of a text, without punctuation and case. */
export const lettersOf = (text: string) => [...(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];

/**
 * Whether the words of a quotation are in the text in this order; markup, code and a few sentences may be between them.
 */
export function isExcerpt(quote: string, text: string): boolean {
  const words = lettersOf(text.replaceAll(/\]\([^()\s]*\)/g, '] '));
  const wanted = lettersOf(quote.replace(/…$/, ''));
  if (quote.endsWith('…')) wanted.pop();
  let at = 0;
  for (const word of wanted) {
    at = words.indexOf(word, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
