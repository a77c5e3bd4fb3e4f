import { sql } from 'kysely';
import type { SessionUsage } from '../../../api/usage.ts';
import { addUsage, NO_USAGE, type UsageSumOrNull } from '../../../domain/usage.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths, safeSum, safeSumOrZero } from '../../sql.ts';

/** Sums over counted messages `m`; the cost is null when none of them has a price. */
export const USAGE_SUMS = sql`count(*) AS messages,
  ${safeSumOrZero(sql`m.tokens_in`)} AS tokens_in, ${safeSumOrZero(sql`m.tokens_out`)} AS tokens_out,
  ${safeSumOrZero(sql`m.cache_read`)} AS cache_read_tokens, ${safeSumOrZero(sql`m.cache_write`)} AS cache_write_tokens,
  ${safeSum(sql`m.cost_nanos`)} AS cost_nanos, count(*) - count(m.cost_nanos) AS unpriced_messages`;

/**
 * The usage of a session by model, most expensive first. Messages that another session counts are not counted again.
 */
export async function readSessionUsage(db: Tx, sessionId: string): Promise<SessionUsage> {
  const { rows } = await sql<UsageSumOrNull & { readonly model: string | null }>`
    SELECT m.model AS model,
      ${USAGE_SUMS}
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

/** Joins `a`, the most complete copy of a message `m`, where that is in another session. */
export const WITH_ADOPTED = sql`LEFT JOIN adopted_usage a ON a.session_id = m.session_id AND a.usage_key = m.usage_key`;

/** The cost that a session counts for a message `m` with its `a`; null for a message that another session counts. */
export const COUNTED_COST = sql<number | null>`
  CASE WHEN NOT m.counted THEN NULL WHEN a.session_id IS NULL THEN m.cost_nanos ELSE a.cost_nanos END`;

/**
 * The messages that sessions count, as `m`: with the usage of the most complete copy in any session, at the time and
 * position of its own row.
 */
export function countedUsage(...sessionIds: readonly string[]) {
  const figures = ['tokens_in', 'tokens_out', 'cache_read', 'cache_write', 'cache_write_1h', 'cost_nanos'].map(
    (name) =>
      sql`CASE WHEN a.session_id IS NULL THEN c.${sql.ref(name)} ELSE a.${sql.ref(name)} END AS ${sql.ref(name)}`,
  );
  return sql`(
    SELECT c.session_id, c.usage_key, c.time_slot, c.git_branch, c.agent_id, c.turn_id, c.rate_id,
      CASE WHEN a.session_id IS NULL THEN c.model ELSE a.model END AS model, ${sql.join(figures)}
    FROM sessions s
    JOIN transcript_messages c ON c.session_id = s.id AND c.revision = s.revision
    LEFT JOIN adopted_usage a ON a.session_id = c.session_id AND a.usage_key = c.usage_key
    WHERE s.id IN (${sql.join(fewLengths(sessionIds))}) AND c.counted
  ) AS m`;
}

/**
 * Computes the token and cost columns of sessions and their rollups from the messages they count; cost is null when no
 * message has a price.
 */
export async function sumSessions(tx: Tx, sessionIds: readonly string[]): Promise<void> {
  if (sessionIds.length === 0) return;
  await sql`
    UPDATE sessions SET
      tokens_in = u.tokens_in, tokens_out = u.tokens_out, cache_read_tokens = u.cache_read,
      cache_write_tokens = u.cache_write, cost_nanos = CASE WHEN u.messages = 0 THEN 0 ELSE u.cost_nanos END
    FROM (
      SELECT s.id, count(m.session_id) AS messages, ${safeSumOrZero(sql`m.tokens_in`)} AS tokens_in,
        ${safeSumOrZero(sql`m.tokens_out`)} AS tokens_out, ${safeSumOrZero(sql`m.cache_read`)} AS cache_read,
        ${safeSumOrZero(sql`m.cache_write`)} AS cache_write, ${safeSum(sql`m.cost_nanos`)} AS cost_nanos
      FROM sessions s LEFT JOIN ${countedUsage(...sessionIds)} ON m.session_id = s.id
      WHERE s.id IN (${sql.join(fewLengths(sessionIds))}) GROUP BY s.id
    ) AS u
    WHERE sessions.id = u.id`.execute(tx);
  await rollUpUsage(tx, sessionIds);
}

/**
 * Aggregates the usage of sessions by quarter of an hour, model, rate, branch, and main conversation or sub-agent. Written in
 * the same transaction as the messages: a sum over the rollups is a sum over the counted messages.
 */
async function rollUpUsage(tx: Tx, sessionIds: readonly string[]): Promise<void> {
  await tx.deleteFrom('usage_rollups').where('session_id', 'in', fewLengths(sessionIds)).execute();
  await sql`
    INSERT INTO usage_rollups (session_id, time_slot, model, git_branch, is_subagent, rate_id, messages,
      unpriced_messages, tokens_in, tokens_out, cache_read, cache_write, cache_write_1h, cost_nanos)
    SELECT m.session_id, m.time_slot, coalesce(m.model, ''), coalesce(m.git_branch, ''), m.agent_id IS NOT NULL,
      coalesce(m.rate_id, ''), count(*), sum(CASE WHEN m.cost_nanos IS NULL THEN 1 ELSE 0 END), ${safeSumOrZero(sql`m.tokens_in`)},
      ${safeSumOrZero(sql`m.tokens_out`)}, ${safeSumOrZero(sql`m.cache_read`)}, ${safeSumOrZero(sql`m.cache_write`)},
      ${safeSumOrZero(sql`m.cache_write_1h`)}, ${safeSumOrZero(sql`m.cost_nanos`)}
    FROM ${countedUsage(...sessionIds)}
    GROUP BY m.session_id, m.time_slot, coalesce(m.model, ''), coalesce(m.git_branch, ''), m.agent_id IS NOT NULL,
      coalesce(m.rate_id, '')`.execute(tx);
}
