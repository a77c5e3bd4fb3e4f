import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { BudgetStatus } from '../../../api/budgets.ts';
import { formatBudgetLeft, formatBudgetUse, nameOfBudget } from '../../../reading/budget-text.ts';
import { sessionsQuery } from '../../../reading/session-query.ts';
import { PageLink } from '../../routing/page-link.tsx';
import { useRealm } from '../../routing/realm.ts';
import { BAR, type Column, FigureTable } from '../figure-table.tsx';
import { Section } from '../frame.tsx';
import { ShareBar } from '../share-bar.tsx';
import styles from '../dashboard.module.css';
import own from './budget.module.css';
import { BudgetDialog } from './budget-dialog.tsx';
import { useBudgets, useRemoveBudget } from './queries.ts';

/** The open dialog: for a new budget or an existing one. */
type Asked = { readonly budget: BudgetStatus | null } | null;

/** Budgets in their current period, with the means to change them. */
export function BudgetList() {
  const { isDemo } = useRealm();
  const { data } = useBudgets();
  const [asked, setAsked] = useState<Asked>(null);
  if (data === undefined || (isDemo && data.budgets.length === 0)) return null;
  return (
    <Section title="Budgets">
      {data.budgets.length > 0 && (
        <BudgetTable budgets={data.budgets} onChange={isDemo ? null : (budget) => setAsked({ budget })} />
      )}
      {!isDemo && (
        <div className={styles['head']}>
          <p className={styles['note']}>
            {data.budgets.length === 0 && 'A budget is a limit for a day, week or month. '}
            Budgets never stop Claude Code; they only show how much is left.
          </p>
          <button type="button" className="button" onClick={() => setAsked({ budget: null })}>
            Add budget
          </button>
        </div>
      )}
      {asked !== null && <BudgetDialog budget={asked.budget} onClose={() => setAsked(null)} />}
    </Section>
  );
}

interface BudgetTableProps {
  readonly budgets: readonly BudgetStatus[];
  /** Null where budgets cannot be changed. */
  readonly onChange: ((budget: BudgetStatus) => void) | null;
}

const COLUMNS: readonly Column[] = [{ title: 'Budget' }, { title: 'Spent' }, { title: 'Left', isWide: true }, BAR];
/** The column of buttons. */
const ACTS: Column = { title: '' };

function BudgetTable({ budgets, onChange }: BudgetTableProps) {
  return (
    <FigureTable label="Budgets" columns={onChange === null ? COLUMNS : [...COLUMNS, ACTS]}>
      {budgets.map((budget) => (
        <Budget key={budget.id} budget={budget} onChange={onChange} />
      ))}
    </FigureTable>
  );
}

const TONES: Readonly<Partial<Record<BudgetStatus['state'], string>>> = { exceeded: 'bad' };

function Budget({ budget, onChange }: { readonly budget: BudgetStatus } & Pick<BudgetTableProps, 'onChange'>) {
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
      <td className={`${styles['wide']} ${styles[TONES[state] ?? ''] ?? ''}`}>{formatBudgetLeft(budget)}</td>
      <td className={styles['wide']}>
        <ShareBar share={Math.min(1, budget.spent_usd / budget.amount_usd)} />
      </td>
      {onChange !== null && (
        <td>
          <Acts budget={budget} onChange={() => onChange(budget)} />
        </td>
      )}
    </tr>
  );
}

function Acts({ budget, onChange }: { readonly budget: BudgetStatus; readonly onChange: () => void }) {
  const remove = useRemoveBudget();
  const name = nameOfBudget(budget);
  return (
    <span className={own['acts']}>
      <button type="button" aria-label={`Change the budget for ${name}`} title="Change" onClick={onChange}>
        <Pencil size={14} aria-hidden="true" />
      </button>
      <button
        type="button"
        aria-label={`Remove the budget for ${name}`}
        title="Remove"
        disabled={remove.isPending}
        onClick={() => remove.mutate(budget)}
      >
        <Trash2 size={14} aria-hidden="true" />
      </button>
    </span>
  );
}
