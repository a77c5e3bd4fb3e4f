import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';

/** Longest text that is read for the excerpt of a prompt; the tags around a command need some of it. */
export const MAX_PROMPT_CHARS = 2_000;

export interface PromptTexts {
  readonly ordinal: number;
  readonly cost_nanos: number | null;
  /** The beginnings of its blocks, without what the client added. */
  readonly texts: readonly string[];
}

/** The prompts of the main conversation after a position, with the beginnings of their texts. */
export async function readPrompts(
  db: Tx,
  sessionId: string,
  { after = -1, limit }: { readonly after?: number | undefined; readonly limit: number },
): Promise<readonly PromptTexts[]> {
  const { rows } = await sql<Omit<PromptTexts, 'texts'> & { readonly text: string | null }>`
    WITH page AS MATERIALIZED (
      SELECT t.id, t.session_id, t.revision, m.ordinal, t.cost_nanos FROM turns t
      JOIN sessions s ON s.id = t.session_id AND s.revision = t.revision
      JOIN transcript_messages m ON m.session_id = t.session_id AND m.revision = t.revision AND m.id = t.id
      WHERE t.session_id = ${sessionId} AND t.agent_id IS NULL AND m.ordinal > ${after}
      ORDER BY m.ordinal LIMIT ${limit})
    SELECT p.ordinal, p.cost_nanos, substr(b.content_text, 1, ${sql.lit(MAX_PROMPT_CHARS)}) AS text FROM page p
    LEFT JOIN content_blocks b ON b.session_id = p.session_id AND b.revision = p.revision AND b.message_id = p.id
      AND b.block_type <> 'injected' AND b.content_text <> ''
    ORDER BY p.ordinal, b.block_order`.execute(db);
  return [...Map.groupBy(rows, ({ ordinal }) => ordinal)].map(([ordinal, blocks]) => ({
    ordinal,
    cost_nanos: blocks[0]?.cost_nanos ?? null,
    texts: blocks.flatMap(({ text }) => (text === null ? [] : [text])),
  }));
}
