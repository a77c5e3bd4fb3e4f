import { formatNanos, formatCount, plural } from '../../reading/format.ts';
import type { Row } from '../../reading/rows/row.ts';
import { PageLink } from '../routing/page-link.tsx';
import { Chevron } from './chevron.tsx';
import { useReader } from './reader-context.ts';
import styles from './row-view.module.css';

/** Where the conversation was rewound: the branches that were left are folded here. */
export function WaysRow({ row }: { readonly row: Row }) {
  const { index, toggled, toggle } = useReader();
  const branch = index.branches[row.from];
  const turns = index.tree.turnsIn(row.from);
  const costs = turns.map((turn) => index.turns.cost[turn] ?? null).filter((cost) => cost !== null);
  const cost = costs.length === 0 ? '' : ` · ${formatNanos(costs.reduce((a, b) => a + b, 0))}`;
  const ways = branch?.turns.length ?? 2;
  return (
    <button
      type="button"
      className={styles['ways']}
      aria-expanded={toggled.has(row.key)}
      onClick={() => toggle(row.key)}
    >
      <Chevron />
      <strong>{plural(ways, 'way')} from here</strong>
      <span>
        {plural(turns.length, 'abandoned turn')}
        {cost}
      </span>
    </button>
  );
}

/** The beginning that was copied from another session. */
export function InheritedRow({ row }: { readonly row: Row }) {
  const { index, toggle, copiedFrom } = useReader();
  return (
    <div className={styles['inherited']}>
      <button
        type="button"
        className={styles['inherited-button']}
        aria-expanded={row.isUnfolded}
        onClick={() => toggle(row.key)}
      >
        <Chevron />
        <span>{inheritedText(index.tree.rootsOf(-1).length, row.to - 1)}</span>
      </button>
      {copiedFrom !== null && (
        <PageLink page={{ kind: 'session', id: copiedFrom }} className={styles['inherited-link']}>
          Open it
        </PageLink>
      )}
    </div>
  );
}

function inheritedText(turns: number, copied: number): string {
  const [what, verbs] =
    copied >= turns
      ? ['Everything here', ['was', 'is']]
      : copied <= 1
        ? ['The beginning', ['was', 'is']]
        : [`The first ${formatCount(copied)} turns`, ['were', 'are']];
  return `${what} ${verbs[0]} copied from another session and ${verbs[1]} counted there`;
}
