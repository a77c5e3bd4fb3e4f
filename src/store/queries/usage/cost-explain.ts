import { sql } from 'kysely';
import type { CostQuery } from '../../../domain/cost.ts';
import { slotRange } from './cost-report.ts';
import { addSafely, NO_SLOT } from '../../../domain/usage.ts';
import type { Tx } from '../../engine.ts';
import { safeSumOrZero } from '../../safe-sum.ts';

/** The usage that one row of the price book was applied to. */
export interface RateUse {
  readonly model: string;
  /** The row, then the overrides of its rates; null when no row has the model. */
  readonly rate_id: string | null;
  readonly messages: number;
  readonly cost_nanos: number;
}

/** The costs that old clients wrote in their lines, next to ours for the same sessions. */
export interface LineCosts {
  readonly sessions: number;
  readonly client_cost_nanos: number;
  readonly our_cost_nanos: number;
}

/** Counted messages in the range by applied price, most expensive first. */
export async function readRateUse(db: Tx, query: CostQuery): Promise<readonly RateUse[]> {
  const { from, to } = slotRange(query);
  const conditions = [
    sql<boolean>`m.counted AND m.usage_key IS NOT NULL`,
    ...(Number.isFinite(from) ? [sql<boolean>`m.time_slot >= ${from}`] : []),
    ...(Number.isFinite(to) ? [sql<boolean>`m.time_slot < ${to} AND m.time_slot <> ${sql.lit(NO_SLOT)}`] : []),
  ];
  const { rows } = await sql<RateUse>`
    SELECT coalesce(m.model, '') AS model, m.rate_id, count(*) AS messages,
      ${safeSumOrZero(sql`coalesce(a.cost_nanos, m.cost_nanos)`)} AS cost_nanos
    FROM transcript_messages m
    JOIN sessions s ON s.id = m.session_id AND s.revision = m.revision
    LEFT JOIN adopted_usage a ON a.session_id = m.session_id AND a.usage_key = m.usage_key
    WHERE ${sql.join(conditions, sql` AND `)}
    GROUP BY coalesce(m.model, ''), m.rate_id ORDER BY cost_nanos DESC, model, rate_id`.execute(db);
  return rows;
}

/** Clients up to 1.0.1 wrote the cost of each answer. */
export async function readLineCosts(db: Tx): Promise<LineCosts | null> {
  const { rows } = await sql<{ client_cost: string; cost_nanos: number | null }>`
    SELECT s.metadata ->> 'client_cost' AS client_cost, s.cost_nanos FROM sessions s
    WHERE s.metadata ->> 'client_cost' IS NOT NULL`.execute(db);
  const compared = rows.flatMap(({ client_cost, cost_nanos }) => {
    const { line_cost_nanos } = JSON.parse(client_cost) as { readonly line_cost_nanos?: number | null };
    return line_cost_nanos ? [{ theirs: line_cost_nanos, ours: cost_nanos ?? 0 }] : [];
  });
  if (compared.length === 0) return null;
  return {
    sessions: compared.length,
    client_cost_nanos: compared.reduce((sum, { theirs }) => addSafely(sum, theirs), 0),
    our_cost_nanos: compared.reduce((sum, { ours }) => addSafely(sum, ours), 0),
  };
}
