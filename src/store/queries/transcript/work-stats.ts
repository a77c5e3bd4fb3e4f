import { sql } from 'kysely';
import type { FileStats, ToolStats } from '../../../api/usage.ts';
import type { ToolDays } from '../../../api/work.ts';
import { addDays } from '../../../domain/days.ts';
import { DAY_MS } from '../../../domain/durations.ts';
import type { SessionSelection } from '../../../domain/search.ts';
import { UNDATED } from '../../../domain/session.ts';
import { FAILED } from '../../../domain/transcript-structure.ts';
import { addSafely, SLOT_MS } from '../../../domain/usage.ts';
import { createCalendar } from '../../../lib/calendar.ts';
import type { Engine } from '../../engine.ts';
import { includes, safeSum, safeSumOrZero } from '../../sql.ts';
import { cleanText } from '../../text.ts';
import { selectedSessions } from '../sessions/field-conditions.ts';

/** Current revisions of the selected sessions. */
function wanted(engine: Engine, selection: SessionSelection) {
  return engine.kysely
    .selectFrom('sessions as s')
    .select(['s.id', 's.revision', 's.started_at'])
    .where(selectedSessions(engine, selection));
}

const sum = (column: string) => safeSum(sql.ref(column)).$castTo<number>();

/** Calls in a copied beginning belong to the original session. */
function ownCalls(engine: Engine, selection: SessionSelection) {
  return sql`(${wanted(engine, selection)}) w
    JOIN call_sums c ON c.session_id = w.id AND c.revision = w.revision AND NOT c.is_inherited`;
}

const NAME = sql`coalesce(c.name, '(unknown)')`;

interface SummedCalls extends Pick<ToolStats, 'name' | 'calls' | 'sessions' | 'errors' | 'denied'> {
  /** Milliseconds of each call that has a duration, separated by commas. */
  readonly durations: string | null;
}

/** Tools by number of calls in these sessions. */
export async function listToolStats(
  engine: Engine,
  query: SessionSelection & { readonly limit: number },
): Promise<readonly ToolStats[]> {
  const withStatus = (status: string) => safeSumOrZero(sql`CASE WHEN c.status = ${sql.lit(status)} THEN c.calls END`);
  const { rows } = await sql<SummedCalls>`
    SELECT ${NAME} AS name, ${safeSumOrZero(sql`c.calls`)} AS calls, count(DISTINCT c.session_id) AS sessions,
      ${withStatus(FAILED)} AS errors, ${withStatus('denied')} AS denied,
      string_agg(CASE WHEN c.durations <> '' THEN c.durations END, ',') AS durations
    FROM ${ownCalls(engine, query)} GROUP BY ${NAME}`.execute(engine.kysely);
  return rows
    .toSorted((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
    .slice(0, query.limit)
    .map(({ durations, ...counts }) => ({ ...counts, ...timesOf(durations === null ? [] : durations.split(',')) }));
}

function timesOf(durations: readonly string[]) {
  const sorted = Float64Array.from(durations, Number).sort();
  return {
    total_ms: sorted.length === 0 ? null : sorted.reduce(addSafely, 0),
    median_ms: nearestRank(sorted, 50),
    p95_ms: nearestRank(sorted, 95),
    longest_ms: sorted.at(-1) ?? null,
  };
}

/** Always the duration of a call, never a value between two. */
function nearestRank(sorted: Float64Array, percent: number): number | null {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? null;
}

const SPARK_DAYS = 30;

/** Calls of each tool by the day their session started: the last days up to the newest of these sessions. */
export async function readToolDays(
  engine: Engine,
  query: SessionSelection & { readonly zone: string },
): Promise<ToolDays> {
  const { dayOf } = createCalendar(query.zone);
  const calls = ownCalls(engine, query);
  const { rows: newest } = await sql<{
    readonly at: string | null;
  }>`SELECT max(w.started_at) AS at FROM ${calls}`.execute(engine.kysely);
  // Sessions before those days are counted together. A day begins within 24 hours of the same day in UTC.
  const first = new Date(Date.parse(newest[0]?.at ?? UNDATED) - (SPARK_DAYS + 1) * DAY_MS).toISOString();
  const { rows } = await sql<{ readonly name: string; readonly started_at: string | null; readonly calls: number }>`
    SELECT o.name, o.started_at, ${safeSumOrZero(sql`o.calls`)} AS calls FROM (
      SELECT ${NAME} AS name, CASE WHEN w.started_at >= ${first} THEN w.started_at END AS started_at, c.calls
      FROM ${calls}
    ) AS o GROUP BY o.name, o.started_at`.execute(engine.kysely);
  const dated = rows.map((row) => ({
    ...row,
    day: row.started_at === null ? '' : dayOf(Math.floor(Date.parse(row.started_at) / SLOT_MS)),
  }));
  const last = dated.reduce((newest, { day }) => (day > newest ? day : newest), '');
  const days = last === '' ? [] : Array.from({ length: SPARK_DAYS }, (_, at) => addDays(last, at + 1 - SPARK_DAYS));
  const tools = [...Map.groupBy(dated, ({ name }) => name)].map(([name, own]) => {
    const byDay = new Map<string, number>();
    for (const { day, calls: some } of own) byDay.set(day, (byDay.get(day) ?? 0) + some);
    return { name, calls: days.map((day) => byDay.get(day) ?? 0) };
  });
  return { days, tools: tools.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** Files whose path contains the text, by how much was written to them. */
export async function listFileStats(
  engine: Engine,
  { path = '', ...query }: SessionSelection & { readonly limit: number; readonly path?: string | undefined },
): Promise<readonly FileStats[]> {
  const part = cleanText(path);
  return (
    engine.kysely
      .selectFrom('touched_files as f')
      .innerJoin(wanted(engine, query).as('w'), (join) =>
        join.onRef('w.id', '=', 'f.session_id').onRef('w.revision', '=', 'f.revision'),
      )
      .select('f.path')
      // A session has one row for each path.
      .select(({ fn }) => fn.countAll<number>().as('sessions'))
      .select([sum('f.reads').as('reads'), sum('f.writes').as('writes')])
      .select([sum('f.lines_added').as('lines_added'), sum('f.lines_removed').as('lines_removed')])
      .select(({ fn }) => fn.max<string>('w.started_at').as('last_at'))
      .where(sql<boolean>`(${part} = '' OR ${includes(sql.ref('f.path'), part)})`)
      .groupBy('f.path')
      .orderBy('writes', 'desc')
      .orderBy('reads', 'desc')
      .orderBy('f.path')
      .limit(query.limit)
      .execute()
  );
}
