import type { Budget, BudgetMark, BudgetNote, BudgetPeriod } from '../../../domain/budget.ts';
import { MINUTE_MS } from '../../../domain/durations.ts';
import { FuelError } from '../../../domain/errors.ts';
import type { Tx } from '../../engine.ts';
import { cleanText } from '../../text.ts';

/** Budgets for all workspaces first. */
export async function listBudgets(db: Tx): Promise<readonly Budget[]> {
  const rows = await db
    .selectFrom('budgets')
    .select(['id', 'period', 'workspace_key', 'amount_nanos'])
    .orderBy('workspace_key')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    period: row.period as BudgetPeriod,
    workspaceKey: row.workspace_key === '' ? null : row.workspace_key,
    amountNanos: row.amount_nanos,
  }));
}

/** Changes of budgets that lead to the stored ones, for a journal that has lost them. */
export async function listStoredBudgets(db: Tx): Promise<readonly BudgetNote[]> {
  const times = await db.selectFrom('budgets').select(['id', 'updated_at']).execute();
  const timeOf = new Map(times.map(({ id, updated_at }) => [id, updated_at]));
  return (await listBudgets(db)).map((budget) => ({ what: 'budget_set', at: timeOf.get(budget.id) ?? '', ...budget }));
}

/**
 * Sets the budget of a period and workspace; there is one of each. Its thresholds can then be reported again. Run it in
 * a transaction.
 */
export async function setBudget(tx: Tx, budget: Budget, at: string): Promise<BudgetNote> {
  const workspaceKey = budget.workspaceKey === null ? null : cleanText(budget.workspaceKey);
  const known = await tx
    .selectFrom('budgets')
    .select('id')
    .where('period', '=', budget.period)
    .where('workspace_key', '=', workspaceKey ?? '')
    .executeTakeFirst();
  const note: BudgetNote = { ...budget, workspaceKey, id: known?.id ?? budget.id, at, what: 'budget_set' };
  await tx.deleteFrom('budget_alerts').where('budget_id', '=', note.id).execute();
  await applyBudgetNote(tx, note);
  return note;
}

/** Errors: not_found. */
export async function removeBudget(tx: Tx, id: string, at: string): Promise<BudgetNote> {
  const known = await tx.selectFrom('budgets').select('id').where('id', '=', cleanText(id)).executeTakeFirst();
  if (known === undefined) {
    throw new FuelError('not_found', `No budget with the id ${JSON.stringify(id)}.`, {
      hint: '`fuel-code budget --json` and GET /api/budgets list them.',
    });
  }
  const note: BudgetNote = { what: 'budget_removed', id: known.id, at };
  await applyBudgetNote(tx, note);
  return note;
}

/** Applies a change from the journal; idempotent. */
export async function applyBudgetNote(tx: Tx, note: BudgetNote): Promise<void> {
  if (note.what === 'budget_removed') {
    await tx.deleteFrom('budget_alerts').where('budget_id', '=', note.id).execute();
    await tx.deleteFrom('budgets').where('id', '=', note.id).execute();
    return;
  }
  const { id, period, workspaceKey, amountNanos, at } = note;
  const workspace_key = workspaceKey ?? '';
  // Two devices may have set the same budget in journals of their own.
  await tx
    .deleteFrom('budgets')
    .where('period', '=', period)
    .where('workspace_key', '=', workspace_key)
    .where('id', '<>', id)
    .execute();
  const values = { period, workspace_key, amount_nanos: amountNanos, updated_at: at };
  await tx
    .insertInto('budgets')
    .values({ id, created_at: at, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}

export interface BudgetAlert {
  readonly budgetId: string;
  readonly firstDay: string;
  readonly percent: BudgetMark;
}

/** After this many failures, the threshold is no longer reported to the receiver. */
const MAX_ATTEMPTS = 3;
/** Another process may be sending; longer than a delivery may take. */
const RETRY_MS = MINUTE_MS;

/** Whether this process should report the threshold: claims it, so that no other process reports it as well. */
export async function claimAlert(tx: Tx, { budgetId, firstDay, percent }: BudgetAlert, now: Date): Promise<boolean> {
  const at = now.toISOString();
  const before = new Date(now.getTime() - RETRY_MS).toISOString();
  const row = await tx
    .insertInto('budget_alerts')
    .values({ budget_id: budgetId, first_day: firstDay, percent, attempts: 1, tried_at: at, sent_at: null })
    .onConflict((conflict) =>
      conflict
        .columns(['budget_id', 'first_day', 'percent'])
        .doUpdateSet((eb) => ({ attempts: eb('budget_alerts.attempts', '+', 1), tried_at: at }))
        .where('budget_alerts.sent_at', 'is', null)
        .where('budget_alerts.attempts', '<', MAX_ATTEMPTS)
        .where('budget_alerts.tried_at', '<', before),
    )
    .returning('budget_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Marks lower thresholds too: after the higher one, they need no report. */
export async function markAlertSent(tx: Tx, { budgetId, firstDay, percent }: BudgetAlert, at: string): Promise<void> {
  await tx
    .updateTable('budget_alerts')
    .set({ sent_at: at })
    .where('budget_id', '=', budgetId)
    .where('first_day', '=', firstDay)
    .where('percent', '<=', percent)
    .execute();
}
