import { sql } from 'kysely';
import { distinctPullRequests, type PullRequest } from '../../../domain/pull-request.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths, ofCurrentRevision } from '../../sql.ts';

/** All pull requests of all sessions or of some: those the client linked, then those their tool calls created. */
export async function loadPullRequests(
  db: Tx,
  sessionIds?: readonly string[],
): Promise<ReadonlyMap<string, readonly PullRequest[]>> {
  const linked = await db
    .selectFrom('pull_requests as p')
    .innerJoin('sessions as s', ofCurrentRevision('p'))
    .select(['p.session_id', 'p.number', 'p.url', 'p.repository'])
    .$if(sessionIds !== undefined, (select) => select.where('p.session_id', 'in', fewLengths(sessionIds ?? [])))
    .orderBy('p.position')
    .execute();
  const created = await db
    .selectFrom('git_calls')
    .select(['session_id', sql<number | null>`CAST(data ->> 'number' AS BIGINT)`.as('number')])
    .select([sql<string | null>`data ->> 'url'`.as('url'), sql<null>`NULL`.as('repository')])
    .where('kind', '=', 'pr')
    .$if(sessionIds !== undefined, (select) => select.where('session_id', 'in', fewLengths(sessionIds ?? [])))
    .orderBy('started_at', (order) => order.asc().nullsFirst())
    .orderBy('position')
    .execute();
  const bySession = Map.groupBy([...linked, ...created], ({ session_id }) => session_id);
  return new Map([...bySession].map(([id, own]) => [id, distinctPullRequests(own)]));
}

/** A page of the pull requests of a session. */
export async function listPullRequests(
  db: Tx,
  sessionId: string,
  { after = -1, limit }: { readonly after?: number; readonly limit: number },
) {
  const all = (await loadPullRequests(db, [sessionId])).get(sessionId) ?? [];
  const page = all.map((one, position) => ({ position, ...one })).slice(after + 1, after + 1 + limit);
  return { pull_requests: page, next_after: after + 1 + limit < all.length ? after + limit : null };
}
