import { createHash } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import type { GitActivity, GitCall, GitKind, RepositoryActivity, SessionGit, ShellCall } from '../../domain/git.ts';
import type { LinkedBy } from '../../domain/git-correlation.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { cutPage, decodePlace, isBeyond } from '../cursor.ts';
import type { Engine, Tx } from '../engine.ts';
import type { GitActivityTable } from '../rows.ts';
import { cleanCount, cleanJson, cleanTextOrNull, cleanTime, cutText, indexKey, readJson } from '../text.ts';
import { correlateGit } from './correlate-git.ts';
import { saveMergedWorkspace } from './workspaces.ts';

const ROWS_PER_STATEMENT = 200;
const MAX_MESSAGE_CHARS = 8 * 1024;

/**
 * Keeps what was found around a session, and says anew what belongs to whom. Nothing when the session has no row.
 * Whoever works on the session under a claim gives `hold`, which refuses when it was lost.
 */
export async function keepSessionGit(
  engine: Engine,
  found: SessionGit,
  now: string,
  hold: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  await engine.transaction(async (tx) => {
    await hold(tx);
    const session = await tx
      .selectFrom('sessions')
      .select('device_id')
      .where('id', '=', found.sessionId)
      .executeTakeFirst();
    if (session === undefined) return;
    // Another machine's session: its folders are not here, whatever has the same path.
    const isOurs = session.device_id === found.deviceId;
    const spans = isOurs ? await saveRepositories(tx, found.deviceId, found.repositories, now) : [];
    if (isOurs) await saveSessionFolders(engine, tx, found, now);
    await saveCalls(engine, tx, found.sessionId, found.calls);
    await correlateGit(tx, {
      deviceId: session.device_id,
      sessionIds: [found.sessionId],
      ...(spans.length === 0 ? {} : { fromMs: Math.min(...spans), toMs: Math.max(...spans) }),
    });
  });
}

/** Keeps what was found in a repository when no session asked, for example after a git hook. */
export async function keepRepositoryActivity(
  engine: Engine,
  { deviceId, repository }: { readonly deviceId: string; readonly repository: RepositoryActivity },
  now: string,
): Promise<void> {
  await engine.transaction(async (tx) => {
    const times = await saveRepositories(tx, deviceId, [repository], now);
    if (times.length === 0) return;
    await correlateGit(tx, { deviceId, sessionIds: [], fromMs: Math.min(...times), toMs: Math.max(...times) });
  });
}

async function saveRepositories(
  tx: Tx,
  deviceId: string,
  repositories: readonly RepositoryActivity[],
  now: string,
): Promise<readonly number[]> {
  for (const { workspace, activities } of repositories) {
    if (activities.length === 0) continue;
    const workspaceId = await saveMergedWorkspace(tx, workspace, now);
    const rows = activities.map((activity) => activityRow(activity, { deviceId, workspaceId, now }));
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
      await upsert(tx, rows.slice(at, at + ROWS_PER_STATEMENT));
    }
  }
  return repositories.flatMap(({ activities }) => activities.map(({ at }) => Date.parse(at)));
}

type Row = ReturnType<typeof activityRow>;

/** A later look may know less: the working tree is gone, objects are collected. Then the earlier one stays. */
async function upsert(tx: Tx, rows: readonly Row[]): Promise<void> {
  const keep = (column: string) => sql<never>`coalesce(excluded.${sql.ref(column)}, git_activity.${sql.ref(column)})`;
  const isPoorer = sql`excluded.files_changed IS NULL AND git_activity.files_changed IS NOT NULL`;
  const richer = (column: string) =>
    sql<never>`CASE WHEN ${isPoorer} THEN git_activity.${sql.ref(column)} ELSE excluded.${sql.ref(column)} END`;
  await tx
    .insertInto('git_activity')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        workspace_id: sql`excluded.workspace_id`,
        branch: keep('branch'),
        message: richer('message'),
        files_changed: keep('files_changed'),
        insertions: keep('insertions'),
        deletions: keep('deletions'),
        folder: keep('folder'),
        worktree_name: keep('worktree_name'),
        is_worktree: sql`coalesce(excluded.worktree_name, git_activity.worktree_name) IS NOT NULL`,
        data: richer('data'),
      }),
    )
    .execute();
}

function activityRow(
  activity: GitActivity,
  { deviceId, workspaceId, now }: { readonly deviceId: string; readonly workspaceId: string; readonly now: string },
) {
  return {
    id: activityId(deviceId, activity.key),
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
    timestamp: cleanTime(activity.at) ?? now,
    data: cleanJson(activity.data),
    created_at: now,
  };
}

/** Follows from what it names, so that reading it again gives the same row. */
function activityId(deviceId: string, key: string): string {
  return `git_${createHash('sha256')
    .update(JSON.stringify([deviceId, key]))
    .digest('hex')
    .slice(0, 32)}`;
}

async function saveSessionFolders(engine: Engine, tx: Tx, found: SessionGit, now: string): Promise<void> {
  const { sessionId } = found;
  await tx.deleteFrom('session_folders').where('session_id', '=', sessionId).execute();
  const rows: [string, number, string, string][] = [];
  for (const [position, { folder, workspace }] of found.folders.entries()) {
    rows.push([sessionId, position, cleanTextOrNull(folder) ?? '', await saveMergedWorkspace(tx, workspace, now)]);
  }
  await engine.insertMany(tx, 'session_folders', ['session_id', 'position', 'folder', 'workspace_id'], rows);
}

