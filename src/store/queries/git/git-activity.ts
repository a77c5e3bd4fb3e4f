import { sql, type Selectable } from 'kysely';
import type { GitActivityRow, GitPage } from '../../../api/activity.ts';
import {
  type GitCall,
  type GitKind,
  MAX_MESSAGE_CHARS,
  type RepositoryActivity,
  type SessionGit,
  type ShellCall,
} from '../../../domain/git.ts';
import type { LinkedBy, Relation } from '../../../domain/git-correlation.ts';
import { SHELL_TOOLS } from '../../../domain/shell-command.ts';
import type { JsonObject, JsonValue } from '../../../domain/transcript.ts';
import type { ToolStatus } from '../../../domain/transcript-structure.ts';
import { cutPage, decodePosition, fewLengths, isBeyond, type Position } from '../../sql.ts';
import type { Engine, Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';
import { cleanJson, cleanTextOrNull, cleanTime, cutText, indexKey, readJson } from '../../text.ts';
import { OUTPUT_ENDS } from '../transcript/output-ends.ts';
import { correlateGit } from './correlate-git.ts';
import { loadSessionOwner, ownerDevice } from '../devices/devices.ts';
import { nameActivity, type NamedRepository, saveActivities, saveSessionFolders } from './save-git.ts';
import { DAY_MS } from '../../../domain/durations.ts';

/**
 * Stores the git activity of sessions and correlates it again. Does nothing for a session that has no row. A caller with
 * claims passes `hold`, which throws when one was lost.
 */
export async function storeSessionGit(
  engine: Engine,
  found: readonly SessionGit[],
  now: string,
  hold: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  await engine.transaction(async (tx) => {
    await engine.oneAtATime(tx, 'git');
    await hold(tx);
    for (const one of found) await storeOne(engine, tx, one, now);
  });
}

async function storeOne(engine: Engine, tx: Tx, found: SessionGit, now: string): Promise<void> {
  const { sessionId, deviceId } = found;
  const owner = await loadSessionOwner(tx, sessionId);
  if (owner === null) return;
  // Another machine's session: its folders are not on this disk, even if a path exists here.
  const isOurs = owner.deviceId === deviceId;
  const repositories = isOurs ? nameAll(deviceId, found.repositories) : [];
  await saveActivities(tx, deviceId, repositories, now);
  if (isOurs) await saveSessionFolders(engine, tx, found, now);
  await saveCalls(engine, tx, sessionId, found.calls);
  const times = timesOf(repositories);
  await correlateGit(tx, {
    deviceId: owner.deviceId,
    sessionIds: [sessionId],
    ...(times.length === 0 ? {} : { fromMs: Math.min(...times), toMs: Math.max(...times) }),
  });
}

/** Stores the activity of a repository that was read without a session, for example after a git hook. */
export async function storeRepositoryActivity(
  engine: Engine,
  { deviceId, repository }: { readonly deviceId: string; readonly repository: RepositoryActivity },
  now: string,
): Promise<void> {
  await engine.transaction(async (tx) => {
    await engine.oneAtATime(tx, 'git');
    await keepActivities(tx, deviceId, nameAll(deviceId, [repository]), now);
  });
}

async function keepActivities(
  tx: Tx,
  deviceId: string,
  repositories: readonly NamedRepository[],
  now: string,
): Promise<void> {
  await saveActivities(tx, deviceId, repositories, now);
  for (const span of spansOf(timesOf(repositories))) await correlateGit(tx, { deviceId, sessionIds: [], ...span });
}

/** The git activity that a device reports, with the working trees of its sessions. */
interface ReportedGit {
  readonly deviceId: string;
  /** Increases with every report of the device. */
  readonly order: number;
  readonly repositories: readonly NamedRepository[];
  readonly sessions: readonly Pick<SessionGit, 'sessionId' | 'folders'>[];
}

type KeptGit =
  /** A later report with this order is already stored; nothing was stored. */
  | { readonly kind: 'late'; readonly order: number }
  | { readonly kind: 'kept'; readonly sessions: readonly ('kept' | 'unknown' | 'foreign')[] };

/** Stores a device's report completely or not at all, and correlates it again. The device must have a row. */
export async function storeReportedGit(engine: Engine, reported: ReportedGit, now: string): Promise<KeptGit> {
  const { order, repositories } = reported;
  return engine.transaction(async (tx) => {
    await engine.oneAtATime(tx, 'git');
    const last = await loadGitOrder(tx, reported.deviceId);
    if (order < last) return { kind: 'late', order: last };
    await tx.updateTable('devices').set({ git_order: order }).where('id', '=', reported.deviceId).execute();
    const deviceId = await ownerDevice(tx, reported.deviceId);
    await keepActivities(tx, deviceId, repositories, now);
    const sessions: ('kept' | 'unknown' | 'foreign')[] = [];
    for (const { sessionId, folders } of reported.sessions) {
      const owner = await loadSessionOwner(tx, sessionId);
      sessions.push(owner === null ? 'unknown' : owner.deviceId === deviceId ? 'kept' : 'foreign');
      if (owner?.deviceId !== deviceId) continue;
      await saveSessionFolders(engine, tx, { sessionId, folders }, now);
      await correlateGit(tx, { deviceId, sessionIds: [sessionId] });
    }
    return { kind: 'kept', sessions };
  });
}

async function loadGitOrder(tx: Tx, deviceId: string): Promise<number> {
  const row = await tx.selectFrom('devices').select('git_order').where('id', '=', deviceId).executeTakeFirst();
  return row?.git_order ?? 0;
}

function nameAll(deviceId: string, repositories: readonly RepositoryActivity[]): readonly NamedRepository[] {
  return repositories.map(({ workspace, activities }) => {
    return { workspace, activities: activities.map((activity) => nameActivity(deviceId, activity)) };
  });
}

function timesOf(repositories: readonly NamedRepository[]): readonly number[] {
  return repositories.flatMap(({ activities }) => activities.map(({ at }) => Date.parse(at)));
}

const MAX_GAP_MS = DAY_MS;

/** Splits distant times into separate spans; otherwise everything in between would be correlated too. */
function spansOf(times: readonly number[]): readonly { readonly fromMs: number; readonly toMs: number }[] {
  const spans: { fromMs: number; toMs: number }[] = [];
  for (const at of times.toSorted((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last !== undefined && at - last.toMs <= MAX_GAP_MS) last.toMs = at;
    else spans.push({ fromMs: at, toMs: at });
  }
  return spans;
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

const IDS_PER_QUERY = 500;

/** Commands that may have used git or created a pull request. */
const MAY_USE_GIT = sql<boolean>`(CAST(b.tool_input AS TEXT) LIKE '%git%'
  OR CAST(b.tool_input AS TEXT) LIKE '%gh%pr%create%')`;

/** Loads the git-related shell calls of a session's current revision, with their output. */
export async function loadShellCalls(db: Tx, sessionId: string): Promise<readonly ShellCall[]> {
  const uses = await selectBlocks(db, sessionId)
    .leftJoin('tool_calls as c', (join) =>
      join
        .onRef('c.session_id', '=', 'b.session_id')
        .onRef('c.revision', '=', 'b.revision')
        .onRef('c.id', '=', 'b.tool_use_id'),
    )
    .select(['b.tool_use_id', 'b.tool_input', 'c.status', 'c.exit_code'])
    .where('b.block_type', '=', 'tool_use')
    .where('b.tool_name', 'in', SHELL_TOOLS)
    .where(MAY_USE_GIT)
    .where('b.tool_use_id', 'is not', null)
    .execute();
  const ids = uses.flatMap(({ tool_use_id }) => tool_use_id ?? []);
  const outputs = new Map<string, string>();
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    const results = await selectBlocks(db, sessionId)
      .select(['b.tool_result_id', OUTPUT_ENDS.as('output')])
      .where('b.block_type', '=', 'tool_result')
      .where('b.tool_result_id', 'in', fewLengths(ids.slice(at, at + IDS_PER_QUERY)))
      .execute();
    for (const { tool_result_id, output } of results) outputs.set(tool_result_id ?? '', output ?? '');
  }
  return uses.map(({ tool_use_id, tool_input, status, exit_code }) => ({
    toolUseId: tool_use_id ?? '',
    command: commandOf(tool_input),
    status: (status ?? 'pending') as ToolStatus,
    exitCode: exit_code,
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

/** The sort position of an activity; see `orderKey`. */
const GIT_ORDER = { at: sql.ref('timestamp'), id: sql<string>`(order_key || id)` };

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
    .selectFrom('git_activity')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('duplicate_of', 'is', null)
    .$if(cursor !== undefined, (select) => select.where(isBeyond(GIT_ORDER, decodePosition(cursor ?? ''), 'up')))
    .orderBy('timestamp')
    .orderBy('order_key')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows, limit, gitPosition);
  return { git_activity: page.map(toGitRow), next_cursor: next };
}

/** Folders with git hook events that were ingested since then, with the time of the first and the last one. */
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
