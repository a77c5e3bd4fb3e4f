import { sql } from 'kysely';
import type { Engine, Tx } from '../../engine.ts';
import { literally } from '../../sql.ts';

export interface TextSearch {
  readonly sessionId: string;
  readonly wanted: string;
  /** Positions after `after`, up to and including `to`. */
  readonly after: number;
  readonly to: number;
}

/** Messages whose shown text may not be stored as it is: commands have tags, and some notices are our own words. */
const REWRITTEN_ORIGINS = ['command', 'bash_input', 'synthetic', 'interruption'];
const REWRITTEN_SUBTYPES = ['api_error', 'compact_boundary', 'microcompact_boundary'];

/**
 * Positions of the messages whose entries may contain a text, including those of the calls whose results do. Finds too
 * many rather than too few: what is shown is derived from what is stored.
 */
export async function findCandidates(engine: Engine, db: Tx, search: TextSearch): Promise<readonly number[]> {
  const { sessionId, after, to } = search;
  const inText = patternOf(longest(search.wanted, /[\x20-\x7e]+/g));
  // JSON escapes some characters and puts others between words.
  const inInput = patternOf(longest(search.wanted, /\w+/g));
  const has = (column: string, pattern: string | null) =>
    pattern === null
      ? sql`${sql.ref(column)} IS NOT NULL`
      : engine.contains(sql`CAST(${sql.ref(column)} AS TEXT)`, pattern);
  const { rows } = await sql<{ readonly ordinal: number; readonly call_ordinal: number | null }>`
    SELECT DISTINCT m.ordinal, u.ordinal AS call_ordinal FROM transcript_messages m
    JOIN sessions s ON s.id = m.session_id AND s.revision = m.revision
    LEFT JOIN content_blocks b ON b.session_id = m.session_id AND b.revision = m.revision AND b.message_id = m.id
    LEFT JOIN tool_calls c ON c.session_id = b.session_id AND c.revision = b.revision AND c.id = b.tool_result_id
    LEFT JOIN transcript_messages u ON u.session_id = c.session_id AND u.revision = c.revision AND u.id = c.message_id
    WHERE m.session_id = ${sessionId} AND m.ordinal > ${after} AND m.ordinal <= ${to}
      AND (m.origin IN (${sql.join(REWRITTEN_ORIGINS)}) OR m.subtype IN (${sql.join(REWRITTEN_SUBTYPES)}) OR ${has('b.content_text', inText)} OR ${has('b.thinking_text', inText)}
        OR ${has('b.result_text', inText)} OR ${has('b.tool_input', inInput)})
    ORDER BY m.ordinal`.execute(db);
  return [...new Set(rows.flatMap(({ ordinal, call_ordinal }) => [ordinal, call_ordinal ?? ordinal]))];
}

function longest(text: string, pattern: RegExp): string {
  return (text.match(pattern) ?? []).reduce((most, run) => (run.length > most.length ? run : most), '');
}

function patternOf(text: string): string | null {
  return text === '' ? null : `%${literally(text.toLowerCase())}%`;
}

/** Position of the last message of the current revision; -1 if there is none. */
export async function lastOrdinal(db: Tx, sessionId: string): Promise<number> {
  const { rows } = await sql<{ readonly last: number | null }>`
    SELECT max(m.ordinal) AS last FROM transcript_messages m
    JOIN sessions s ON s.id = m.session_id AND s.revision = m.revision WHERE m.session_id = ${sessionId}`.execute(db);
  return rows[0]?.last ?? -1;
}
