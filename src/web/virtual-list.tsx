// The virtualizer mutates itself and passes callback refs by name; the compiler's rules cannot tell that this is safe.
/* oxlint-disable react/incompatible-library, react/refs */
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type AriaAttributes,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
} from 'react';
import { MAX_PRINTED_ROWS, useIsPrinting } from './printing.ts';

export interface VirtualHandle {
  readonly scrollTo: (index: number, align: 'start' | 'center' | 'auto') => void;
}

export interface RowAttributes extends AriaAttributes {
  readonly className: string;
  readonly role: string;
}

interface VirtualListProps<T> {
  readonly rows: readonly T[];
  /** A function that stays the same: with another one all rows are measured again. */
  readonly rowKey: (row: T) => string;
  /** Estimate until a row is measured; good estimates keep the scroll bar steady. */
  readonly estimatePx: (row: T) => number;
  readonly rowAttributes: (row: T, index: number) => RowAttributes;
  readonly renderRow: (row: T, index: number) => ReactNode;
  readonly handle: Ref<VirtualHandle>;
  readonly attributes: RowAttributes & { readonly tabIndex?: number };
  readonly paddingPx?: { readonly start: number; readonly end: number };
  readonly startAtPx?: number;
  readonly onScrollPx?: (px: number) => void;
  /** Called with the last visible row whenever it changes. */
  readonly onLastShown?: (index: number) => void;
}

const OVERSCAN_ROWS = 10;
const NO_PADDING = { start: 0, end: 0 };

/**
 * A scrolling list that renders only the visible rows, and all of them on paper. Positions are set through the CSSOM because the content security
 * policy of the page forbids style attributes.
 */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { rows, rowKey, handle, startAtPx = 0, paddingPx = NO_PADDING, onScrollPx, onLastShown } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const getItemKey = useCallback((index: number) => rowKey(rows[index] as T), [rows, rowKey]);
  const virtual = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: (index) => props.estimatePx(rows[index] as T),
    getItemKey,
    overscan: OVERSCAN_ROWS,
    initialOffset: startAtPx,
    paddingStart: paddingPx.start,
    paddingEnd: paddingPx.end,
    scrollPaddingStart: paddingPx.start,
    scrollPaddingEnd: paddingPx.start,
    directDomUpdates: true,
  });
  useImperativeHandle(handle, () => ({ scrollTo: (index, align) => virtual.scrollToIndex(index, { align }) }), [
    virtual,
  ]);
  const isPrinting = useIsPrinting();
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => onLastShown?.(lastShown), [onLastShown, lastShown]);
  const shown = isPrinting
    ? Array.from({ length: Math.min(rows.length, MAX_PRINTED_ROWS) }, (_, index) => index)
    : items.map(({ index }) => index);
  return (
    <div {...props.attributes} ref={scroll} onScroll={(event) => onScrollPx?.(event.currentTarget.scrollTop)}>
      <div className="virtual" ref={virtual.containerRef} role="presentation">
        {shown.map((index) => (
          <div
            key={getItemKey(index)}
            data-index={index}
            ref={isPrinting ? undefined : virtual.measureElement}
            {...props.rowAttributes(rows[index] as T, index)}
          >
            {props.renderRow(rows[index] as T, index)}
          </div>
        ))}
      </div>
    </div>
  );
}
