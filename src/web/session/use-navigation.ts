import { type RefObject, useCallback, useLayoutEffect, useReducer, useRef, useState } from 'react';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import type { Density } from '../../reading/rows/row.ts';
import type { RowList } from '../../reading/rows/row-list.ts';
import type { Marker } from '../items/marker.ts';
import type { Edge, Landed } from './landing.ts';
import type { Align, ScrollerHandle } from './row-scroller.tsx';
import type { Rows } from './use-rows.ts';

/** Where to go once the rows are there. */
type Target =
  | { readonly kind: 'item'; readonly item: number; readonly found: Found | null }
  | { readonly kind: 'anchor'; readonly item: number; readonly topPx: number };

/** Text to find in a message. */
export interface Found {
  readonly ordinal: number;
  readonly marker: Marker;
  readonly edge: Edge;
}

export interface Navigation {
  /** The key of the selected row. */
  readonly selected: number | null;
  readonly goToRow: (row: number, align: Align) => void;
  readonly goToEnd: () => void;
  readonly goToTurn: (turn: number) => void;
  /** Shows a message, wherever it is hidden. */
  readonly jumpTo: (ordinal: number, block?: number) => void;
  /** Shows a match in a message, wherever the message or the match is hidden. */
  readonly jumpToMatch: (found: Found, block: number) => void;
  /** Shows a match in the message that the page was opened with. */
  readonly showMatch: (marker: Marker) => void;
  /** The row that a search led to. */
  readonly landed: Landed | null;
  readonly leaveMatch: () => void;
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
  const { landed, land, leaveMatch } = useLanded(rows, scroller);
  const aim = useTarget({ list, scroller, select, land });
  const goToRow = (row: number, align: Align) => {
    if (list.count === 0) return;
    select(list.keyAt(row));
    scroller.current?.scrollToRow(row, align);
  };
  const go = useCallback(
    (ordinal: number, block: number | undefined, found: Found | null) => {
      const item = reveal(ordinal, block);
      if (item >= 0) aim({ kind: 'item', item, found });
    },
    [reveal, aim],
  );
  const jumpTo = useCallback((ordinal: number, block?: number) => go(ordinal, block, null), [go]);
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
    jumpToMatch: (found, block) => go(found.ordinal, block, found),
    showMatch: (marker) => {
      if (rows.startItem < 0 || list.count === 0) return;
      land(list.rowOf(rows.startItem), { ordinal: index.columns.ordinal[rows.startItem] ?? -1, marker, edge: 'first' });
    },
    landed,
    leaveMatch,
    setDensity: (density) => {
      const top = scroller.current?.anchor() ?? null;
      const row = top === null ? -1 : list.rowOfKey(top.key);
      const item = row < 0 ? -1 : nextItem(list, row, 1);
      rows.setDensity(density);
      if (item >= 0 && top !== null) aim({ kind: 'anchor', item, topPx: top.topPx });
    },
  };
}

/** The match that the reader is at. */
function useLanded({ list, open }: Rows, scroller: RefObject<ScrollerHandle | null>) {
  const [landed, setLanded] = useState<Landed | null>(null);
  return {
    landed,
    land: (row: number, { ordinal, marker, edge }: Found) => {
      const key = list.keyAt(row);
      open(key);
      setLanded({ key, ordinal, marker });
      scroller.current?.showMatch(key, marker, edge);
    },
    leaveMatch: () => {
      setLanded(null);
      scroller.current?.endMatch();
    },
  };
}

interface TargetOptions {
  readonly list: RowList;
  readonly scroller: RefObject<ScrollerHandle | null>;
  readonly select: (key: number) => void;
  readonly land: (row: number, found: Found) => void;
}

/** Remembers where to go until the rows for it are in the list. */
function useTarget({ list, scroller, select, land }: TargetOptions) {
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
      scroller.current?.scrollToRow(row, 'center');
      if (next.found !== null) land(row, next.found);
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
