import styles from './cost.module.css';

interface ShareBarProps {
  /** The turn itself, then its agents. */
  readonly parts: readonly number[];
  readonly of: number;
}

const WIDTH = 1_000;

/** A bar for a cost, relative to the greatest one. The amounts are written beside it. */
export function ShareBar({ parts, of }: ShareBarProps) {
  const starts = parts.map((_, at) => parts.slice(0, at).reduce((sum, part) => sum + part, 0));
  return (
    <svg className={styles['bar']} viewBox={`0 0 ${WIDTH} 1`} preserveAspectRatio="none" aria-hidden="true">
      {parts.map((part, at) => (
        <rect
          key={at}
          data-part={at === 0 ? 'own' : 'agent'}
          x={((starts[at] ?? 0) / of) * WIDTH}
          y={0}
          width={(part / of) * WIDTH}
          height={1}
        />
      ))}
    </svg>
  );
}
