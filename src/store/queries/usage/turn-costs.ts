import { sql } from 'kysely';
import type { SessionCosts } from '../../../api/session-views.ts';
import { TYPICAL_BYTES_PER_TOKEN } from '../../../domain/context-parts.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';
import { countedUsage, readSessionUsage, USAGE_SUMS } from './session-usage.ts';

const MAX_FILES = 100;

/** The cost of each turn and sub-agent of a session, and the files that filled its context. */
export async function readTurnCosts(db: Tx, sessionId: string): Promise<SessionCosts> {
  const { rows } = await sql<SessionCosts['rows'][number]>`
    SELECT m.turn_id AS turn_id, m.agent_id AS agent_id,
      ${USAGE_SUMS}
    FROM ${countedUsage(sessionId)}
    WHERE m.usage_key IS NOT NULL
    GROUP BY m.turn_id, m.agent_id
    ORDER BY coalesce(sum(m.cost_nanos), 0) DESC, m.turn_id, m.agent_id`.execute(db);
  return { total: (await readSessionUsage(db, sessionId)).total, rows, files: await readFiles(db, sessionId) };
}

interface ReadRow {
  readonly ordinal: number;
  readonly block: number | null;
  readonly files: string;
  readonly bytes: number;
}

/** Files by what their contents added to the context. */
async function readFiles(db: Tx, sessionId: string): Promise<SessionCosts['files']> {
  const { rows } = await sql<ReadRow>`
    SELECT c.ordinal, c.block, c.files, coalesce(octet_length(b.result_text), 0) AS bytes
    FROM (
      SELECT t.session_id, t.revision, t.id, t.files, t.result_message_id,
        -- Not a join: SQLite would compare every message with every call.
        (SELECT m.ordinal FROM transcript_messages m
          WHERE m.session_id = t.session_id AND m.revision = t.revision AND m.id = t.message_id) AS ordinal,
        (SELECT min(u.block_order) FROM content_blocks u
          WHERE u.session_id = t.session_id AND u.revision = t.revision AND u.message_id = t.message_id
            AND u.tool_use_id = t.id) AS block
      FROM tool_calls t
      JOIN sessions s ON s.id = t.session_id AND s.revision = t.revision
      WHERE t.session_id = ${sessionId} AND t.files <> '[]'
    ) c
    LEFT JOIN content_blocks b ON b.session_id = c.session_id AND b.revision = c.revision
      AND b.message_id = c.result_message_id AND b.tool_result_id = c.id
    WHERE c.ordinal IS NOT NULL ORDER BY c.ordinal, c.block`.execute(db);
  const files = new Map<string, SessionCosts['files'][number]>();
  for (const { ordinal, block, files: json, bytes } of rows) {
    const read = readJson<readonly { readonly path: string; readonly action: string }[]>(json).filter(
      ({ action }) => action === 'read',
    );
    for (const { path } of read) {
      const known = files.get(path) ?? { path, reads: 0, tokens: 0, ordinal, block };
      const tokens = Math.round(bytes / TYPICAL_BYTES_PER_TOKEN / read.length);
      files.set(path, { ...known, reads: known.reads + 1, tokens: known.tokens + tokens });
    }
  }
  return [...files.values()]
    .toSorted((a, b) => b.tokens - a.tokens || b.reads - a.reads || a.ordinal - b.ordinal)
    .slice(0, MAX_FILES);
}
