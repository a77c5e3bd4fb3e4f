import { sql } from 'kysely';
import type { LastWord } from '../../domain/session.ts';
import type { Tx } from '../engine.ts';
import { cleanTime, readJson } from '../text.ts';

/** The last start or end that hooks told of a session, by the clock of its machine. */
export async function readLastWord(db: Tx, sessionId: string): Promise<LastWord | null> {
  const row = await db
    .selectFrom('events')
    .select(['type', 'timestamp', 'data'])
    .where('session_id', '=', sessionId)
    .where('type', 'in', ['session.start', 'session.end'])
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { end_reason } = readJson<{ readonly end_reason?: unknown }>(row.data);
  return {
    kind: row.type === 'session.end' ? 'end' : 'start',
    atMs: Date.parse(row.timestamp),
    endReason: typeof end_reason === 'string' ? end_reason : null,
  };
}

export interface UnsettledSession {
  readonly id: string;
  readonly lastWriteMs: number;
  /** Of the last line that has a time. */
  readonly lastLineAt: string | null;
}

/**
 * Sessions of which it is to be asked (again) whether and how they ended: those that count as live although all their
 * bytes are parsed, and those of which hooks have told something since.
 */
export async function findUnsettledSessions(db: Tx): Promise<readonly UnsettledSession[]> {
  const rows = await db
    .selectFrom('sessions as s')
    .leftJoin('source_files as f', 'f.session_id', 's.id')
    .select(['s.id', 's.metadata', ({ fn }) => fn.max<number | null>('f.seen_mtime_ms').as('lastWriteMs')])
    .where('s.parse_status', '=', 'completed')
    .whereRef('s.captured_version', '=', 's.parsed_version')
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('s.lifecycle', '=', 'capturing'),
        exists(
          selectFrom('events as e')
            .select('e.id')
            .whereRef('e.session_id', '=', 's.id')
            .where('e.type', 'in', ['session.start', 'session.end'])
            .whereRef('e.ingested_at', '>=', 's.updated_at'),
        ),
      ]),
    )
    .groupBy('s.id')
    .execute();
  return rows.map(({ id, metadata, lastWriteMs }) => {
    const { last_line_at } = readJson<{ readonly last_line_at?: string | null }>(metadata);
    return { id, lastWriteMs: lastWriteMs ?? 0, lastLineAt: cleanTime(last_line_at ?? null) };
  });
}

export interface SessionEnd {
  readonly endReason: string;
  readonly endedAt: string | null;
}

/** A session that was parsed to its last byte has ended, then and for this reason. */
export async function settleSession(
  db: Tx,
  id: string,
  { endReason, endedAt }: SessionEnd,
  now: string,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({
      lifecycle: sql`CASE WHEN lifecycle = 'capturing' THEN 'parsed' ELSE lifecycle END`,
      // What was told of a live session is told anew, and its repositories are asked once more.
      rows_version: sql`CASE WHEN lifecycle = 'capturing' THEN rows_version + 1 ELSE rows_version END`,
      end_reason: endReason,
      ended_at: endedAt,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('parse_status', '=', 'completed')
    .whereRef('captured_version', '=', 'parsed_version')
    .execute();
}
