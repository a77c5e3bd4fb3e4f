import { useLayoutEffect, useMemo, useRef } from 'react';
import { formatCompact, formatCount } from '../../reading/format.ts';
import { contextAt } from '../../reading/rows/context-size.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import styles from './context-meter.module.css';

interface ContextMeterProps {
  readonly index: OutlineIndex;
  /** The first item in view. */
  readonly item: number;
}

/** How full the context was at the place that is on screen, relative to where it was fullest. */
export function ContextMeter({ index, item }: ContextMeterProps) {
  const { fullest: largest } = index;
  const fill = useRef<HTMLSpanElement>(null);
  const here = useMemo(() => contextAt(index, item), [index, item]);
  useLayoutEffect(() => {
    // The policy of the page forbids style attributes.
    if (fill.current !== null) fill.current.style.width = `${(here / largest) * 100}%`;
  }, [here, largest]);
  if (largest === 0) return null;
  return (
    <div
      className={styles['meter']}
      role="meter"
      aria-label="Context"
      aria-valuemin={0}
      aria-valuemax={largest}
      aria-valuenow={here}
      aria-valuetext={`${formatCount(here)} tokens`}
      title={`${formatCount(here)} tokens in the context here; at most ${formatCount(largest)} in this session`}
    >
      <span className={styles['label']}>Context</span>
      <span className={styles['bar']}>
        <span ref={fill} className={styles['fill']} />
      </span>
      <span className={styles['tokens']}>{formatCompact(here)} tokens</span>
    </div>
  );
}
