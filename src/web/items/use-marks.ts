import { type RefObject, useEffect } from 'react';
import { findRanges } from './find-ranges.ts';
import type { Marker } from './marker.ts';

const NAME = 'found';
const CURRENT_NAME = 'found-now';

/** The marks of all items. Missing in browsers without the CSS Custom Highlight API, which then show no marks. */
function highlightOf(name: string, priority: number): Highlight | null {
  if (typeof Highlight === 'undefined') return null;
  const known = CSS.highlights.get(name);
  if (known !== undefined) return known;
  const fresh = new Highlight();
  fresh.priority = priority;
  CSS.highlights.set(name, fresh);
  return fresh;
}

/** Marks the match that the reader is at; null for none. */
export function markCurrent(range: Range | null): void {
  const highlight = highlightOf(CURRENT_NAME, 1);
  highlight?.clear();
  if (range !== null) highlight?.add(range);
}

/** Marks what a marker finds in an element, without changing the element. */
export function useMarks(root: RefObject<HTMLElement | null>, marked: Marker | null): void {
  useEffect(() => {
    const highlight = marked === null ? null : highlightOf(NAME, 0);
    const element = root.current;
    if (highlight === null || element === null || marked === null) return undefined;
    let ranges: readonly Range[] = [];
    const draw = () => {
      for (const range of ranges) highlight.delete(range);
      ranges = findRanges(element, marked);
      for (const range of ranges) highlight.add(range);
    };
    draw();
    // Items open, and their code is colored later.
    const observer = new MutationObserver(draw);
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      for (const range of ranges) highlight.delete(range);
    };
  }, [root, marked]);
}
