import { useMemo } from 'react';
import { formatCompact, formatCount, formatPercent } from '../../reading/format.ts';
import { contextAt, contextWindow } from '../../reading/rows/context-size.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import { useShare } from '../charts/size.ts';
import styles from './context-meter.module.css';

interface ContextMeterProps {
  readonly index: OutlineIndex;
  /** The first item in view. */
  readonly item: number;
}

/** How full the context was at the place that is on screen. If its window is unknown, relative to where it was fullest. */
export function ContextMeter({ index, item }: ContextMeterProps) {
  const { fullest: largest } = index;
  const window = useMemo(() => contextWindow(index), [index]);
  const all = window ?? largest;
  const here = useMemo(() => contextAt(index, item), [index, item]);
  const fill = useShare(here / all);
  if (largest === 0) return null;
  return (
    <div
      className={styles['meter']}
      role="meter"
      aria-label="Context"
      aria-valuemin={0}
      aria-valuemax={all}
      aria-valuenow={here}
      aria-valuetext={`${formatCount(here)} tokens`}
      title={titleOf(here, window, largest)}
    >
      <span>Context</span>
      <span className={styles['bar']}>
        <span ref={fill} className={styles['fill']} />
      </span>
      <span className={styles['tokens']}>
        {formatCompact(here)} {window === null ? 'tokens' : `(${formatPercent(here, window)})`}
      </span>
    </div>
  );
}

function titleOf(here: number, window: number | null, largest: number): string {
  const share = window === null ? '' : `, ${formatPercent(here, window)} of the window of ${formatCount(window)}`;
  return `${formatCount(here)} tokens in the context here${share}; at most ${formatCount(largest)} in this session`;
}
