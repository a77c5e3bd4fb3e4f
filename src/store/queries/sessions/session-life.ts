import { sql } from 'kysely';
import { endTimes, type LastReport, type Life } from '../../../domain/session.ts';
import type { Tx } from '../../engine.ts';
import { cleanTime, readJson } from '../../text.ts';

/** The last start or end that hooks reported for a session, by its machine's clock. */
export async function readLastReport(db: Tx, sessionId: string): Promise<LastReport | null> {
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
  /** Time of the last write to its files; of its start while it has none. */
  readonly lastWriteMs: number;
  /** Time of the last line with a timestamp. */
  readonly lastLineAt: string | null;
}

/**
 * Sessions that may have ended, or ended differently than recorded: those that count as live although all their bytes
 * are parsed, those without bytes, and those with new hook reports.
 */
export async function findUnsettledSessions(db: Tx): Promise<readonly UnsettledSession[]> {
  const rows = await db
    .selectFrom('sessions as s')
    .leftJoin('source_files as f', 'f.session_id', 's.id')
    .select(['s.id', 's.metadata', 's.started_at', 's.captured_version'])
    .select(({ fn }) => fn.max<number | null>('f.seen_mtime_ms').as('lastWriteMs'))
    .whereRef('s.captured_version', '=', 's.parsed_version')
    .where(({ or, eb, and, exists, selectFrom }) =>
      or([
        eb('s.lifecycle', '=', 'detected'),
        and([eb('s.parse_status', '=', 'completed'), eb('s.lifecycle', '=', 'capturing')]),
        and([
          eb('s.parse_status', '=', 'completed'),
          exists(
            selectFrom('events as e')
              .select('e.id')
              .whereRef('e.session_id', '=', 's.id')
              .where('e.type', 'in', ['session.start', 'session.end'])
              .whereRef('e.ingested_at', '>=', 's.updated_at'),
          ),
        ]),
      ]),
    )
    .groupBy('s.id')
    .execute();
  return rows.map(({ id, metadata, started_at, captured_version, lastWriteMs }) => {
    const { last_line_at } = readJson<{ readonly last_line_at?: string | null }>(metadata);
    const startMs = captured_version === 0 ? Date.parse(started_at) : 0;
    return { id, lastWriteMs: lastWriteMs ?? startMs, lastLineAt: cleanTime(last_line_at ?? null) };
  });
}

export interface SessionEnd extends Pick<Life, 'endReason' | 'endedAtMs'> {
  readonly endReason: string;
  readonly lastLineAt: string | null;
}

/** Marks a session as ended, with time and reason; it is parsed to its last byte or has none. */
export async function settleSession(
  db: Tx,
  id: string,
  { endReason, endedAtMs, lastLineAt }: SessionEnd,
  now: string,
): Promise<void> {
  const known = await db
    .selectFrom('sessions')
    .select(['ended_at', 'duration_ms'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (known === undefined) return;
  const { endedAt, afterLastLineMs } = endTimes(lastLineAt, endedAtMs);
  const addedBefore = endTimes(lastLineAt, known.ended_at === null ? null : Date.parse(known.ended_at)).afterLastLineMs;
  await db
    .updateTable('sessions')
    .set({
      lifecycle: sql`CASE lifecycle WHEN 'capturing' THEN 'parsed' WHEN 'detected' THEN 'ended' ELSE lifecycle END`,
      // Without a transcript there was no request.
      content: sql`CASE WHEN captured_version = 0 THEN 'unprompted' ELSE content END`,
      // The narrative of a live session is rewritten, and its repositories are read once more.
      rows_version: sql`CASE WHEN lifecycle = 'capturing' THEN rows_version + 1 ELSE rows_version END`,
      end_reason: endReason,
      ended_at: endedAt ?? sql<string | null>`CASE WHEN captured_version = 0 THEN started_at END`,
      duration_ms: known.duration_ms === null ? null : Math.max(0, known.duration_ms - addedBefore + afterLastLineMs),
      updated_at: now,
    })
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('parse_status', '=', 'completed'), eb('captured_version', '=', 0)]))
    .whereRef('captured_version', '=', 'parsed_version')
    .execute();
}
