import { type Selectable, sql } from 'kysely';
import type { GitActivityRow, GitPage } from '../../../api/activity.ts';
import type { CommitPage } from '../../../api/history.ts';
import type { GitKind } from '../../../domain/git.ts';
import type { LinkedBy, Relation } from '../../../domain/git-correlation.ts';
import type { JsonObject } from '../../../domain/transcript.ts';
import type { Engine, Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';
import { cutPage, decodePosition, isBeyond, type Position } from '../../sql.ts';
import { readJson } from '../../text.ts';
import { begins, contains } from '../sessions/session-conditions.ts';

type StoredActivity = Selectable<Database['git_activity']>;

export function toGitRow({
  created_at: _1,
  facts_version: _2,
  duplicate_of: _3,
  order_key: _4,
  ...row
}: StoredActivity): GitActivityRow {
  const { replaced_by: replacedBy, ...data } = readJson<JsonObject>(row.data);
  return {
    ...row,
    type: row.type as GitKind,
    is_worktree: Boolean(row.is_worktree),
    linked_by: row.linked_by as LinkedBy | null,
    relation: row.relation as Relation | null,
    replaced_by: typeof replacedBy === 'string' ? replacedBy : null,
    data,
  };
}

/** The sort position of an activity `g`; see `orderKey`. */
export const GIT_ORDER = { at: sql.ref('g.timestamp'), id: sql<string>`(g.order_key || g.id)` };

export function gitPosition({
  timestamp,
  order_key,
  id,
}: Pick<StoredActivity, 'timestamp' | 'order_key' | 'id'>): Position {
  return { at: timestamp, id: `${order_key}${id}` };
}

/** The git activity of a session, oldest first, one page at a time. Errors: usage for a cursor that is not ours. */
export async function pageGitActivity(
  db: Tx,
  sessionId: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<GitPage> {
  const rows = await db
    .selectFrom('git_activity as g')
    .selectAll()
    .where('g.session_id', '=', sessionId)
    .where('g.duplicate_of', 'is', null)
    .$if(cursor !== undefined, (select) => select.where(isBeyond(GIT_ORDER, decodePosition(cursor ?? ''), 'up')))
    .orderBy(GIT_ORDER.at)
    .orderBy(GIT_ORDER.id)
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows, limit, gitPosition);
  return { git_activity: page.map(toGitRow), next_cursor: next };
}

interface CommitsRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly contains?: string | undefined;
  /** ISO-8601. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

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
    .$if(position !== null, (select) => select.where(isBeyond(GIT_ORDER, position as Position, 'down')))
    .orderBy(GIT_ORDER.at, 'desc')
    .orderBy(GIT_ORDER.id, 'desc')
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
