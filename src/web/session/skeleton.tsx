import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { Row } from '../../reading/rows/row.ts';
import { useReader } from './reader-context.ts';
import { estimateRowPx } from './row-heights.ts';
import styles from './row-view.module.css';

/** Keeps the room of a row whose text is not loaded yet. */
export function Skeleton({ row }: { readonly row: Row }) {
  const { index } = useReader();
  const px = estimateRowPx(index.columns, row.kind, row.item);
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (element.current !== null) element.current.style.height = `${px}px`;
  }, [px]);
  useFillMark(element);
  return <div ref={element} className={styles['skeleton']} aria-hidden="true" />;
}

/** Marks the row when its text has replaced a placeholder: its height changes by itself then. */
export function useFillMark(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const row = element.current?.closest<HTMLElement>('[role=article]') ?? null;
    return () => {
      if (row !== null) row.dataset['filled'] = '';
    };
  }, [element]);
}
