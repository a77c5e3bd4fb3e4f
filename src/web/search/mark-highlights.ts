import type { Highlight } from '../../domain/search.ts';

export interface MarkedPart {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Splits a snippet into parts and marks those that match the search. */
export function markHighlights(snippet: string, highlights: readonly Highlight[]): MarkedPart[] {
  const parts: MarkedPart[] = [];
  let end = 0;
  for (const [from, to] of highlights) {
    parts.push({ text: snippet.slice(end, from), isMarked: false }, { text: snippet.slice(from, to), isMarked: true });
    end = to;
  }
  return [...parts, { text: snippet.slice(end), isMarked: false }].filter(({ text }) => text !== '');
}

/** The same, line by line. */
export function markLines(snippet: string, highlights: readonly Highlight[]): readonly (readonly MarkedPart[])[] {
  const lines: MarkedPart[][] = [[]];
  for (const { text, isMarked } of markHighlights(snippet, highlights)) {
    const [first = '', ...rest] = text.split('\n');
    if (first !== '') lines.at(-1)?.push({ text: first, isMarked });
    for (const line of rest) lines.push(line === '' ? [] : [{ text: line, isMarked }]);
  }
  return lines;
}
