import { sql } from 'kysely';
import type { RescueReport, StatusReport } from '../../../api/server.ts';
import { NO_USAGE, type UsageSum } from '../../../domain/usage.ts';
import { localDay } from '../../../lib/calendar.ts';
import type { Tx } from '../../engine.ts';
import { sumUsage } from '../usage/usage.ts';
import { IS_PROMPTED, IS_SESSION, SESSION_IS } from './session-conditions.ts';

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

/** Tokens and cost of the current day and month in a time zone. */
export async function readRecentUsage(
  db: Tx,
  now: Date,
  timezone: string,
): Promise<Pick<StatusReport, 'today' | 'this_month'>> {
  const { day, monthFrom, from, to } = localDay(now, timezone);
  return {
    today: { day, timezone, ...(await sumSlots(db, from, to)) },
    this_month: { month: day.slice(0, 7), ...(await sumSlots(db, monthFrom, to)) },
  };
}

async function sumSlots(db: Tx, from: number, to: number): Promise<UsageSum> {
  const [sum] = await sumUsage(db, [], { from, to });
  if (sum === undefined) return NO_USAGE;
  const { cache_write_1h_tokens: _, ...shown } = sum;
  return shown;
}

/** When the first session was stored, how many have a prompt, and how many of these are among the given ones. */
export async function readRescue(db: Tx, expiringIds: readonly string[]): Promise<RescueReport> {
  const isExpiring = expiringIds.length === 0 ? sql<boolean>`FALSE` : sql<boolean>`s.id IN (${sql.join(expiringIds)})`;
  const { rows } = await sql<RescueReport>`SELECT min(s.created_at) AS first_import_at,
    count(CASE WHEN ${IS_PROMPTED} THEN 1 END) AS sessions,
    count(CASE WHEN ${IS_PROMPTED} AND ${isExpiring} THEN 1 END) AS would_be_deleted FROM sessions s`.execute(db);
  return rows[0] ?? { first_import_at: null, sessions: 0, would_be_deleted: 0 };
}
