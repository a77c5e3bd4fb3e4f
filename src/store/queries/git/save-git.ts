import { type RawBuilder, sql } from 'kysely';
import {
  callKey,
  type GitActivity,
  type GitCall,
  MAX_MESSAGE_CHARS,
  orderKey,
  type SessionGit,
} from '../../../domain/git.ts';
import { findMaker, type LinkedBy, type ReportedCommit } from '../../../domain/git-correlation.ts';
import type { WorkspaceIdentity } from '../../../domain/workspace.ts';
import { sha256Hex } from '../../../lib/sha256.ts';
import type { Engine, Tx } from '../../engine.ts';
import { fewLengths, inParts, readInParts } from '../../sql.ts';
import { cleanCount, cleanJson, cleanTextOrNull, cleanTime, cutText } from '../../text.ts';
import { forgetNarratives } from '../summaries/summaries.ts';
import { saveMergedWorkspace } from '../workspaces/workspaces.ts';

/** An activity with the id of its row. */
export type NamedActivity = Omit<GitActivity, 'key'> & { readonly id: string };

export interface NamedRepository {
  readonly workspace: WorkspaceIdentity;
  readonly activities: readonly NamedActivity[];
}

/** The id is derived from the content, so that reading an activity again gives the same row. */
export function nameActivity(deviceId: string, { key, ...activity }: GitActivity): NamedActivity {
  return { id: `git_${sha256Hex(JSON.stringify([deviceId, key])).slice(0, 32)}`, ...activity };
}

/** The ids of rows that only a transcript reports. */
export const CALL_ROWS = 'call_%';

export function callRowId(deviceId: string, call: GitCall): string {
  return `call_${sha256Hex(callKey(deviceId, call)).slice(0, 32)}`;
}

export async function saveActivities(
  tx: Tx,
  deviceId: string,
  repositories: readonly NamedRepository[],
  now: string,
): Promise<void> {
  for (const { workspace, activities } of repositories) {
    if (activities.length === 0) continue;
    const workspaceId = await saveMergedWorkspace(tx, workspace, now);
    const rows = activities.map((activity) => activityRow(activity, { deviceId, workspaceId, now }));
    for (const some of inParts(rows)) await upsert(tx, some);
  }
}

type Row = ReturnType<typeof activityRow>;
type FactColumn = (typeof KEPT_COLUMNS | typeof REPLACED_COLUMNS)[number];

const KEPT_COLUMNS = ['branch', 'files_changed', 'insertions', 'deletions', 'folder', 'worktree_name'] as const;
const REPLACED_COLUMNS = ['message', 'data'] as const;

/** A later read may find less, when the working tree is gone or objects were pruned; the earlier values stay then. */
async function upsert(tx: Tx, rows: readonly Row[]): Promise<void> {
  const ours = (column: string) => sql`git_activity.${sql.ref(column)}`;
  const given = (column: string) => sql`excluded.${sql.ref(column)}`;
  const isPoorer = sql`excluded.files_changed IS NULL AND git_activity.files_changed IS NOT NULL`;
  const facts = Object.fromEntries([
    ...KEPT_COLUMNS.map((column) => [column, sql`coalesce(${given(column)}, ${ours(column)})`]),
    ...REPLACED_COLUMNS.map((column) => [
      column,
      sql`CASE WHEN ${isPoorer} THEN ${ours(column)} ELSE ${given(column)} END`,
    ]),
  ]) as Record<FactColumn, RawBuilder<never>>;
  const isNews = Object.entries(facts).map(([column, fact]) => sql`${ours(column)} IS DISTINCT FROM ${fact}`);
  await tx
    .insertInto('git_activity')
    .values([...rows])
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({
          ...facts,
          workspace_id: sql`excluded.workspace_id`,
          order_key: sql`excluded.order_key`,
          is_worktree: sql`${facts.worktree_name} IS NOT NULL`,
          facts_version: sql`git_activity.facts_version + CASE WHEN ${sql.join(isNews, sql` OR `)} THEN 1 ELSE 0 END`,
        })
        // A device cannot change the rows of another device.
        .whereRef('git_activity.device_id', '=', 'excluded.device_id' as 'git_activity.device_id'),
    )
    .execute();
}

