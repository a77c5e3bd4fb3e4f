import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';
import { safeSumOrZero } from '../../safe-sum.ts';
import { countedUsage } from '../lineage/counted-usage.ts';

/**
 * Aggregates a session's usage by quarter of an hour, model, branch, and main conversation or sub-agent. Written in the
 * same transaction as the messages: a sum over the rollups is a sum over the counted messages.
 */
export async function rollUpUsage(tx: Tx, sessionId: string): Promise<void> {
  await tx.deleteFrom('usage_rollups').where('session_id', '=', sessionId).execute();
  await sql`
    INSERT INTO usage_rollups (session_id, time_slot, model, git_branch, is_subagent, messages, unpriced_messages,
      tokens_in, tokens_out, cache_read, cache_write, cache_write_1h, cost_nanos)
    SELECT m.session_id, m.time_slot, coalesce(m.model, ''), coalesce(m.git_branch, ''), m.agent_id IS NOT NULL, count(*),
      sum(CASE WHEN m.cost_nanos IS NULL THEN 1 ELSE 0 END), ${safeSumOrZero(sql`m.tokens_in`)},
      ${safeSumOrZero(sql`m.tokens_out`)}, ${safeSumOrZero(sql`m.cache_read`)}, ${safeSumOrZero(sql`m.cache_write`)},
      ${safeSumOrZero(sql`m.cache_write_1h`)}, ${safeSumOrZero(sql`m.cost_nanos`)}
    FROM ${countedUsage(sessionId)}
    GROUP BY m.session_id, m.time_slot, coalesce(m.model, ''), coalesce(m.git_branch, ''), m.agent_id IS NOT NULL`.execute(
    tx,
  );
}
