import { sql } from 'kysely';
import type { BudgetStatus } from '../../../api/budgets.ts';
import { BUDGET_PERIODS, type Budget, periodOf, stateOf } from '../../../domain/budget.ts';
import type { CostSession, Named, UsageCell } from '../../../domain/cost.ts';
import { addSafely, dollars, SLOT_MS } from '../../../domain/usage.ts';
import { createCalendar } from '../../../lib/calendar.ts';
import type { Tx } from '../../engine.ts';
import { listBudgets } from '../people/budgets.ts';
import { loadCells, loadCostSessions } from './cost.ts';

interface Moment {
  readonly timezone: string;
  readonly now: Date;
}

/** All budgets with what was spent in their current period, according to the rollups. */
export async function readBudgets(db: Tx, moment: Moment): Promise<readonly BudgetStatus[]> {
  return measureBudgets(db, moment, async (since) => {
    const query = { by: 'day', timezone: moment.timezone, since, until: null } as const;
    return loadCells(db, query, ['session', 'slot']);
  });
}

/** The same with usage from another source; `load` returns at least everything since a day. */
export async function measureBudgets(
  db: Tx,
  { timezone, now }: Moment,
  load: (since: string) => Promise<readonly UsageCell[]>,
): Promise<readonly BudgetStatus[]> {
  const budgets = await listBudgets(db);
  if (budgets.length === 0) return [];
  const calendar = createCalendar(timezone);
  const today = calendar.dayOf(Math.floor(now.getTime() / SLOT_MS));
  const spans = budgets.map((budget) => ({ budget, ...periodOf(budget.period, today) }));
  const cells = await load(spans.map(({ first }) => first).toSorted()[0] ?? today);
  const hasWorkspaces = budgets.some(({ workspaceKey }) => workspaceKey !== null);
  const sessions = hasWorkspaces ? await loadCostSessions(db, 'workspace') : new Map<string, CostSession>();
  const names = hasWorkspaces ? await loadWorkspaceNames(db) : new Map<string, Named>();
  const statuses = spans.map(({ budget, first, last }) => {
    const [from, to] = [calendar.firstSlotOf(first), calendar.firstSlotAfter(last)];
    const workspace = nameOf(budget, names);
    const own = cells.filter(
      ({ slot, sessionId }) =>
        slot !== null &&
        slot >= from &&
        slot < to &&
        (workspace === null || sessions.get(sessionId)?.workspace.key === workspace.key),
    );
    return statusOf(budget, { first, last, workspace }, own);
  });
  return statuses.toSorted((a, b) => BUDGET_PERIODS.indexOf(a.period) - BUDGET_PERIODS.indexOf(b.period));
}

function nameOf({ workspaceKey }: Budget, names: ReadonlyMap<string, Named>): Named | null {
  return workspaceKey === null ? null : (names.get(workspaceKey) ?? { key: workspaceKey, label: workspaceKey });
}

/** By canonical id, also of workspaces that were merged into another one, whose name they have. */
async function loadWorkspaceNames(db: Tx): Promise<ReadonlyMap<string, Named>> {
  const rows = await db
    .selectFrom('workspaces as member')
    .innerJoin('workspaces as w', (join) => join.on(sql<boolean>`w.id = coalesce(member.merged_into, member.id)`))
    .select(['member.canonical_id as own', 'w.canonical_id', 'w.display_name'])
    .execute();
  return new Map(rows.map(({ own, canonical_id, display_name }) => [own, { key: canonical_id, label: display_name }]));
}

function statusOf(
  { id, period, amountNanos }: Budget,
  { first, last, workspace }: { readonly first: string; readonly last: string; readonly workspace: Named | null },
  cells: readonly UsageCell[],
): BudgetStatus {
  const spent = cells.reduce((sum, { costNanos }) => addSafely(sum, costNanos), 0);
  return {
    id,
    period,
    workspace_key: workspace?.key ?? null,
    workspace: workspace?.label ?? null,
    first_day: first,
    last_day: last,
    amount_nanos: amountNanos,
    amount_usd: dollars(amountNanos),
    spent_nanos: spent,
    spent_usd: dollars(spent),
    left_usd: dollars(amountNanos - spent),
    state: stateOf(spent, amountNanos),
    unpriced_messages: cells.reduce((sum, { unpricedMessages }) => addSafely(sum, unpricedMessages), 0),
  };
}
