import styles from './charts.module.css';

interface SparklineProps {
  /** From old to new. */
  readonly values: readonly number[];
  readonly widthPx?: number;
  readonly heightPx?: number;
}

const PAD = 1;

/** The course of a figure, as small as a word. The figures beside it say the same in text. */
export function Sparkline({ values, widthPx = 96, heightPx = 20 }: SparklineProps) {
  const max = Math.max(...values, 0);
  const stepPx = widthPx / Math.max(values.length - 1, 1);
  const points = values.map((value, index) => {
    const share = max === 0 ? 0 : value / max;
    return `${round(index * stepPx)},${round(heightPx - PAD - share * (heightPx - 2 * PAD))}`;
  });
  return (
    <svg className={styles['spark']} width={widthPx} height={heightPx} aria-hidden="true" focusable="false">
      <polygon className={styles['sparkArea']} points={`0,${heightPx} ${points.join(' ')} ${widthPx},${heightPx}`} />
      <polyline className={styles['sparkLine']} points={points.join(' ')} />
    </svg>
  );
}

function round(px: number): number {
  return Math.round(px * 10) / 10;
}
