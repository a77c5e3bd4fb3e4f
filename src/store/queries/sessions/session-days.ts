import { sql } from 'kysely';
import type { SessionDay } from '../../../api/facets.ts';
import { addDays } from '../../../domain/days.ts';
import type { SessionSelection } from '../../../domain/search.ts';
import { SLOT_MS } from '../../../domain/usage.ts';
import { createCalendar } from '../../../lib/calendar.ts';
import type { Engine } from '../../engine.ts';
import { selectedSessions } from './field-conditions.ts';

interface DaysQuery extends SessionSelection {
  /** How many days, the last of which is today. */
  readonly days: number;
  readonly zone: string;
}

/** Every day of the period, also those without a session. Days are built here: no engine knows every time zone. */
export async function readSessionDays(engine: Engine, query: DaysQuery, now: Date): Promise<readonly SessionDay[]> {
  const { dayOf, firstSlotOf } = createCalendar(query.zone);
  const today = dayOf(Math.floor(now.getTime() / SLOT_MS));
  const first = addDays(today, 1 - query.days);
  const from = new Date(firstSlotOf(first) * SLOT_MS).toISOString();
  const { rows } = await sql<{ readonly started_at: string; readonly cost_nanos: number | null }>`
    SELECT s.started_at, s.cost_nanos FROM sessions s
    WHERE s.started_at >= ${from} AND ${selectedSessions(engine, query)} AND ${engine.inTime}`.execute(engine.kysely);
  const days = new Map<string, SessionDay>(
    Array.from({ length: query.days }, (_, index) => addDays(first, index)).map((day) => [
      day,
      { day, sessions: 0, cost_nanos: 0 },
    ]),
  );
  for (const { started_at, cost_nanos } of rows) {
    const known = days.get(dayOf(Math.floor(Date.parse(started_at) / SLOT_MS)));
    if (known === undefined) continue;
    const { day, sessions } = known;
    days.set(day, { day, sessions: sessions + 1, cost_nanos: known.cost_nanos + (cost_nanos ?? 0) });
  }
  return [...days.values()];
}
