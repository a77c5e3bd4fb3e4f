import { sql } from 'kysely';
import { FuelError } from '../../../domain/errors.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';

/** The most prompts, files or decisions that are compared with a summary. */
const MAX_COMPARED = 500;
const MAX_TEXT_CHARS = 8_000;

interface CompactionRow {
  readonly id: string;
  readonly agent_id: string | null;
  readonly kind: string;
  readonly compact_sequence: number;
  readonly trigger: string | null;
  readonly pre_tokens: number | null;
  readonly post_tokens: number | null;
  readonly summary_message_id: string | null;
  readonly preserved_uuids: string;
  readonly cleared_tool_use_ids: string;
  readonly revision: number;
  readonly ordinal: number;
}

/** The context before a compaction, and the summary that replaced it. Errors: not_found. */
export async function readCompacted(db: Tx, sessionId: string, compactionId: string) {
  const found = await readCompaction(db, sessionId, compactionId);
  const range: Range = { ...found, sessionId, isMicro: found.kind === 'micro' };
  const preserved = new Set(readJson<readonly string[]>(found.preserved_uuids));
  const cleared = readJson<readonly string[]>(found.cleared_tool_use_ids);
  return {
    compaction: found,
    preserved,
    summary: await readSummary(db, range, found.summary_message_id),
    prompts: range.isMicro ? [] : await readPrompts(db, range),
    decisions: range.isMicro ? [] : await readDecisions(db, range),
    files: range.isMicro ? [] : await readFiles(db, range),
    cleared: cleared.length === 0 ? [] : await readCleared(db, range, cleared.slice(0, MAX_COMPARED)),
    limit: MAX_COMPARED,
  };
}

interface Range {
  readonly sessionId: string;
  readonly revision: number;
  readonly agent_id: string | null;
  readonly compact_sequence: number;
  readonly ordinal: number;
  readonly isMicro: boolean;
}

async function readCompaction(db: Tx, sessionId: string, id: string): Promise<CompactionRow> {
  const { rows } = await sql<CompactionRow>`
    SELECT c.id, c.agent_id, c.kind, c.compact_sequence, c.trigger_name AS "trigger", c.pre_tokens, c.post_tokens,
      c.summary_message_id, c.preserved_uuids, c.cleared_tool_use_ids, c.revision, m.ordinal
    FROM compactions c
    JOIN sessions s ON s.id = c.session_id AND s.revision = c.revision
    JOIN transcript_messages m ON m.session_id = c.session_id AND m.revision = c.revision AND m.id = c.id
    WHERE c.session_id = ${sessionId} AND c.id = ${id}`.execute(db);
  if (rows[0] !== undefined) return rows[0];
  throw new FuelError('not_found', 'This session has no such compaction.', {
    hint: 'GET /api/sessions/:id/compactions lists them.',
  });
}

async function readSummary(db: Tx, { sessionId, revision }: Range, messageId: string | null) {
  if (messageId === null) return null;
  const { rows } = await sql<{ readonly ordinal: number; readonly text: string }>`
    SELECT m.ordinal, b.content_text AS text FROM transcript_messages m
    JOIN content_blocks b ON b.session_id = m.session_id AND b.revision = m.revision AND b.message_id = m.id
    WHERE m.session_id = ${sessionId} AND m.revision = ${revision} AND m.id = ${messageId}
      AND b.content_text IS NOT NULL
    ORDER BY b.block_order`.execute(db);
  if (rows[0] === undefined) return null;
  return { ordinal: rows[0].ordinal, text: rows.map(({ text }) => text).join('\n\n') };
}

interface TextRow {
  readonly ordinal: number;
  readonly uuid: string | null;
  readonly turn_id: string | null;
  readonly text: string;
}

/** The messages of the conversation since the compaction before, as `m`. */
function before({ sessionId, revision, agent_id, compact_sequence, ordinal }: Range) {
  return sql`m.session_id = ${sessionId} AND m.revision = ${revision} AND m.ordinal < ${ordinal}
    AND m.compact_sequence = ${compact_sequence - 1} AND coalesce(m.agent_id, '') = ${agent_id ?? ''}`;
}

async function readPrompts(db: Tx, range: Range): Promise<readonly TextRow[]> {
  const { rows } = await sql<TextRow>`
    SELECT m.ordinal, m.uuid, m.turn_id, substr(b.content_text, 1, ${sql.lit(MAX_TEXT_CHARS)}) AS text
    FROM transcript_messages m
    JOIN content_blocks b ON b.session_id = m.session_id AND b.revision = m.revision AND b.message_id = m.id
    WHERE ${before(range)} AND m.origin IN ('human', 'queued', 'agent_prompt', 'teammate')
      AND b.block_type <> 'injected' AND b.content_text <> ''
    ORDER BY m.ordinal, b.block_order LIMIT ${MAX_COMPARED}`.execute(db);
  return rows;
}

/** Answered questions and plans that were not rejected. */
async function readDecisions(db: Tx, range: Range): Promise<readonly TextRow[]> {
  const { rows } = await sql<TextRow>`
    SELECT m.ordinal, m.uuid, m.turn_id, substr(q.question || ' ' || q.answer, 1, ${sql.lit(MAX_TEXT_CHARS)}) AS text
    FROM questions q
    JOIN transcript_messages m ON m.session_id = q.session_id AND m.revision = q.revision AND m.id = q.message_id
    WHERE ${before(range)} AND q.answer IS NOT NULL
    UNION ALL
    SELECT m.ordinal, m.uuid, m.turn_id, substr(p.text, 1, ${sql.lit(MAX_TEXT_CHARS)})
    FROM plans p
    JOIN transcript_messages m ON m.session_id = p.session_id AND m.revision = p.revision AND m.id = p.message_id
    WHERE ${before(range)} AND p.text IS NOT NULL AND p.status <> 'rejected'
    ORDER BY 1 LIMIT ${MAX_COMPARED}`.execute(db);
  return rows;
}

async function readFiles(db: Tx, range: Range): Promise<readonly TextRow[]> {
  const { rows } = await sql<TextRow>`
    SELECT m.ordinal, m.uuid, m.turn_id, c.files AS text
    FROM tool_calls c
    JOIN transcript_messages m ON m.session_id = c.session_id AND m.revision = c.revision AND m.id = c.message_id
    WHERE ${before(range)} AND c.files <> '[]' ORDER BY m.ordinal`.execute(db);
  const paths = new Map<string, TextRow>();
  for (const row of rows) {
    for (const { path } of readJson<readonly { readonly path: string }[]>(row.text))
      if (!paths.has(path)) paths.set(path, { ...row, text: path });
  }
  return [...paths.values()].slice(0, MAX_COMPARED);
}

async function readCleared(
  db: Tx,
  { sessionId, revision }: Range,
  ids: readonly string[],
): Promise<readonly TextRow[]> {
  const { rows } = await sql<TextRow & { readonly name: string | null; readonly files: string }>`
    SELECT m.ordinal, m.uuid, m.turn_id, c.name, c.files FROM tool_calls c
    JOIN transcript_messages m ON m.session_id = c.session_id AND m.revision = c.revision AND m.id = c.message_id
    WHERE c.session_id = ${sessionId} AND c.revision = ${revision} AND c.id IN (${sql.join(ids)})
    ORDER BY m.ordinal`.execute(db);
  return rows.map(({ name, files, ...row }) => {
    const paths = readJson<readonly { readonly path: string }[]>(files).map(({ path }) => path);
    return { ...row, text: [name ?? 'Result', ...paths].join(' ') };
  });
}
