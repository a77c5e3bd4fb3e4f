import { sql } from 'kysely';
import type { Waterfall } from '../../../api/session-views.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';

const MAX_SUBJECT_CHARS = 120;

interface CallRow {
  readonly ordinal: number;
  readonly block: number | null;
  readonly name: string | null;
  readonly subject: string | null;
  readonly files: string;
  readonly agent_id: string | null;
  readonly turn_id: string | null;
  readonly started_at: string;
  readonly waiting_ms: number | null;
  readonly duration_ms: number | null;
  readonly status: string;
}

/** The calls of a session by time. */
export async function readWaterfall(db: Tx, sessionId: string): Promise<Waterfall> {
  // Calls first: PostgreSQL expects few rows of a session and would look at all calls for every message.
  const { rows } = await sql<CallRow>`
    WITH c AS MATERIALIZED (
      SELECT c.* FROM sessions s JOIN tool_calls c ON c.session_id = s.id AND c.revision = s.revision
      WHERE s.id = ${sessionId} AND c.started_at IS NOT NULL AND NOT c.is_inherited
    )
    SELECT m.ordinal, b.block_order AS block, c.name, c.files, c.agent_id, c.turn_id, c.started_at, c.waiting_ms, c.duration_ms, c.status,
      substr(coalesce(b.tool_input ->> 'description', b.tool_input ->> 'command', b.tool_input ->> 'pattern',
        b.tool_input ->> 'query', b.tool_input ->> 'url'), 1, ${sql.lit(MAX_SUBJECT_CHARS)}) AS subject
    FROM c
    JOIN transcript_messages m ON m.session_id = c.session_id AND m.revision = c.revision AND m.id = c.message_id
    LEFT JOIN content_blocks b ON b.session_id = c.session_id AND b.revision = c.revision
      AND b.message_id = c.message_id AND b.tool_use_id = c.id
    ORDER BY c.started_at, c.position`.execute(db);
  const agents = [...new Set(rows.flatMap(({ agent_id }) => agent_id ?? []))];
  const column = <T>(read: (row: CallRow) => T): readonly T[] => rows.map(read);
  return {
    agents,
    calls: {
      ordinal: column(({ ordinal }) => ordinal),
      block: column(({ block }) => block),
      name: column(({ name }) => name),
      subject: column(({ subject, files }) => subject ?? firstPath(files)),
      agent: column(({ agent_id }) => (agent_id === null ? -1 : agents.indexOf(agent_id))),
      turn_id: column(({ turn_id }) => turn_id),
      started_ms: column(({ started_at }) => Date.parse(started_at)),
      waiting_ms: column(({ waiting_ms }) => waiting_ms),
      duration_ms: column(({ duration_ms }) => duration_ms),
      status: column(({ status }) => status),
    },
  };
}

function firstPath(files: string): string | null {
  return readJson<readonly { readonly path: string }[]>(files)[0]?.path ?? null;
}