const CALL_COLUMNS = [
  'session_id',
  'position',
  'tool_use_id',
  'kind',
  'sha',
  'branch',
  'message',
  'started_at',
  'ended_at',
  'is_reported',
  'data',
] as const;

async function saveCalls(engine: Engine, tx: Tx, sessionId: string, calls: readonly GitCall[]): Promise<void> {
  await tx.deleteFrom('git_calls').where('session_id', '=', sessionId).execute();
  const rows = calls.map((call, position) => [
    sessionId,
    position,
    indexKey(call.toolUseId),
    call.kind,
    call.sha,
    cleanTextOrNull(call.branch),
    call.message === null ? null : cutText(call.message, MAX_MESSAGE_CHARS).text,
    cleanTime(call.startedAt),
    cleanTime(call.endedAt),
    call.isReported,
    cleanJson(call.data),
  ]);
  await engine.insertMany(tx, 'git_calls', CALL_COLUMNS, rows);
}

const SHELL_TOOLS = ['Bash', 'PowerShell'];
const IDS_PER_QUERY = 500;

/** The shell calls of a session's current revision that have to do with git, with what they printed. */
export async function loadShellCalls(db: Tx, sessionId: string): Promise<readonly ShellCall[]> {
  const uses = await selectBlocks(db, sessionId)
    .select(['b.tool_use_id', 'b.tool_input'])
    .where('b.block_type', '=', 'tool_use')
    .where('b.tool_name', 'in', SHELL_TOOLS)
    .where(sql<boolean>`CAST(b.tool_input AS TEXT) LIKE '%git%'`)
    .where('b.tool_use_id', 'is not', null)
    .execute();
  const ids = uses.flatMap(({ tool_use_id }) => tool_use_id ?? []);
  const outputs = new Map<string, string>();
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    const results = await selectBlocks(db, sessionId)
      .select(['b.tool_result_id', 'b.result_text'])
      .where('b.block_type', '=', 'tool_result')
      .where('b.tool_result_id', 'in', ids.slice(at, at + IDS_PER_QUERY))
      .execute();
    for (const { tool_result_id, result_text } of results) outputs.set(tool_result_id ?? '', result_text ?? '');
  }
  return uses.map(({ tool_use_id, tool_input }) => ({
    toolUseId: tool_use_id ?? '',
    command: commandOf(tool_input),
    output: outputs.get(tool_use_id ?? '') ?? '',
  }));
}

function selectBlocks(db: Tx, sessionId: string) {
  return db
    .selectFrom('content_blocks as b')
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 'b.session_id').onRef('s.revision', '=', 'b.revision'),
    )
    .where('b.session_id', '=', sessionId);
}

function commandOf(input: string | null): string {
  const value = input === null ? null : readJson<JsonValue>(input);
  const { command } = typeof value === 'object' && value !== null ? (value as JsonObject) : {};
  return typeof command === 'string' ? command : '';
}

/** One row of what happened in a repository. */
export interface GitActivityRow {
  readonly id: string;
  readonly type: GitKind;
  readonly timestamp: string;
  readonly workspace_id: string;
  readonly device_id: string;
  readonly session_id: string | null;
  readonly branch: string | null;
  readonly commit_sha: string | null;
  readonly message: string | null;
  readonly files_changed: number | null;
  readonly insertions: number | null;
  readonly deletions: number | null;
  readonly is_worktree: boolean;
  readonly worktree_name: string | null;
  readonly folder: string | null;
  /** The call that did it, where that is known. */
  readonly tool_use_id: string | null;
  /** How it was given to its session; null for an orphan. */
  readonly linked_by: LinkedBy | null;
  readonly data: JsonObject;
}

export function toGitRow({ created_at: _created, ...row }: Selectable<GitActivityTable>): GitActivityRow {
  return {
    ...row,
    type: row.type as GitKind,
    is_worktree: Boolean(row.is_worktree),
    linked_by: row.linked_by as LinkedBy | null,
    data: readJson(row.data),
  };
}

export interface GitPage {
  readonly git_activity: readonly GitActivityRow[];
  readonly next_cursor: string | null;
}

const ORDER = { at: sql.ref('timestamp'), id: sql.ref('id') };

/** What happened during a session, oldest first, a page at a time. Errors: usage for a cursor that is not ours. */
export async function pageGitActivity(
  db: Tx,
  sessionId: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<GitPage> {
  const rows = await db
    .selectFrom('git_activity')
    .selectAll()
    .where('session_id', '=', sessionId)
    .$if(cursor !== undefined, (select) => select.where(isBeyond(ORDER, decodePlace(cursor ?? ''), 'up')))
    .orderBy('timestamp')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows.map(toGitRow), limit, ({ timestamp, id }) => ({ at: timestamp, id }));
  return { git_activity: page, next_cursor: next };
}

/** Folders in which git hooks noted something that was ingested since then, with the time from first to last. */
export async function listGitNotes(
  db: Tx,
  { deviceId, since }: { readonly deviceId: string; readonly since: string },
): Promise<readonly { readonly cwd: string; readonly since: string; readonly until: string }[]> {
  const cwd = sql<string>`(data ->> 'cwd')`;
  return db
    .selectFrom('events')
    .select(({ fn }) => [cwd.as('cwd'), fn.min('timestamp').as('since'), fn.max('timestamp').as('until')])
    .where('type', 'like', 'hook.Git%')
    .where('device_id', '=', deviceId)
    .where('ingested_at', '>=', since)
    .where(cwd, 'is not', null)
    .groupBy(cwd)
    .orderBy('cwd')
    .execute();
}
