import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';
import { IS_PROMPTED, IS_SESSION, SESSION_IS } from './session-conditions.ts';
import type { RescueReport, StatusReport } from '../../../api/server.ts';
import { localDay } from '../../../lib/calendar.ts';
import { NO_USAGE } from '../../../domain/usage.ts';
import { sumUsage } from '../usage/usage.ts';

export interface Totals {
  readonly sessions: number;
  readonly messages: number;
  readonly files: number;
  readonly archivedBytes: number;
  readonly storedBytes: number;
}

/** The totals of the store, in five numbers. */
export async function readTotals(db: Tx): Promise<Totals> {
  const { rows } = await sql<Totals>`SELECT
    (SELECT count(*) FROM sessions s WHERE ${IS_SESSION}) AS sessions,
    (SELECT coalesce(sum(total_messages), 0) FROM sessions) AS messages,
    (SELECT count(*) FROM source_files) AS files,
    (SELECT coalesce(sum(size_bytes), 0) FROM generations) AS "archivedBytes",
    (SELECT coalesce(sum(stored_bytes), 0) FROM blobs) AS "storedBytes"`.execute(db);
  const totals = rows[0];
  if (!totals) throw new Error('a SELECT without FROM gave no row');
  return totals;
}

const MAX_LIVE_SESSIONS = 5;

/** The number of live sessions, and the newest few. */
export async function readLiveNow(db: Tx): Promise<StatusReport['live']> {
  const { rows } = await sql<{ id: string; title: string | null; total: number }>`
    SELECT s.id, coalesce(s.title, s.initial_prompt) AS title, count(*) OVER () AS total FROM sessions s
    WHERE ${SESSION_IS.live} AND ${IS_SESSION}
    ORDER BY s.started_at DESC, s.id LIMIT ${sql.lit(MAX_LIVE_SESSIONS)}`.execute(db);
  return { count: rows[0]?.total ?? 0, sessions: rows.map(({ id, title }) => ({ id, title })) };
}

/** Tokens and cost of the current local day. */
export async function readToday(db: Tx, now: Date, timezone: string): Promise<StatusReport['today']> {
  const { day, from, to } = localDay(now, timezone);
  const [{ cache_write_1h_tokens: _, ...sum } = { ...NO_USAGE, cache_write_1h_tokens: 0 }] = await sumUsage(db, [], {
    from,
    to,
  });
  return { day, timezone, ...sum };
}

/** When the first session was stored, the sessions with a prompt, and how many of them are among the given ones. */
export async function readRescue(db: Tx, expiringIds: readonly string[]): Promise<RescueReport> {
  const isExpiring = expiringIds.length === 0 ? sql<boolean>`FALSE` : sql<boolean>`s.id IN (${sql.join(expiringIds)})`;
  const { rows } = await sql<RescueReport>`SELECT min(s.created_at) AS first_import_at,
    count(CASE WHEN ${IS_PROMPTED} THEN 1 END) AS sessions,
    count(CASE WHEN ${IS_PROMPTED} AND ${isExpiring} THEN 1 END) AS would_be_deleted FROM sessions s`.execute(db);
  return rows[0] ?? { first_import_at: null, sessions: 0, would_be_deleted: 0 };
}
