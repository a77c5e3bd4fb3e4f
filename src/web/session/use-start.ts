import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RowList } from '../../reading/rows/row-list.ts';
import type { ReaderState } from './reader-state.ts';
import type { Start } from './row-scroller.tsx';

interface StartOptions {
  readonly saved: ReaderState | null;
  readonly list: RowList;
  readonly startItem: number;
}

/** Rows above the one to start at give it context. */
const START_TOP_PX = 140;

/** Where the reader was in this history entry, else at the message in the address; null for the beginning. */
export function useStart({ saved, list, startItem }: StartOptions): Start | null {
  const [start] = useState(() => {
    if (list.count === 0) return null;
    if (startItem >= 0) return { row: list.rowOf(startItem), topPx: START_TOP_PX };
    const anchor = saved?.anchor ?? null;
    const row = anchor === null ? -1 : list.rowOfKey(anchor.key);
    return anchor === null || row < 0 ? null : { row, topPx: anchor.topPx };
  });
  return start;
}

/** Follows the address when it changes while the session is open. */
export function useJumps(
  at: number | null,
  block: number | null,
  jumpTo: (ordinal: number, block?: number) => void,
): void {
  const last = useRef({ at, block });
  useEffect(() => {
    const isNew = at !== last.current.at || block !== last.current.block;
    if (at !== null && isNew) jumpTo(at, block ?? undefined);
    last.current = { at, block };
  }, [at, block, jumpTo]);
}

/** Keeps the state of the page for its history entry. */
export function useSaved(save: () => void): void {
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
    save();
  });
  // A layout effect, because its end comes before the rows are removed.
  useLayoutEffect(() => () => latest.current(), []);
}
