import type { SearchTerm } from '../../api/search.ts';
import { findWords, SearchedText } from '../../search/find-words.ts';
import { compilePattern } from '../../search/pattern.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Finds what to mark in the text of an item. */
export type Marker = (text: string) => readonly Span[];

/** One item rarely has more; a single letter could have thousands. */
const MAX_SPANS = 500;

/** A text as it is; upper and lower case are the same. */
export function literalMarker(wanted: string): Marker {
  const needle = sameLength(wanted);
  return (text) => {
    const spans: Span[] = [];
    const lower = sameLength(text);
    for (
      let at = needle === '' ? -1 : lower.indexOf(needle);
      at >= 0 && spans.length < MAX_SPANS;
      at = lower.indexOf(needle, at + needle.length)
    )
      spans.push({ from: at, to: at + needle.length });
    return spans;
  };
}

/** The words and patterns of a search, found by the rule that the search itself uses. */
export function termMarker(terms: readonly SearchTerm[]): Marker {
  const finders = terms.map(finderOf);
  return (text) => {
    const searched = new SearchedText(text);
    return finders.flatMap((find) => find(searched));
  };
}

function finderOf(term: SearchTerm): (searched: SearchedText) => readonly Span[] {
  if (term.kind === 'text') {
    const node = { kind: 'text', words: term.words, isPrefix: term.is_prefix } as const;
    return (searched) => findWords(searched, node, MAX_SPANS);
  }
  const find = compilePattern({
    kind: 'pattern',
    source: term.source,
    isRegex: term.is_regex,
    isCaseSensitive: term.is_case_sensitive,
    texts: [],
  });
  return ({ text }) => find(text, MAX_SPANS);
}

/** In lower case, but every character keeps its place: `İ` would become two. */
function sameLength(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : Array.from(text, lowerChar).join('');
}

function lowerChar(char: string): string {
  const lower = char.toLowerCase();
  return lower.length === char.length ? lower : char;
}
