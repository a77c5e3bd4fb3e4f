import { sql } from 'kysely';
import type { SessionQuery } from '../../domain/query.ts';
import type { Tx } from '../engine.ts';
import { sessionConditions } from './session-filters.ts';

/** Which sessions; one of them where its id is given. */
export interface WorkQuery extends SessionQuery {
  readonly sessionId?: string;
}

export interface ToolStats {
  readonly name: string;
  readonly calls: number;
  readonly sessions: number;
  readonly errors: number;
  readonly denied: number;
  readonly total_ms: number | null;
  readonly longest_ms: number | null;
}

export interface FileStats {
  readonly path: string;
  readonly sessions: number;
  readonly reads: number;
  readonly writes: number;
  readonly lines_added: number;
  readonly lines_removed: number;
  readonly last_at: string;
}

function wanted(db: Tx, { sessionId, ...query }: WorkQuery) {
  return db
    .selectFrom('sessions as s')
    .select(['s.id', 's.revision', 's.started_at'])
    .where((eb) => eb.and(sessionConditions(eb, query)))
    .$if(sessionId !== undefined, (select) => select.where('s.id', '=', sessionId ?? ''));
}

const count = (condition: ReturnType<typeof sql>) =>
  sql<number>`CAST(sum(CASE WHEN ${condition} THEN 1 ELSE 0 END) AS BIGINT)`;
const sum = (column: string) => sql<number>`CAST(sum(${sql.ref(column)}) AS BIGINT)`;

/** Tools by how often they were called, in the current revisions of these sessions. */
export async function listToolStats(db: Tx, query: WorkQuery, limit: number): Promise<readonly ToolStats[]> {
  return db
    .selectFrom('tool_calls as c')
    .innerJoin(wanted(db, query).as('w'), (join) =>
      join.onRef('w.id', '=', 'c.session_id').onRef('w.revision', '=', 'c.revision'),
    )
    .select(sql<string>`coalesce(c.name, '(unknown)')`.as('name'))
    .select(({ fn }) => [fn.countAll<number>().as('calls'), fn.count<number>('c.session_id').distinct().as('sessions')])
    .select([count(sql`c.status = 'error'`).as('errors'), count(sql`c.status = 'denied'`).as('denied')])
    .select([sum('c.duration_ms').$castTo<number | null>().as('total_ms')])
    .select(({ fn }) => fn.max<number | null>('c.duration_ms').as('longest_ms'))
    .groupBy('c.name')
    .orderBy('calls', 'desc')
    .orderBy('name')
    .limit(limit)
    .execute();
}

/** Files by how much was written to them, those whose path contains the text. */
export async function listFileStats(
  db: Tx,
  query: WorkQuery,
  { limit, part }: { readonly limit: number; readonly part: string },
): Promise<readonly FileStats[]> {
  return db
    .selectFrom('touched_files as f')
    .innerJoin(wanted(db, query).as('w'), (join) =>
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
    .limit(limit)
    .execute();
}
