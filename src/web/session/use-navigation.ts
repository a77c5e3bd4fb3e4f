import { type RefObject, useCallback, useLayoutEffect, useReducer, useRef, useState } from 'react';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import type { Density } from '../../reading/rows/row.ts';
import type { RowList } from '../../reading/rows/row-list.ts';
import type { Align, ScrollerHandle } from './row-scroller.tsx';
import type { Rows } from './use-rows.ts';

/** Where to go once the rows are there. */
type Target =
  | { readonly kind: 'item'; readonly item: number; readonly align: Align }
  | { readonly kind: 'anchor'; readonly item: number; readonly topPx: number };

export interface Navigation {
  /** The key of the selected row. */
  readonly selected: number | null;
  readonly goToRow: (row: number, align: Align) => void;
  readonly goToEnd: () => void;
  readonly goToTurn: (turn: number) => void;
  /** Shows a message, wherever it is hidden. */
  readonly jumpTo: (ordinal: number, block?: number) => void;
  /** Changes the density; what is at the top stays there. */
  readonly setDensity: (density: Density) => void;
}

interface NavigationOptions {
  readonly index: OutlineIndex;
  readonly rows: Rows;
  readonly scroller: RefObject<ScrollerHandle | null>;
  readonly selectedAtStart: number | null;
}

export function useNavigation({ index, rows, scroller, selectedAtStart }: NavigationOptions): Navigation {
  const { list, reveal } = rows;
  const [selected, select] = useState(selectedAtStart);
  const aim = useTarget(list, scroller, select);
  const goToRow = (row: number, align: Align) => {
    if (list.count === 0) return;
    select(list.keyAt(row));
    scroller.current?.scrollToRow(row, align);
  };
  const jumpTo = useCallback(
    (ordinal: number, block?: number) => {
      const item = reveal(ordinal, block);
      if (item >= 0) aim({ kind: 'item', item, align: 'center' });
    },
    [reveal, aim],
  );
  return {
    selected,
    goToRow,
    goToEnd: () => {
      if (list.count > 0) select(list.keyAt(list.count - 1));
      scroller.current?.scrollToEnd();
    },
    goToTurn: (turn) => {
      const row = list.rowOfTurn(turn);
      if (row >= 0) goToRow(row, 'start');
      else jumpTo(index.turns.ordinal[turn] ?? 0);
    },
    jumpTo,
    setDensity: (density) => {
      const top = scroller.current?.anchor() ?? null;
      const row = top === null ? -1 : list.rowOfKey(top.key);
      const item = row < 0 ? -1 : nextItem(list, row, 1);
      rows.setDensity(density);
      if (item >= 0 && top !== null) aim({ kind: 'anchor', item, topPx: top.topPx });
    },
  };
}

/** Remembers where to go until the rows for it are in the list. */
function useTarget(list: RowList, scroller: RefObject<ScrollerHandle | null>, select: (key: number) => void) {
  const target = useRef<Target | null>(null);
  const [, wake] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    const next = target.current;
    if (next === null || list.count === 0) return;
    target.current = null;
    const row = list.rowOf(next.item);
    if (next.kind === 'anchor') {
      scroller.current?.restore(row, next.topPx);
    } else {
      select(list.keyAt(row));
      scroller.current?.scrollToRow(row, next.align);
    }
  });
  return useCallback((next: Target) => {
    target.current = next;
    wake();
  }, []);
}

/** The item of the nearest row that has one, in a direction; -1 if there is none. */
export function nextItem(list: RowList, row: number, step: 1 | -1): number {
  for (let at = row; at >= 0 && at < list.count; at += step) if (list.itemAt(at) >= 0) return list.itemAt(at);
  return -1;
}
