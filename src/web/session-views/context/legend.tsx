import type { SessionContext } from '../../../api/context.ts';
import { PART_NAMES } from '../../../reading/context/areas.ts';
import { formatCompact } from '../../../reading/format.ts';
import styles from './context.module.css';

/** What the colors mean, with the tokens at the cursor; without parts that never occur. */
export function Legend({ context: { parts, points }, at }: { readonly context: SessionContext; readonly at: number }) {
  return (
    <ul className={styles['legend']} aria-label="Estimated parts">
      {parts.map((part, number) =>
        points.by_part[number]?.some((tokens) => tokens > 0) ? (
          <li key={part}>
            <span className={styles['swatch']} data-part={part} aria-hidden="true" />
            {PART_NAMES[part]} <b>{formatCompact(points.by_part[number][at] ?? 0)}</b>
          </li>
        ) : null,
      )}
    </ul>
  );
}
