import { sql } from 'kysely';
import type { FileStats, ToolStats } from '../../../api/usage.ts';
import type { ToolDays } from '../../../api/work.ts';
import { addDays } from '../../../domain/days.ts';
import type { SessionSelection } from '../../../domain/search.ts';
import { addSafely, SLOT_MS } from '../../../domain/usage.ts';
import { createCalendar } from '../../../lib/calendar.ts';
import type { Engine } from '../../engine.ts';
import { safeSum } from '../../sql.ts';
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

/** The calls of one tool with one outcome in one session. */
interface CallGroup {
  readonly session_id: string;
  readonly started_at: string;
  readonly name: string;
  readonly status: string;
  readonly calls: number;
  /** Milliseconds of each call that has a duration, separated by commas. */
  readonly durations: string | null;
}

/**
 * One pass over an index that has all of these columns. Exact ranks need every duration; a list per group is read many
 * times faster than a row per call. Calls in a copied beginning belong to the original session.
 */
async function readCallGroups(engine: Engine, query: SessionSelection): Promise<readonly CallGroup[]> {
  const { rows } = await sql<CallGroup>`
    SELECT c.session_id, max(w.started_at) AS started_at, coalesce(c.name, '(unknown)') AS name, c.status, count(*) AS calls,
      string_agg(CAST(c.duration_ms AS TEXT), ',') AS durations
    FROM (${wanted(engine, query)}) w JOIN tool_calls c ON w.id = c.session_id AND w.revision = c.revision
    WHERE NOT c.is_inherited
    GROUP BY c.session_id, c.name, c.status`.execute(engine.kysely);
  return rows;
}

/** Tools by number of calls in these sessions. */
export async function listToolStats(
  engine: Engine,
  query: SessionSelection & { readonly limit: number },
): Promise<readonly ToolStats[]> {
  const byTool = Map.groupBy(await readCallGroups(engine, query), ({ name }) => name);
  return [...byTool]
    .map(([name, groups]) => toolStats(name, groups))
    .toSorted((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
    .slice(0, query.limit);
}

function toolStats(name: string, groups: readonly CallGroup[]): ToolStats {
  const count = (some: readonly CallGroup[]) => some.reduce((total, { calls }) => total + calls, 0);
  const withStatus = (wanted: string) => count(groups.filter(({ status }) => status === wanted));
  const durations = groups.flatMap(({ durations }) => (durations === null ? [] : durations.split(','))).map(Number);
  durations.sort((a, b) => a - b);
  return {
    name,
    calls: count(groups),
    sessions: new Set(groups.map(({ session_id }) => session_id)).size,
    errors: withStatus('error'),
    denied: withStatus('denied'),
    total_ms: durations.length === 0 ? null : durations.reduce(addSafely, 0),
    median_ms: nearestRank(durations, 50),
    p95_ms: nearestRank(durations, 95),
    longest_ms: durations.at(-1) ?? null,
  };
}

/** Always the duration of a call, never a value between two. */
function nearestRank(sorted: readonly number[], percent: number): number | null {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? null;
}

const SPARK_DAYS = 30;

/** Calls of each tool by the day their session started: the last days up to the newest of these sessions. */
export async function readToolDays(
  engine: Engine,
  query: SessionSelection & { readonly zone: string },
): Promise<ToolDays> {
  const { dayOf } = createCalendar(query.zone);
  const rows = await readCallGroups(engine, query);
  const dated = rows.map((row) => ({ ...row, day: dayOf(Math.floor(Date.parse(row.started_at) / SLOT_MS)) }));
  const last = dated.reduce((newest, { day }) => (day > newest ? day : newest), '');
  const days = last === '' ? [] : Array.from({ length: SPARK_DAYS }, (_, at) => addDays(last, at + 1 - SPARK_DAYS));
  const tools = [...Map.groupBy(dated, ({ name }) => name)].map(([name, own]) => {
    const byDay = new Map<string, number>();
    for (const { day, calls } of own) byDay.set(day, (byDay.get(day) ?? 0) + calls);
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
  return engine.kysely
    .selectFrom('touched_files as f')
    .innerJoin(wanted(engine, query).as('w'), (join) =>
      join.onRef('w.id', '=', 'f.session_id').onRef('w.revision', '=', 'f.revision'),
    )
    .select('f.path')
    .select(({ fn }) => fn.count<number>('f.session_id').distinct().as('sessions'))
    .select([sum('f.reads').as('reads'), sum('f.writes').as('writes')])
    .select([sum('f.lines_added').as('lines_added'), sum('f.lines_removed').as('lines_removed')])
    .select(({ fn }) => fn.max<string>('w.started_at').as('last_at'))
    .where(sql<boolean>`(${part} = '' OR replace(f.path, ${part}, '') <> f.path)`)
    .groupBy('f.path')
    .orderBy('writes', 'desc')
    .orderBy('reads', 'desc')
    .orderBy('f.path')
    .limit(query.limit)
    .execute();
}
