// The virtualizer mutates itself and passes callback refs by name; the compiler's rules cannot tell that this is safe.
/* oxlint-disable react/incompatible-library, react/refs */
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import {
  type ReactNode,
  type Ref,
  type RefObject,
  type UIEvent,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import type { Row } from '../../reading/rows/row.ts';
import type { RowList } from '../../reading/rows/row-list.ts';
import type { Marker } from '../items/marker.ts';
import { type Edge, Landing } from './landing.ts';
import { useLitTurns } from './lit-turns.ts';
import { estimateRowPx } from './row-heights.ts';
import { keepMeasurements } from './row-measurements.ts';
import styles from './row-scroller.module.css';

export type Align = 'start' | 'center' | 'auto';

/** A place to return to: a row and where its top was. */
export interface Anchor {
  readonly key: number;
  readonly topPx: number;
}

/** A row to start at, and where its top is to be. */
export interface Start {
  readonly row: number;
  readonly topPx: number;
}

export interface ScrollerHandle {
  scrollToRow(row: number, align: Align): void;
  /** The first row that begins in view. */
  anchor(): Anchor | null;
  /** Puts a row where it was. */
  restore(row: number, topPx: number): void;
  scrollToEnd(): void;
  /** Brings a match in a row into view, as soon as the row shows it. */
  showMatch(key: number, marker: Marker, edge: Edge): void;
  /** Goes to the next match of the same row that is out of view; false if there is none. */
  stepMatch(by: 1 | -1): boolean;
  endMatch(): void;
  isAtEnd(): boolean;
  focus(): void;
}

/** Rows in view; the first one is below the prompt that lies over the top. */
export interface VisibleRows {
  readonly first: number;
  readonly last: number;
}

export interface Move {
  readonly isAtEnd: boolean;
  readonly isUp: boolean;
}

interface RowScrollerProps {
  readonly index: OutlineIndex;
  readonly rows: RowList;
  readonly currentKey: number | null;
  readonly selectedTurns: ReadonlySet<number>;
  /** Where to start; null for the beginning. */
  readonly start: Start | null;
  readonly renderRow: (row: Row) => ReactNode;
  readonly handle: Ref<ScrollerHandle>;
  readonly onVisible: (visible: VisibleRows) => void;
  /** Called with the rows in the document, including those just out of view. */
  readonly onRendered: (visible: VisibleRows) => void;
  /** Called while the list moves. */
  readonly onMove: (move: Move) => void;
}

const OVERSCAN_ROWS = 8;
const PADDING_START_PX = 12;
const PADDING_END_PX = 160;
/** The prompt of the current turn covers this much at the top. */
const STICKY_PX = 48;
const END_PX = 48;
const MAX_SHOWN_DEPTH = 3;

/** The list of rows; only what is in view is in the document. */
export function RowScroller(props: RowScrollerProps) {
  const { rows, handle, onVisible, onRendered } = props;
  const litTurns = useLitTurns();
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useRowVirtualizer(props, scroll);
  const landing = useLanding(virtual, scroll);
  const own = useMemo(() => createHandle({ virtual, rows, scroll, landing }), [virtual, rows, landing]);
  useImperativeHandle(handle, () => own, [own]);
  // Uses the virtualizer's values: reading them from the document would force a layout.
  const reportVisible = () => {
    const top = (virtual.scrollOffset ?? 0) + STICKY_PX;
    onVisible({ first: virtual.getVirtualItemForOffset(top)?.index ?? 0, last: virtual.range?.endIndex ?? -1 });
  };
  const lastTop = useRef(0);
  const onScroll = (event: UIEvent<HTMLDivElement>) => {
    const { scrollTop } = event.currentTarget;
    const isUp = scrollTop < lastTop.current;
    lastTop.current = scrollTop;
    const belowPx = virtual.getTotalSize() - scrollTop - (virtual.scrollRect?.height ?? 0);
    props.onMove({ isAtEnd: belowPx < END_PX + PADDING_END_PX, isUp });
    reportVisible();
  };
  const items = virtual.getVirtualItems();
  const { startIndex, endIndex } = virtual.range ?? { startIndex: 0, endIndex: -1 };
  // oxlint-disable-next-line react/exhaustive-deps -- called again when other rows are in view
  useLayoutEffect(reportVisible, [onVisible, startIndex, endIndex, rows]);
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => onRendered({ first, last }), [onRendered, first, last]);
  return (
    <div
      ref={scroll}
      className={styles['scroller']}
      role="feed"
      aria-label="Transcript"
      tabIndex={0}
      onScroll={onScroll}
    >
      <div className={styles['rows']} ref={virtual.containerRef} role="presentation">
        {items.map(({ key, index: at }) => (
          <div key={key} ref={virtual.measureElement} data-index={at} {...rowAttributes(props, litTurns, at)}>
            {props.renderRow(rows.at(at))}
          </div>
        ))}
      </div>
    </div>
  );
}

function rowAttributes(
  { rows, currentKey, selectedTurns }: RowScrollerProps,
  litTurns: ReadonlySet<number>,
  at: number,
) {
  const row = rows.at(at);
  const { kind, key, turn, isAbandoned } = row;
  return {
    className: rowClass(row),
    role: 'article',
    'data-kind': kind,
    'data-key': key,
    'data-turn': turn < 0 ? undefined : turn,
    'data-current': key === currentKey || undefined,
    'data-abandoned': isAbandoned || undefined,
    'data-selected': selectedTurns.has(turn) || undefined,
    'data-lit': litTurns.has(turn) || undefined,
    'aria-posinset': at + 1,
    'aria-setsize': rows.count,
  } as const;
}

