import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';

/** Enough for the last line of an answer to be shown on a card. */
const MAX_CHARS = 2_000;

/** The end of the last text that each of these sub-agents wrote, by agent id. */
export async function readLastTexts(
  db: Tx,
  sessionId: string,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (agentIds.length === 0) return new Map();
  const { rows } = await sql<{ readonly agent_id: string; readonly text: string }>`
    SELECT l.agent_id, CASE WHEN length(b.content_text) > ${sql.lit(MAX_CHARS)}
      THEN substr(b.content_text, length(b.content_text) - ${sql.lit(MAX_CHARS - 1)}) ELSE b.content_text END AS text
    FROM (SELECT m.agent_id, m.revision, max(m.ordinal) AS ordinal FROM transcript_messages m
      JOIN sessions s ON s.id = m.session_id AND s.revision = m.revision
      WHERE m.session_id = ${sessionId} AND m.agent_id IN (${sql.join(agentIds)}) AND m.origin = 'model' AND m.has_text
      GROUP BY m.agent_id, m.revision) l
    JOIN transcript_messages m ON m.session_id = ${sessionId} AND m.revision = l.revision AND m.ordinal = l.ordinal
    JOIN content_blocks b ON b.session_id = m.session_id AND b.revision = m.revision AND b.message_id = m.id
    WHERE b.block_type = 'text' AND b.content_text <> '' ORDER BY l.agent_id, b.block_order`.execute(db);
  return new Map(rows.map(({ agent_id, text }) => [agent_id, text]));
}
