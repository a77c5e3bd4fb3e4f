import type { BudgetStatus } from '../api/budgets.ts';
import type { BudgetPeriod } from '../domain/budget.ts';
import { formatCost } from './format.ts';

export const PERIOD_NAMES: Readonly<Record<BudgetPeriod, string>> = {
  day: 'today',
  week: 'this week',
  month: 'this month',
};

/** `today`, `this month in shop`. */
export function nameOfBudget({ period, workspace }: Pick<BudgetStatus, 'period' | 'workspace'>): string {
  return workspace === null ? PERIOD_NAMES[period] : `${PERIOD_NAMES[period]} in ${workspace}`;
}

/** `$4.20 of $20.00 (21%)`; a cost that lacks the price of a model is marked. */
export function formatBudgetUse({ spent_usd, amount_usd, unpriced_messages }: BudgetStatus): string {
  const spent = formatCost(spent_usd, unpriced_messages > 0 ? ['?'] : []);
  return `${spent} of ${formatCost(amount_usd)} (${percentOf(spent_usd, amount_usd)}%)`;
}

/** `$15.80 left`, `$1.10 over`. */
export function formatBudgetLeft({ left_usd }: BudgetStatus): string {
  return left_usd < 0 ? `${formatCost(-left_usd)} over` : `${formatCost(left_usd)} left`;
}

/** Never 100% as long as something is left. */
function percentOf(spent: number, amount: number): number {
  return Math.floor((spent / amount) * 100);
}
