import { sql } from 'kysely';
import type { FileStats, ToolStats } from '../../../api/usage.ts';
import type { SessionSelection } from '../../../domain/search.ts';
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
  return (
    engine.kysely
      .selectFrom('tool_calls as c')
      .innerJoin(wanted(engine, query).as('w'), (join) =>
        join.onRef('w.id', '=', 'c.session_id').onRef('w.revision', '=', 'c.revision'),
      )
      .select(sql<string>`coalesce(c.name, '(unknown)')`.as('name'))
      .select(({ fn }) => [
        fn.countAll<number>().as('calls'),
        fn.count<number>('c.session_id').distinct().as('sessions'),
      ])
      .select([count(sql`c.status = 'error'`).as('errors'), count(sql`c.status = 'denied'`).as('denied')])
      .select([sum('c.duration_ms').$castTo<number | null>().as('total_ms')])
      .select(({ fn }) => fn.max<number | null>('c.duration_ms').as('longest_ms'))
      // Calls in a copied beginning belong to the original session.
      .where('c.is_inherited', '=', sql.lit(false))
      .groupBy('c.name')
      .orderBy('calls', 'desc')
      .orderBy('name')
      .limit(query.limit)
      .execute()
  );
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