export function rowClass({ depth }: Row): string {
  return `${styles['row']} ${styles[`depth-${Math.min(depth, MAX_SHOWN_DEPTH)}`] ?? ''}`;
}

function useRowVirtualizer({ index, rows, start }: RowScrollerProps, scroll: RefObject<HTMLDivElement | null>) {
  const estimateSize = useMemo(
    () => remember(rows.count, (at) => estimateRowPx(index.columns, rows.kindAt(at), rows.itemAt(at))),
    [index, rows],
  );
  const getItemKey = useMemo(() => remember(rows.count, rows.keyAt), [rows]);
  const virtual = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.count,
    getScrollElement: () => scroll.current,
    estimateSize,
    initialOffset: () => (start === null ? 0 : startPx(start, estimateSize)),
    getItemKey,
    overscan: OVERSCAN_ROWS,
    paddingStart: PADDING_START_PX,
    paddingEnd: PADDING_END_PX,
    scrollPaddingStart: STICKY_PX,
    scrollPaddingEnd: PADDING_START_PX,
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
  });
  keepMeasurements(virtual);
  useLayoutEffect(() => {
    virtual.shouldAdjustScrollPositionOnItemSizeChange = (item) => isAbove(virtual, item);
  }, [virtual]);
  return virtual;
}

/** The virtualizer asks for all rows whenever the list changes. */
function remember(count: number, read: (row: number) => number): (row: number) => number {
  const known = new Float64Array(count).fill(Number.NaN);
  return (row) => {
    const value = known[row] as number;
    if (!Number.isNaN(value)) return value;
    const fresh = read(row);
    known[row] = fresh;
    return fresh;
  };
}

function startPx({ row, topPx }: Start, estimateSize: (row: number) => number): number {
  let px = PADDING_START_PX - topPx;
  for (let at = 0; at < row; at += 1) px += estimateSize(at);
  return Math.max(px, 0);
}

/**
 * Whether a change of a row's height must not move what is in view. A row that begins above the view keeps its end in
 * place when its text arrives; when the reader opens it, its beginning stays.
 */
function isAbove(virtual: RowVirtualizer, { key, start, end }: VirtualItem): boolean {
  const offset = virtual.scrollOffset ?? 0;
  const element = virtual.elementsCache.get(key);
  const isFilled = element?.dataset['filled'] !== undefined;
  if (isFilled) delete element.dataset['filled'];
  if (isFilled || !virtual.itemSizeCache.has(key)) return start < offset;
  return end <= offset && virtual.scrollDirection !== 'backward';
}

type RowVirtualizer = ReturnType<typeof useVirtualizer<HTMLDivElement, HTMLDivElement>>;

function useLanding(virtual: RowVirtualizer, scroll: RefObject<HTMLDivElement | null>): Landing {
  const [landing] = useState(() => new Landing());
  useLayoutEffect(() => {
    if (scroll.current === null) return undefined;
    const scrollTo = (px: number) => virtual.scrollToOffset(px, { align: 'start' });
    return landing.attach({ element: scroll.current, topPx: STICKY_PX, scrollTo });
  }, [landing, virtual, scroll]);
  return landing;
}

interface HandleOptions {
  readonly virtual: RowVirtualizer;
  readonly rows: RowList;
  readonly scroll: RefObject<HTMLDivElement | null>;
  readonly landing: Landing;
}

function createHandle({ virtual, rows, scroll, landing }: HandleOptions): ScrollerHandle {
  const topOf = (row: number) => virtual.measurementsCache[row]?.start ?? 0;
  return {
    scrollToRow: (row, align) => virtual.scrollToIndex(row, { align }),
    anchor: () => {
      const element = scroll.current;
      const range = virtual.range;
      if (element === null || range === null || range.endIndex >= rows.count) return null;
      // A row that begins above the view would be a bad anchor: it may turn out taller than estimated.
      // So would the line of a day, which is no row of its own in other densities.
      let row = range.startIndex;
      while (row < range.endIndex && (topOf(row) < element.scrollTop || rows.kindAt(row) === 'day')) row += 1;
      return { key: rows.keyAt(row), topPx: topOf(row) - element.scrollTop };
    },
    restore: (row, topPx) => {
      if (scroll.current === null) return;
      // Not with scrollToOffset(), which ignores that rows above turn out taller or lower than estimated. The virtualizer
      // has to know the new place at once: rows are measured before the browser reports it.
      scroll.current.scrollTop = topOf(row) - topPx;
      virtual.scrollOffset = scroll.current.scrollTop;
    },
    scrollToEnd: () => virtual.scrollToEnd(),
    showMatch: (key, marker, edge) => landing.land(key, marker, edge),
    stepMatch: (by) => landing.step(by),
    endMatch: () => landing.end(),
    isAtEnd: () => {
      const element = scroll.current;
      return (
        element !== null && element.scrollHeight - element.scrollTop - element.clientHeight < END_PX + PADDING_END_PX
      );
    },
    focus: () => scroll.current?.focus({ preventScroll: true }),
  };
}
