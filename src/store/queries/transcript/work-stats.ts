import { sql } from 'kysely';
import type { FileStats, ToolStats } from '../../../api/usage.ts';
import type { ToolDays } from '../../../api/work.ts';
import { addDays } from '../../../domain/days.ts';
import type { SessionSelection } from '../../../domain/search.ts';
import { SLOT_MS } from '../../../domain/usage.ts';
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

const count = (condition: ReturnType<typeof sql>) =>
  sql<number>`CAST(sum(CASE WHEN ${condition} THEN 1 ELSE 0 END) AS BIGINT)`;
const sum = (column: string) => safeSum(sql.ref(column)).$castTo<number>();

/** Tools by number of calls in these sessions. */
export async function listToolStats(
  engine: Engine,
  query: SessionSelection & { readonly limit: number },
): Promise<readonly ToolStats[]> {
  const durations = await readDurations(engine, query);
  const tools = await engine.kysely
    .selectFrom('tool_calls as c')
    .innerJoin(wanted(engine, query).as('w'), (join) =>
      join.onRef('w.id', '=', 'c.session_id').onRef('w.revision', '=', 'c.revision'),
    )
    .select(sql<string>`coalesce(c.name, '(unknown)')`.as('name'))
    .select(({ fn }) => [fn.countAll<number>().as('calls'), fn.count<number>('c.session_id').distinct().as('sessions')])
    .select([count(sql`c.status = 'error'`).as('errors'), count(sql`c.status = 'denied'`).as('denied')])
    .select([sum('c.duration_ms').$castTo<number | null>().as('total_ms')])
    .select(({ fn }) => fn.max<number | null>('c.duration_ms').as('longest_ms'))
    // Calls in a copied beginning belong to the original session.
    .where('c.is_inherited', '=', sql.lit(false))
    .groupBy('c.name')
    .orderBy('calls', 'desc')
    .orderBy('name')
    .limit(query.limit)
    .execute();
  return tools.map(({ longest_ms, ...tool }) => ({
    ...tool,
    ...(durations.get(tool.name) ?? { median_ms: null, p95_ms: null }),
    longest_ms,
  }));
}

type Durations = Pick<ToolStats, 'median_ms' | 'p95_ms'>;

/** Nearest ranks: always the duration of a call, never a value between two. */
async function readDurations(engine: Engine, query: SessionSelection): Promise<ReadonlyMap<string, Durations>> {
  const { rows } = await sql<Durations & { readonly name: string }>`
    SELECT name, max(CASE WHEN rank = (calls + 1) / 2 THEN duration_ms END) AS median_ms,
      max(CASE WHEN rank = (calls * 95 + 99) / 100 THEN duration_ms END) AS p95_ms
    FROM (
      SELECT coalesce(c.name, '(unknown)') AS name, c.duration_ms,
        row_number() OVER (PARTITION BY c.name ORDER BY c.duration_ms) AS rank,
        count(*) OVER (PARTITION BY c.name) AS calls
      FROM tool_calls c JOIN (${wanted(engine, query)}) w ON w.id = c.session_id AND w.revision = c.revision
      WHERE NOT c.is_inherited AND c.duration_ms IS NOT NULL
    ) AS ranked
    GROUP BY name`.execute(engine.kysely);
  return new Map(rows.map(({ name, ...durations }) => [name, durations]));
}

const SPARK_DAYS = 30;

/** Calls of each tool by the day their session started: the last days up to the newest of these sessions. */
export async function readToolDays(
  engine: Engine,
  query: SessionSelection & { readonly zone: string },
): Promise<ToolDays> {
  const { dayOf } = createCalendar(query.zone);
  const { rows } = await sql<{ readonly name: string; readonly started_at: string; readonly calls: number }>`
    SELECT coalesce(c.name, '(unknown)') AS name, w.started_at, count(*) AS calls
    FROM (${wanted(engine, query)}) w JOIN tool_calls c ON w.id = c.session_id AND w.revision = c.revision
    WHERE NOT c.is_inherited
    GROUP BY c.name, w.id, w.started_at`.execute(engine.kysely);
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
