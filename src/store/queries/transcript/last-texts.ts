import { type RawBuilder, sql } from 'kysely';
import { agentAnswer, lastLine } from '../../../domain/agent-answer.ts';
import type { Tx } from '../../engine.ts';
import { readInParts } from '../../sql.ts';

/** Enough for the last line of an answer, and for what the client adds to it. */
const MAX_CHARS = 2_000;

interface AgentText {
  readonly id: string;
  readonly text: string;
}

/** The last line of the last text that each of these sub-agents wrote, by agent id. */
export async function readLastLines(
  db: Tx,
  sessionId: string,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = await readInParts(agentIds, async (ids) => {
    const { rows } = await sql<AgentText>`
      SELECT l.agent_id AS id, ${endOf(sql`b.content_text`)} AS text
      FROM (SELECT m.agent_id, m.revision, max(m.ordinal) AS ordinal FROM transcript_messages m
        JOIN sessions s ON s.id = m.session_id AND s.revision = m.revision
        WHERE m.session_id = ${sessionId} AND m.agent_id IN (${sql.join(ids)}) AND m.origin = 'model' AND m.has_text
        GROUP BY m.agent_id, m.revision) l
      JOIN transcript_messages m ON m.session_id = ${sessionId} AND m.revision = l.revision AND m.ordinal = l.ordinal
      JOIN content_blocks b ON b.session_id = m.session_id AND b.revision = m.revision AND b.message_id = m.id
      WHERE b.block_type = 'text' AND b.content_text <> '' ORDER BY l.agent_id, b.block_order`.execute(db);
    return rows;
  });
  return new Map(texts.map(({ id, text }) => [id, lastLine(text)]));
}

/** The last line of the result of each of these calls that waited for its sub-agent, by id of the call. */
export async function readResultLines(
  db: Tx,
  sessionId: string,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = await readInParts(callIds, async (ids) => {
    const { rows } = await sql<AgentText>`
      SELECT c.id, ${endOf(sql`b.result_text`)} AS text FROM tool_calls c
      JOIN sessions s ON s.id = c.session_id AND s.revision = c.revision
      JOIN content_blocks b ON b.session_id = c.session_id AND b.revision = c.revision
        AND b.message_id = c.result_message_id AND b.tool_result_id = c.id
      WHERE c.session_id = ${sessionId} AND c.id IN (${sql.join(ids)}) AND c.status = 'ok'
        AND b.result_text <> ''`.execute(db);
    return rows;
  });
  return new Map(texts.map(({ id, text }) => [id, lastLine(agentAnswer(text))]));
}

/** The last line that the model wrote in the main conversation of a session. */
export async function readMainLine(db: Tx, sessionId: string): Promise<string | null> {
  const { rows } = await sql<{ readonly text: string }>`
    SELECT ${endOf(sql`b.content_text`)} AS text FROM transcript_messages m
    JOIN sessions s ON s.id = m.session_id AND s.revision = m.revision
    JOIN content_blocks b ON b.session_id = m.session_id AND b.revision = m.revision AND b.message_id = m.id
    WHERE m.session_id = ${sessionId} AND m.agent_id IS NULL AND m.origin = 'model' AND m.has_text
      AND b.block_type = 'text' AND b.content_text <> ''
    ORDER BY m.ordinal DESC, b.block_order DESC LIMIT 1`.execute(db);
  return rows[0] === undefined ? null : lastLine(rows[0].text);
}

function endOf(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`CASE WHEN length(${text}) > ${sql.lit(MAX_CHARS)}
    THEN substr(${text}, length(${text}) - ${sql.lit(MAX_CHARS - 1)}) ELSE ${text} END`;
}
