import { sql } from 'kysely';
import { cutPage, decodePlace, isBeyond } from '../cursor.ts';
import type { Tx } from '../engine.ts';

export interface TeamRow {
  readonly session_id: string;
  readonly team_name: string;
  readonly description: string | null;
  readonly lead_agent_id: string | null;
  readonly created_at: string | null;
  readonly ended_at: string | null;
  readonly teammates: number;
  readonly started_at: string;
}

export interface TeamPage {
  readonly teams: readonly TeamRow[];
  readonly next_cursor: string | null;
}

/** A session and the place of a team in it, as one text that is ordered like both. */
const KEY = sql<string>`(t.session_id || ':' || (1000000 + t.position))`;
const ORDER = { at: sql.ref('s.started_at'), id: KEY };

/** Teams of all sessions, those of the newest session first. Errors: usage for a cursor that is not ours. */
export async function pageTeams(
  db: Tx,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<TeamPage> {
  const members = sql<number>`(SELECT count(*) FROM teammates m
    WHERE m.session_id = t.session_id AND m.revision = t.revision AND m.team_name = t.team_name)`;
  const rows = await db
    .selectFrom('teams as t')
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 't.session_id').onRef('s.revision', '=', 't.revision'),
    )
    .select(['t.session_id', 't.team_name', 't.description', 't.lead_agent_id', 't.created_at', 't.ended_at'])
    .select(['s.started_at', members.as('teammates'), KEY.as('key')])
    .$if(cursor !== undefined, (select) => select.where(isBeyond(ORDER, decodePlace(cursor ?? ''), 'down')))
    .orderBy('s.started_at', 'desc')
    .orderBy(KEY, 'desc')
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows, limit, ({ started_at, key }) => ({ at: started_at, id: key }));
  return { teams: page.map(({ key: _key, ...team }) => team), next_cursor: next };
}
