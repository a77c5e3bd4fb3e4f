import { sql } from 'kysely';

/**
 * The messages that a session counts, as `m`: with the usage of the most complete copy in any session, at the time and
 * position of its own row.
 */
export function countedUsage(sessionId: string) {
  const figures = ['tokens_in', 'tokens_out', 'cache_read', 'cache_write', 'cache_write_1h', 'cost_nanos'].map(
    (name) =>
      sql`CASE WHEN a.session_id IS NULL THEN c.${sql.ref(name)} ELSE a.${sql.ref(name)} END AS ${sql.ref(name)}`,
  );
  return sql`(
    SELECT c.session_id, c.usage_key, c.time_slot, c.git_branch, c.agent_id,
      CASE WHEN a.session_id IS NULL THEN c.model ELSE a.model END AS model, ${sql.join(figures)}
    FROM sessions s
    JOIN transcript_messages c ON c.session_id = s.id AND c.revision = s.revision
    LEFT JOIN adopted_usage a ON a.session_id = c.session_id AND a.usage_key = c.usage_key
    WHERE s.id = ${sessionId} AND c.counted
  ) AS m`;
}
