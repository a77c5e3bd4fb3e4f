import { sql } from 'kysely';
import type { ClientComparison, CostReport, PriceFacts } from '../../../api/usage.ts';
import type { CostQuery } from '../../../domain/cost.ts';
import { addSafely, dollars } from '../../../domain/usage.ts';
import type { Tx } from '../../engine.ts';
import { safeSumOrZero } from '../../sql.ts';
import { countDeletions } from '../deletions/deletions.ts';
import { readBudgets } from './budget-use.ts';
import { loadCells, loadCostSessions } from './cost.ts';
import { makeCostReport, slotRange } from './cost-report.ts';

/** Usage and cost from the rollups. */
export async function readCost(db: Tx, query: CostQuery, prices: PriceFacts, now: Date): Promise<CostReport> {
  return makeCostReport(query, {
    source: 'store',
    prices,
    // A block depends on all usage before it.
    cells: await loadCells(db, query.by === 'block' ? { ...query, since: null, until: null } : query),
    sessions: await loadCostSessions(db, query.by),
    client: await compareWithClient(db, query),
    unreadable: await countFailedSessions(db),
    deleted_sessions: await countDeletions(db),
    budgets: await readBudgets(db, { timezone: query.timezone, now }),
    now,
  });
}

async function countFailedSessions(db: Tx): Promise<number> {
  const { failed } = await db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('failed'))
    .where('parse_status', '=', 'failed')
    .executeTakeFirstOrThrow();
  return failed;
}

interface ClientFigure {
  readonly client_cost: string | null;
  readonly first_slot: number;
  readonly last_slot: number;
  readonly cost_nanos: number;
}

/** Only sessions that lie entirely in the range: the client has one figure per session. */
async function compareWithClient(db: Tx, query: CostQuery): Promise<ClientComparison | null> {
  const { from, to } = slotRange(query);
  const { rows } = await sql<ClientFigure>`
    SELECT s.metadata ->> 'client_cost' AS client_cost, u.first_slot, u.last_slot, u.cost_nanos
    FROM sessions s
    JOIN (
      SELECT session_id, min(time_slot) AS first_slot, max(time_slot) AS last_slot, ${safeSumOrZero(sql`cost_nanos`)} AS cost_nanos
      FROM usage_rollups GROUP BY session_id
    ) u ON u.session_id = s.id
    WHERE s.metadata ->> 'client_cost' IS NOT NULL`.execute(db);
  const isOpen = !Number.isFinite(from) && !Number.isFinite(to);
  const compared = rows
    .filter(({ first_slot, last_slot }) => isOpen || (first_slot >= Math.max(from, 0) && last_slot < to))
    .map(({ client_cost, cost_nanos }) => ({ theirs: nanosIn(client_cost), ours: cost_nanos }))
    .filter(({ theirs }) => theirs > 0);
  if (compared.length === 0) return null;
  const theirs = compared.reduce((sum, figure) => addSafely(sum, figure.theirs), 0);
  const ours = compared.reduce((sum, figure) => addSafely(sum, figure.ours), 0);
  return {
    sessions: compared.length,
    client_cost_nanos: theirs,
    client_cost_usd: dollars(theirs),
    our_cost_nanos: ours,
    our_cost_usd: dollars(ours),
  };
}

function nanosIn(clientCost: string | null): number {
  // Sessions archived by version 0.1 still have the old name.
  const figures = JSON.parse(clientCost ?? '{}') as { readonly cost_nanos?: number; readonly costNanos?: number };
  return figures.cost_nanos ?? figures.costNanos ?? 0;
}
