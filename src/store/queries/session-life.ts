import type { LastWord } from '../../domain/session.ts';
import type { Tx } from '../engine.ts';
import { readJson } from '../text.ts';

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

export interface OpenSession {
  readonly id: string;
  readonly lastWriteMs: number;
}

/** Sessions that count as live although all their bytes are parsed: whether they have ended is to be asked again. */
export async function findOpenSessions(db: Tx): Promise<readonly OpenSession[]> {
  const rows = await db
    .selectFrom('sessions as s')
    .leftJoin('source_files as f', 'f.session_id', 's.id')
    .select(['s.id', ({ fn }) => fn.max<number | null>('f.seen_mtime_ms').as('lastWriteMs')])
    .where('s.lifecycle', '=', 'capturing')
    .where('s.parse_status', '=', 'completed')
    .whereRef('s.captured_version', '=', 's.parsed_version')
    .groupBy('s.id')
    .execute();
  return rows.map(({ id, lastWriteMs }) => ({ id, lastWriteMs: lastWriteMs ?? 0 }));
}

/** A session that was parsed to its last byte has ended. */
export async function markOpenSessionParsed(db: Tx, id: string, endReason: string, now: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ lifecycle: 'parsed', end_reason: endReason, updated_at: now })
    .where('id', '=', id)
    .where('lifecycle', '=', 'capturing')
    .where('parse_status', '=', 'completed')
    .whereRef('captured_version', '=', 'parsed_version')
    .execute();
}
