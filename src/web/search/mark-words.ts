export interface MarkedPart {
  readonly text: string;
  readonly isMarked: boolean;
}

const MAX_WORDS = 32;

/** Cuts a snippet into parts, those that are words of the search marked. */
export function markWords(snippet: string, search: string): MarkedPart[] {
  const words = search.split(/[\s"'()]+/).filter((word) => word !== '');
  if (words.length === 0) return [{ text: snippet, isMarked: false }];
  const pattern = new RegExp(`(${words.slice(0, MAX_WORDS).map(escapePattern).join('|')})`, 'giu');
  // Splitting by a pattern with one group gives the separators too: every second part is one.
  return snippet
    .split(pattern)
    .map((text, index) => ({ text, isMarked: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}

function escapePattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
