import {
  formatBlockTime,
  formatBlockUse,
  formatBurnRate,
  formatProjection,
  formatTimeLeft,
} from '../../../reading/block-text.ts';
import { formatSums } from '../../../reading/cost-view.ts';
import styles from '../dashboard.module.css';
import { useActiveBlock } from './queries.ts';

/** The current block of five hours, as Claude's limits count; nothing while there is none. */
export function BlockCard() {
  const { data: block } = useActiveBlock();
  if (block === undefined || block === null) return null;
  return (
    <article className={styles['card']} aria-label="Current 5-hour block">
      <h2>5-hour block, {formatBlockTime(block)}</h2>
      <p className={styles['figure']}>{formatSums(block.total)}</p>
      <p className={styles['note']}>
        {formatTimeLeft(block)} left · {formatBurnRate(block)}
      </p>
      <p className={styles['note']} title={`Now ${formatBlockUse(block)}`}>
        {formatProjection(block)} expected at its end
      </p>
    </article>
  );
}
