import { sql } from 'kysely';
import type { SessionUsage } from '../../../api/usage.ts';
import { addUsage, NO_USAGE, type UsageSumOrNull } from '../../../domain/usage-sum.ts';
import type { Tx } from '../../engine.ts';
import { safeSum, safeSumOrZero } from '../../safe-sum.ts';
import { countedUsage } from '../lineage/counted-usage.ts';

/**
 * The usage of a session by model, most expensive first. Messages that another session counts are not counted again.
 */
export async function readSessionUsage(db: Tx, sessionId: string): Promise<SessionUsage> {
  const { rows } = await sql<UsageSumOrNull & { readonly model: string | null }>`
    SELECT m.model AS model,
      count(*) AS messages,
      ${safeSumOrZero(sql`m.tokens_in`)} AS tokens_in,
      ${safeSumOrZero(sql`m.tokens_out`)} AS tokens_out,
      ${safeSumOrZero(sql`m.cache_read`)} AS cache_read_tokens,
      ${safeSumOrZero(sql`m.cache_write`)} AS cache_write_tokens,
      ${safeSum(sql`m.cost_nanos`)} AS cost_nanos,
      count(*) - count(m.cost_nanos) AS unpriced_messages
    FROM ${countedUsage(sessionId)}
    WHERE m.usage_key IS NOT NULL
    GROUP BY m.model ORDER BY coalesce(sum(m.cost_nanos), 0) DESC, m.model`.execute(db);
  return { total: totalOf(rows), models: rows };
}

/** The cost is null when none of the messages has a price. */
function totalOf(rows: readonly UsageSumOrNull[]): UsageSumOrNull {
  const isPriced = rows.some(({ cost_nanos }) => cost_nanos !== null);
  const total = rows.map((row) => ({ ...row, cost_nanos: row.cost_nanos ?? 0 })).reduce(addUsage, NO_USAGE);
  return isPriced ? total : { ...total, cost_nanos: null };
}
