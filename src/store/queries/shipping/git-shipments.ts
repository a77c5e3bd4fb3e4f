import { sql } from 'kysely';
import { type GitKind, sequenceOf } from '../../../domain/git.ts';
import type { WorkspaceIdentity } from '../../../domain/workspace.ts';
import type { Engine, Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';
import { CALL_ROWS, type NamedActivity } from '../git/save-git.ts';
import type { Refused, Route } from './shipments.ts';

/** A git item to ship; `state` identifies the version that was read and is saved once the server has it. */
export type GitItem = { readonly id: string; readonly state: string } & (
  | { readonly kind: 'activity'; readonly workspace: WorkspaceIdentity; readonly activity: NamedActivity }
  | { readonly kind: 'folders'; readonly folders: readonly SessionFolder[] }
);

interface SessionFolder {
  readonly folder: string;
  readonly workspace: WorkspaceIdentity;
}

const ACTIVITY_STATE = sql<string>`CAST(g.facts_version AS TEXT) || ' ' || g.workspace_id`;

/** The server correlates each again with everything in its time. */
const MAX_SESSIONS = 50;

/** Finds git items of this device that the server lacks or has in another state: sessions first, then the oldest. */
export async function findGitToShip(engine: Engine, route: Route, limit: number): Promise<readonly GitItem[]> {
  return engine.snapshot(async (tx) => {
    const folders = await findFolders(tx, route, Math.min(limit, MAX_SESSIONS));
    return folders.length > 0 ? folders : findActivities(tx, route, limit);
  });
}

async function findActivities(tx: Tx, route: Route, limit: number): Promise<readonly GitItem[]> {
  const rows = await selectActivities(tx, route)
    .innerJoin('workspaces as w', 'w.id', 'g.workspace_id')
    .select(['g.id', 'g.type', 'g.timestamp', 'g.commit_sha', 'g.branch', 'g.message', 'g.files_changed'])
    .select(['g.insertions', 'g.deletions', 'g.folder', 'g.worktree_name', 'g.data', 'w.canonical_id'])
    .select(['w.display_name', 'g.order_key', ACTIVITY_STATE.as('state')])
    .orderBy('g.timestamp')
    .orderBy('g.id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    kind: 'activity',
    id: row.id,
    state: row.state,
    workspace: { canonicalId: row.canonical_id, displayName: row.display_name },
    activity: {
      id: row.id,
      kind: row.type as GitKind,
      at: row.timestamp,
      sha: row.commit_sha,
      branch: row.branch,
      message: row.message,
      filesChanged: row.files_changed,
      insertions: row.insertions,
      deletions: row.deletions,
      folder: row.folder,
      worktreeName: row.worktree_name,
      sequence: sequenceOf(row.order_key),
      data: readJson(row.data),
    },
  }));
}

/** Rows derived from transcripts only are created by the server itself. */
function selectActivities(db: Tx, { server, deviceId }: Route) {
  return db
    .selectFrom('git_activity as g')
    .leftJoin('git_shipments as p', (join) => join.onRef('p.item_id', '=', 'g.id').on('p.server', '=', server))
    .where('g.device_id', '=', deviceId)
    .where('g.id', 'not like', CALL_ROWS)
    .where(sql<boolean>`p.told IS DISTINCT FROM ${ACTIVITY_STATE}`);
}

async function findFolders(tx: Tx, route: Route, limit: number): Promise<readonly GitItem[]> {
  const pending = await selectFolders(tx, route)
    .select(['s.id', FOLDERS_STATE.as('state')])
    .limit(limit)
    .execute();
  if (pending.length === 0) return [];
  const rows = await tx
    .selectFrom('session_folders as f')
    .innerJoin('workspaces as w', 'w.id', 'f.workspace_id')
    .select(['f.session_id', 'f.folder', 'w.canonical_id', 'w.display_name'])
    .where(
      'f.session_id',
      'in',
      pending.map(({ id }) => id),
    )
    .orderBy('f.position')
    .execute();
  const bySession = Map.groupBy(rows, ({ session_id }) => session_id);
  return pending.map(({ id, state }) => ({
    kind: 'folders',
    id,
    state,
    folders: (bySession.get(id) ?? []).map(({ folder, canonical_id, display_name }) => {
      return { folder, workspace: { canonicalId: canonical_id, displayName: display_name } };
    }),
  }));
}

const FOLDERS_STATE = sql<string>`coalesce(l.state, '')`;

/** Sessions whose bytes the server has, but whose working trees it knows differently. */
function selectFolders(db: Tx, { server, deviceId }: Route) {
  const lists = db
    .selectFrom('session_folders')
    .select('session_id')
    .select(sql<string>`string_agg(folder || ' ' || workspace_id, ',' ORDER BY position)`.as('state'))
    .groupBy('session_id')
    .as('l');
  return db
    .selectFrom('sessions as s')
    .leftJoin(lists, 'l.session_id', 's.id')
    .leftJoin('git_shipments as p', (join) => join.onRef('p.item_id', '=', 's.id').on('p.server', '=', server))
    .where('s.device_id', '=', deviceId)
    .where(({ or, eb }) => or([eb('l.state', 'is not', null), eb('p.told', 'is not', null)]))
    .where(sql<boolean>`p.told IS DISTINCT FROM ${FOLDERS_STATE}`)
    .where(
      sql<boolean>`EXISTS (SELECT 1 FROM source_files f JOIN shipments t ON t.source_file_id = f.id
        WHERE f.session_id = s.id AND f.kind IN ('main', 'agent') AND t.server = ${server} AND t.refusal IS NULL)`,
    )
    .orderBy('s.started_at')
    .orderBy('s.id');
}

/** Records that the server has the item as read, or why it refused it; it is sent again when it changes. */
export async function markGitShipped(
  db: Tx,
  server: string,
  { id, state }: Pick<GitItem, 'id' | 'state'>,
  refusal: string | null,
  now: string,
): Promise<void> {
  const values = { told: state, refusal, updated_at: now };
  await db
    .insertInto('git_shipments')
    .values({ server, item_id: id, ...values })
    .onConflict((conflict) => conflict.columns(['server', 'item_id']).doUpdateSet(values))
    .execute();
}

/** Counts the git items to ship. */
export async function countGitToShip(db: Tx, route: Route): Promise<number> {
  const count = sql<number>`count(*)`.as('count');
  const activities = await selectActivities(db, route).select(count).executeTakeFirstOrThrow();
  const folders = await selectFolders(db, route).clearOrderBy().select(count).executeTakeFirstOrThrow();
  return activities.count + folders.count;
}

export async function listRefusedGit(db: Tx, server: string): Promise<readonly Refused[]> {
  const rows = await db
    .selectFrom('git_shipments')
    .select(['item_id', 'refusal', 'updated_at'])
    .where('server', '=', server)
    .where('refusal', 'is not', null)
    .orderBy('item_id')
    .execute();
  return rows.map((row) => ({
    id: row.item_id,
    detail: `git activity: ${row.refusal}`,
    rejectedAt: row.updated_at,
    attempts: 1,
    sizeBytes: 0,
  }));
}

/** Removes a refusal, so that the item is sent again. False when no item of that id was refused. */
export async function retryRefusedGit(db: Tx, server: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('git_shipments')
    .where('server', '=', server)
    .where('item_id', '=', id)
    .where('refusal', 'is not', null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
