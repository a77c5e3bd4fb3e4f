import { sql } from 'kysely';
import type { CommitPage } from '../../../api/history.ts';
import type { Engine } from '../../engine.ts';
import { cutPage, decodePosition, isBeyond, type Position } from '../../sql.ts';
import { begins, contains } from '../sessions/session-conditions.ts';
import { gitPosition, toGitRow } from './git-activity.ts';

interface CommitsRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly contains?: string | undefined;
  /** ISO-8601. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

const ORDER = { at: sql.ref('g.timestamp'), id: sql<string>`(g.order_key || g.id)` };

/** Commits of all sessions and outside of them, newest first. Errors: usage for a cursor that is not ours. */
export async function listCommits(engine: Engine, query: CommitsRequest): Promise<CommitPage> {
  const position = query.cursor === undefined ? null : decodePosition(query.cursor);
  const part = { type: 'text', text: (query.contains ?? '').toLowerCase(), isPrefix: false } as const;
  const rows = await engine.kysely
    .selectFrom('git_activity as g')
    .innerJoin('workspaces as w', 'w.id', 'g.workspace_id')
    .leftJoin('sessions as s', 's.id', 'g.session_id')
    .selectAll('g')
    .select(['w.display_name as workspace_name', 's.title as session_title'])
    .where('g.type', '=', 'commit')
    .where('g.duplicate_of', 'is', null)
    .$if(query.workspaceId !== undefined, (select) => select.where('g.workspace_id', '=', query.workspaceId ?? ''))
    .$if(query.after !== undefined, (select) => select.where('g.timestamp', '>=', query.after ?? ''))
    .$if(query.before !== undefined, (select) => select.where('g.timestamp', '<', query.before ?? ''))
    .$if(part.text !== '', (select) =>
      select.where(
        sql<boolean>`(${begins(engine, sql`g.commit_sha`, part)} OR ${contains(engine, sql`g.message`, part)})`,
      ),
    )
    .$if(position !== null, (select) => select.where(isBeyond(ORDER, position as Position, 'down')))
    .orderBy(ORDER.at, 'desc')
    .orderBy(ORDER.id, 'desc')
    .limit(query.limit + 1)
    .execute();
  const { page, next } = cutPage(rows, query.limit, gitPosition);
  return {
    commits: page.map(({ workspace_name, session_title, ...row }) => ({
      ...toGitRow(row),
      workspace_name,
      session_title,
    })),
    next_cursor: next,
  };
}
