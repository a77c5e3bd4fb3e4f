import type { BudgetStatus } from '../../../api/budgets.ts';
import { formatBudgetLeft, formatBudgetUse, nameOfBudget } from '../../../reading/budget-text.ts';
import { sessionsQuery } from '../../../reading/session-query.ts';
import { PageLink } from '../../routing/page-link.tsx';
import { Section } from '../frame.tsx';
import { ShareBar } from '../share-bar.tsx';
import styles from '../dashboard.module.css';
import { useBudgets } from './queries.ts';

/** Budgets in their current period; nothing without one. */
export function BudgetList() {
  const { data } = useBudgets();
  if (data === undefined || data.budgets.length === 0) return null;
  return (
    <Section title="Budgets">
      <div className={styles['scroller']} tabIndex={0} role="region" aria-label="Budgets">
        <table className={styles['table']}>
          <thead>
            <tr>
              <th scope="col">Budget</th>
              <th scope="col">Spent</th>
              <th scope="col">Left</th>
              <th scope="col" className={styles['wide']}>
                <span className={styles['bar']} />
              </th>
            </tr>
          </thead>
          <tbody>
            {data.budgets.map((budget) => (
              <Budget key={budget.id} budget={budget} />
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles['note']}>
        Change them with <code>fuel-code budget set day 20</code>.
      </p>
    </Section>
  );
}

const TONES: Readonly<Partial<Record<BudgetStatus['state'], string>>> = { exceeded: 'bad' };

function Budget({ budget }: { readonly budget: BudgetStatus }) {
  const { first_day: since, last_day: until, workspace_key, state } = budget;
  const q = sessionsQuery({ since, until, ...(workspace_key === null ? {} : { workspace: workspace_key }) });
  const name = nameOfBudget(budget);
  return (
    <tr>
      <th scope="row">
        <bdi>{name.charAt(0).toUpperCase() + name.slice(1)}</bdi>
      </th>
      <td>
        <PageLink page={{ kind: 'list', q }}>{formatBudgetUse(budget)}</PageLink>
      </td>
      <td className={styles[TONES[state] ?? '']}>{formatBudgetLeft(budget)}</td>
      <td className={styles['wide']}>
        <ShareBar share={Math.min(1, budget.spent_usd / budget.amount_usd)} />
      </td>
    </tr>
  );
}
