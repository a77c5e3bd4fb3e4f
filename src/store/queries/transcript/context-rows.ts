import { sql } from 'kysely';
import type { ContextBlock, ContextMessage } from '../../../domain/outline.ts';
import type { Tx } from '../../engine.ts';

/** Messages read by one statement; a statement blocks the process on SQLite. */
const PAGE_MESSAGES = 2_000;

interface Conversation {
  readonly sessionId: string;
  /** Null is the main one. */
  readonly agentId: string | null;
}

/** Reads the sizes of everything said in a conversation, in order; no texts. */
export async function readContextMessages(
  db: Tx,
  { sessionId, agentId }: Conversation,
  use: (messages: readonly ContextMessage[], blocks: readonly ContextBlock[]) => void,
): Promise<void> {
  const { revision } = await db
    .selectFrom('sessions')
    .select('revision')
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  const isOfIt = agentId === null ? sql`m.agent_id IS NULL` : sql`m.agent_id = ${agentId}`;
  const rows = sql`m.session_id = ${sessionId} AND m.revision = ${revision} AND ${isOfIt}`;
  for (let first = 0; ; ) {
    const { rows: messages } = await sql<ContextMessage>`
      SELECT m.ordinal, m.id, m.uuid, m.agent_id, m.message_type, m.subtype, m.origin, m.turn_id, m.model, m.tokens_out,
        m.thinking_tokens, m.tokens_in + coalesce(m.cache_read, 0) + coalesce(m.cache_write, 0) AS context_tokens
      FROM transcript_messages m WHERE ${rows} AND m.ordinal >= ${first}
      ORDER BY m.ordinal LIMIT ${sql.lit(PAGE_MESSAGES)}`.execute(db);
    const last = messages.at(-1);
    if (last === undefined) return;
    const { rows: blocks } = await sql<ContextBlock>`
      SELECT m.ordinal, b.block_type, b.tool_result_id, coalesce(octet_length(b.content_text), 0)
        + coalesce(octet_length(b.thinking_text), 0) + coalesce(octet_length(b.result_text), 0) AS text_bytes
      FROM transcript_messages m
      JOIN content_blocks b ON b.session_id = m.session_id AND b.revision = m.revision AND b.message_id = m.id
      WHERE ${rows} AND m.ordinal >= ${first} AND m.ordinal <= ${last.ordinal}
      ORDER BY m.ordinal, b.block_order`.execute(db);
    use(messages, blocks);
    if (messages.length < PAGE_MESSAGES) return;
    first = last.ordinal + 1;
  }
}
