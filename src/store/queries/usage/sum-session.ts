import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';
import { safeSum, safeSumOrZero } from '../../safe-sum.ts';
import { countedUsage } from '../lineage/counted-usage.ts';
import { rollUpUsage } from './rollups.ts';

/**
 * Computes the token and cost columns of a session and its rollups from the messages it counts; cost is null when no
 * message has a price.
 */
export async function sumSession(tx: Tx, sessionId: string): Promise<void> {
  await sql`
    UPDATE sessions SET
      tokens_in = u.tokens_in, tokens_out = u.tokens_out, cache_read_tokens = u.cache_read,
      cache_write_tokens = u.cache_write, cost_nanos = CASE WHEN u.messages = 0 THEN 0 ELSE u.cost_nanos END
    FROM (
      SELECT count(*) AS messages, ${safeSumOrZero(sql`m.tokens_in`)} AS tokens_in,
        ${safeSumOrZero(sql`m.tokens_out`)} AS tokens_out, ${safeSumOrZero(sql`m.cache_read`)} AS cache_read,
        ${safeSumOrZero(sql`m.cache_write`)} AS cache_write, ${safeSum(sql`m.cost_nanos`)} AS cost_nanos
      FROM ${countedUsage(sessionId)}
    ) AS u
    WHERE sessions.id = ${sessionId}`.execute(tx);
  await rollUpUsage(tx, sessionId);
}