function activityRow(
  activity: NamedActivity,
  { deviceId, workspaceId, now }: { readonly deviceId: string; readonly workspaceId: string; readonly now: string },
) {
  return {
    id: activity.id,
    workspace_id: workspaceId,
    device_id: deviceId,
    type: activity.kind,
    branch: cleanTextOrNull(activity.branch),
    commit_sha: activity.sha,
    message: activity.message === null ? null : cutText(activity.message, MAX_MESSAGE_CHARS).text,
    files_changed: cleanCount(activity.filesChanged),
    insertions: cleanCount(activity.insertions),
    deletions: cleanCount(activity.deletions),
    worktree_name: cleanTextOrNull(activity.worktreeName),
    is_worktree: activity.worktreeName !== null,
    folder: cleanTextOrNull(activity.folder),
    order_key: orderKey(activity.kind, activity.sequence),
    timestamp: cleanTime(activity.at) ?? now,
    data: cleanJson(activity.data),
    created_at: now,
  };
}

/** Replaces the working tree roots of sessions. */
export async function saveSessionFolders(
  engine: Engine,
  tx: Tx,
  sessions: readonly Pick<SessionGit, 'sessionId' | 'folders'>[],
  now: string,
): Promise<void> {
  if (sessions.length === 0) return;
  await tx
    .deleteFrom('session_folders')
    .where('session_id', 'in', fewLengths(sessions.map(({ sessionId }) => sessionId)))
    .execute();
  const rows: [string, number, string, string][] = [];
  for (const { sessionId, folders } of sessions) {
    for (const [position, { folder, workspace }] of folders.entries()) {
      rows.push([sessionId, position, cleanTextOrNull(folder) ?? '', await saveMergedWorkspace(tx, workspace, now)]);
    }
  }
  if (rows.length === 0) return;
  await engine.insertMany(tx, 'session_folders', ['session_id', 'position', 'folder', 'workspace_id'], rows);
}

interface CommitRow extends ReportedCommit {
  readonly repository: string;
  readonly sessionId: string | null;
  readonly duplicateOf: string | null;
}

/** Recomputes which row of these commits counts: one per repository, however many devices report it. */
export async function markRepeatedCommits(tx: Tx, shas: readonly string[]): Promise<void> {
  const rows = await readInParts(shas, (some) => loadCommits(tx, some));
  const changed: CommitRow[] = [];
  for (const [first, ...others] of Map.groupBy(rows, ({ repository }) => repository).values()) {
    if (first === undefined) continue;
    const maker = findMaker([first, ...others]);
    for (const row of [first, ...others]) {
      const duplicateOf = row.id === maker.id ? null : maker.id;
      if (duplicateOf === row.duplicateOf) continue;
      await tx.updateTable('git_activity').set({ duplicate_of: duplicateOf }).where('id', '=', row.id).execute();
      changed.push(row);
    }
  }
  await forgetNarratives(tx, [...new Set(changed.flatMap(({ sessionId }) => sessionId ?? []))]);
}

async function loadCommits(tx: Tx, shas: readonly string[]): Promise<readonly CommitRow[]> {
  const rows = await tx
    .selectFrom('git_activity')
    .select(['id', 'workspace_id', 'commit_sha', 'session_id', 'linked_by', 'duplicate_of'])
    .select(sql<string | null>`data ->> 'source'`.as('source'))
    .where('commit_sha', 'in', [...shas])
    .where('type', '=', 'commit')
    .where('id', 'not like', CALL_ROWS)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    repository: `${row.workspace_id} ${row.commit_sha}`,
    linkedBy: row.linked_by as LinkedBy | null,
    isLogged: row.source !== 'history',
    sessionId: row.session_id,
    duplicateOf: row.duplicate_of,
  }));
}
