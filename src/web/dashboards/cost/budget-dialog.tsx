import { useState } from 'react';
import type { BudgetStatus } from '../../../api/budgets.ts';
import { BUDGET_PERIODS, type BudgetPeriod, MAX_BUDGET_USD, MIN_BUDGET_USD } from '../../../domain/budget.ts';
import { nameOfBudget } from '../../../reading/budget-text.ts';
import { nameWorkspaces } from '../../../reading/cost-view.ts';
import { Failure } from '../../shell/notice.tsx';
import { Dialog } from '../../shell/dialog.tsx';
import styles from './budget.module.css';
import { useSetBudget, useWorkspaceNames } from './queries.ts';

interface BudgetDialogProps {
  /** The budget to change; null for a new one. */
  readonly budget: BudgetStatus | null;
  readonly onClose: () => void;
}

/** Asks for the amount of a budget and, for a new one, for its period and workspace. */
export function BudgetDialog({ budget, onClose }: BudgetDialogProps) {
  const [period, setPeriod] = useState<BudgetPeriod>(budget?.period ?? 'month');
  const [workspace, setWorkspace] = useState(budget?.workspace_key ?? '');
  const [amount, setAmount] = useState(budget === null ? '' : String(budget.amount_usd));
  const set = useSetBudget(onClose);
  const isAmount = Number(amount) >= MIN_BUDGET_USD && Number(amount) <= MAX_BUDGET_USD;
  const title = budget === null ? 'Add a budget' : `Budget for ${nameOfBudget(budget)}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (isAmount) set.mutate({ period, workspace, amountUsd: Number(amount) });
        }}
      >
        {budget === null && (
          <>
            <PeriodField period={period} onPeriod={setPeriod} />
            <WorkspaceField workspace={workspace} onWorkspace={setWorkspace} />
          </>
        )}
        <label>
          Amount in dollars
          <input
            type="number"
            inputMode="decimal"
            min={MIN_BUDGET_USD}
            max={MAX_BUDGET_USD}
            step="any"
            required
            // React sets the focus before the dialog is open; the browser does it when it opens.
            ref={(field) => field?.setAttribute('autofocus', '')}
            value={amount}
            onChange={({ target }) => setAmount(target.value)}
          />
        </label>
        {budget === null && (
          <p className="muted">A budget that exists for the same period and workspace is replaced.</p>
        )}
        {set.error !== null && <Failure error={set.error} />}
        <button type="submit" className="button" disabled={!isAmount || set.isPending}>
          Save
        </button>
      </form>
    </Dialog>
  );
}

const PERIOD_LABELS: Readonly<Record<BudgetPeriod, string>> = {
  day: 'Each day',
  week: 'Each week',
  month: 'Each month',
};

function PeriodField({ period, onPeriod }: { period: BudgetPeriod; onPeriod: (period: BudgetPeriod) => void }) {
  return (
    <label>
      Period
      <select value={period} onChange={({ target }) => onPeriod(target.value as BudgetPeriod)}>
        {BUDGET_PERIODS.map((each) => (
          <option key={each} value={each}>
            {PERIOD_LABELS[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

function WorkspaceField({ workspace, onWorkspace }: { workspace: string; onWorkspace: (key: string) => void }) {
  const { data = [] } = useWorkspaceNames();
  const names = nameWorkspaces(new Map(data.map((one) => [one.canonical_id, one.display_name])));
  return (
    <label>
      Workspace
      <select value={workspace} onChange={({ target }) => onWorkspace(target.value)}>
        <option value="">All usage</option>
        {[...names].map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
