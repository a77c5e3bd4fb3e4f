import { DAY_MS } from '../../../domain/durations.ts';
import { type GitCall, type GitKind, orderKey } from '../../../domain/git.ts';
import {
  type ActivityPoint,
  type Correlation,
  correlate,
  type GitLink,
  GRACE_MS,
  type SessionSpan,
} from '../../../domain/git-correlation.ts';
import { isLive } from '../../../domain/session.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths, inParts, readInParts } from '../../sql.ts';
import { cleanJson, cleanTextOrNull, cleanTime, indexKey, readJson } from '../../text.ts';
import { forgetNarratives } from '../summaries/summaries.ts';
import { CALL_ROWS, callRowId, markRepeatedCommits } from './save-git.ts';

interface CorrelationScope {
  readonly deviceId: string;
  /** New or changed sessions: everything within their time and everything linked to them is correlated again. */
  readonly sessionIds: readonly string[];
  /** Time range of new or changed activities, in milliseconds since 1970. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

const SLACK_MS = 2_000;
const LAST_MS = Date.parse('9999-12-31T00:00:00.000Z');

/** A session whose git activity was read again. */
interface ReadSession {
  readonly sessionId: string;
  /** Of its new or changed activities. */
  readonly times: readonly number[];
}

/** Correlates sessions of a device again, those of about the same time together. */
export async function correlateRead(tx: Tx, deviceId: string, sessions: readonly ReadSession[]): Promise<void> {
  const ids = sessions.map(({ sessionId }) => sessionId);
  const ranges = await loadRanges(tx, ids);
  const located = sessions.flatMap(({ sessionId, times }) => {
    const activities = rangeOf(times.map((at) => ({ fromMs: at, toMs: at })));
    const range = rangeOf([ranges.get(sessionId), activities].filter((one) => one !== null && one !== undefined));
    return range === null ? [] : [{ sessionId, activities, ...range }];
  });
  for (const group of groupByTime(located)) {
    const activities = rangeOf(group.flatMap((one) => one.activities ?? []));
    await correlateGit(tx, { deviceId, sessionIds: group.map(({ sessionId }) => sessionId), ...activities });
  }
}

async function loadRanges(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, Range>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom('sessions')
    .select(['id', 'started_at', 'ended_at', 'lifecycle', 'duration_ms'])
    .where('id', 'in', fewLengths(ids))
    .execute();
  return new Map(
    rows.map(({ id, ...row }) => [id, { fromMs: Date.parse(row.started_at), toMs: endOf(row) ?? LAST_MS }]),
  );
}

const MAX_GAP_MS = DAY_MS;

/** Separates distant times; otherwise everything in between would be correlated too. */
export function groupByTime<R extends Range>(ranges: readonly R[]): readonly (readonly R[])[] {
  const groups: R[][] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  for (const range of ranges.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (range.fromMs - endMs <= MAX_GAP_MS) groups.at(-1)?.push(range);
    else groups.push([range]);
    endMs = Math.max(endMs, range.toMs);
  }
  return groups;
}

/**
 * Recomputes which session each activity in the scope belongs to. The result depends on the rows alone, so the order in
 * which sessions and activities arrive does not matter.
 */
export async function correlateGit(tx: Tx, scope: CorrelationScope): Promise<void> {
  const focus = await loadSpans(tx, scope.deviceId, { ids: scope.sessionIds });
  const windows = [...windowOf(scope, focus), ...(await loadCallWindows(tx, scope))];
  const rows = await loadActivities(tx, scope, windows);
  const whole = rangeOf([...windows, ...rows.map(({ at }) => ({ fromMs: at, toMs: at }))]);
  const hasCalls = focus.some(({ calls }) => calls.some(({ isReported }) => isReported));
  if (whole === null || (rows.length === 0 && !hasCalls))
    return deleteRows(tx, await loadCallRows(tx, scope.sessionIds));
  const others = await loadSpans(tx, scope.deviceId, whole);
  const spans = [...new Map([...others, ...focus].map((span) => [span.id, span])).values()];
  const result = correlate(spans, rows);
  for (const row of rows) await saveLink(tx, row, result.links.get(row.id) ?? null);
  await forgetNarratives(tx, findRelinked(rows, result));
  await saveTranscriptOnly(tx, { spans, focus, result });
  await markRepeatedCommits(tx, commitsOf(rows));
}

function commitsOf(rows: readonly ActivityRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ kind, sha }) => (kind === 'commit' && sha !== null ? [sha] : [])))];
}

export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

function windowOf({ fromMs, toMs }: CorrelationScope, focus: readonly SessionSpan[]): readonly Range[] {
  const given =
    fromMs === undefined || toMs === undefined ? [] : [{ fromMs: fromMs - SLACK_MS, toMs: toMs + SLACK_MS }];
  const own = focus.map(({ startedAt, endedAt }) => ({
    fromMs: startedAt - SLACK_MS,
    toMs: endedAt === null ? LAST_MS : endedAt + GRACE_MS + SLACK_MS,
  }));
  return [...given, ...own];
}

/** Calls that may have made one of the new commits; which one depends on all commits of that time. */
async function loadCallWindows(tx: Tx, { deviceId, fromMs, toMs }: CorrelationScope): Promise<readonly Range[]> {
  if (fromMs === undefined || toMs === undefined) return [];
  const rows = await tx
    .selectFrom('git_calls as c')
    .innerJoin('sessions as s', 's.id', 'c.session_id')
    .select(['c.started_at', 'c.ended_at'])
    .where('s.device_id', '=', deviceId)
    .where('c.kind', '=', 'commit')
    .where('c.started_at', '<=', toTime(toMs + SLACK_MS))
    .where('c.ended_at', '>=', toTime(fromMs - SLACK_MS))
    .execute();
  return rows.flatMap(({ started_at, ended_at }) =>
    started_at === null || ended_at === null
      ? []
      : [{ fromMs: Date.parse(started_at) - SLACK_MS, toMs: Date.parse(ended_at) + SLACK_MS }],
  );
}

export function rangeOf(ranges: readonly Range[]): Range | null {
  if (ranges.length === 0) return null;
  return ranges.reduce((all, { fromMs, toMs }) => ({
    fromMs: Math.min(all.fromMs, fromMs),
    toMs: Math.max(all.toMs, toMs),
  }));
}

const toTime = (ms: number) => new Date(Math.max(0, Math.min(ms, LAST_MS))).toISOString();

interface ActivityRow extends ActivityPoint {
  readonly sessionId: string | null;
  readonly toolUseId: string | null;
  readonly linkedBy: string | null;
  readonly relation: string | null;
}

async function loadActivities(
  tx: Tx,
  scope: CorrelationScope,
  windows: readonly Range[],
): Promise<readonly ActivityRow[]> {
  const range = rangeOf(windows);
  const rows = await tx
    .selectFrom('git_activity')
    .select(['id', 'device_id', 'workspace_id', 'type', 'timestamp', 'commit_sha', 'branch', 'folder', 'message'])
    .select(['session_id', 'tool_use_id', 'linked_by', 'relation'])
    .where('device_id', '=', scope.deviceId)
    .where('id', 'not like', CALL_ROWS)
    .where(({ or, and, eb }) =>
      or([
        ...(range === null
          ? []
          : [and([eb('timestamp', '>=', toTime(range.fromMs)), eb('timestamp', '<=', toTime(range.toMs))])]),
        ...(scope.sessionIds.length === 0 ? [] : [eb('session_id', 'in', [...scope.sessionIds])]),
      ]),
    )
    .execute();
  return rows.map((row) => ({
    id: row.id,
    deviceId: row.device_id,
    workspaceId: row.workspace_id,
    kind: row.type as GitKind,
    at: Date.parse(row.timestamp),
    sha: row.commit_sha,
    branch: row.branch,
    folder: row.folder,
    subject: row.message?.split('\n', 1)[0]?.trim() ?? null,
    sessionId: row.session_id,
    toolUseId: row.tool_use_id,
    linkedBy: row.linked_by,
    relation: row.relation,
  }));
}

async function loadSpans(
  tx: Tx,
  deviceId: string,
  which: Range | { readonly ids: readonly string[] },
): Promise<readonly SessionSpan[]> {
  if ('ids' in which && which.ids.length === 0) return [];
  const rows = await tx
    .selectFrom('sessions')
    .select(['id', 'device_id', 'workspace_id', 'started_at', 'ended_at', 'lifecycle', 'duration_ms'])
    .select(['git_branch', 'metadata'])
    .where('device_id', '=', deviceId)
    .where(({ or, and, eb }) =>
      'ids' in which
        ? eb('id', 'in', [...which.ids])
        : and([
            eb('started_at', '<=', toTime(which.toMs + SLACK_MS)),
            or([eb('ended_at', 'is', null), eb('ended_at', '>=', toTime(which.fromMs - GRACE_MS - SLACK_MS))]),
          ]),
    )
    .execute();
  const ids = rows.map(({ id }) => id);
  const folders = Map.groupBy(await loadFolders(tx, ids), ({ session_id }) => session_id);
  const calls = Map.groupBy(await loadCalls(tx, ids), ({ session_id }) => session_id);
  return rows.map((row) => {
    const own = folders.get(row.id) ?? [];
    return {
      id: row.id,
      deviceId: row.device_id,
      workspaceIds: [row.workspace_id, ...own.map(({ workspace_id }) => workspace_id)],
      startedAt: Date.parse(row.started_at),
      endedAt: endOf(row),
      folders: own.map(({ folder }) => folder),
      branches: branchesOf(row),
      calls: (calls.get(row.id) ?? []).map(toCall),
    };
  });
}

/** A session without an end that is no longer live ended with its last line. */
function endOf(row: {
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly lifecycle: string;
  readonly duration_ms: number | null;
}): number | null {
  if (row.ended_at !== null) return Date.parse(row.ended_at);
  if (isLive(row.lifecycle)) return null;
  return Date.parse(row.started_at) + (row.duration_ms ?? 0);
}

function branchesOf({ git_branch, metadata }: { git_branch: string | null; metadata: string }): readonly string[] {
  const { git_branches } = readJson<{ readonly git_branches?: unknown }>(metadata);
  const all = Array.isArray(git_branches) ? git_branches.filter((name) => typeof name === 'string') : [];
  return git_branch === null ? all : [git_branch, ...all];
}

function loadFolders(tx: Tx, ids: readonly string[]) {
  return readInParts(ids, (part) =>
    tx
      .selectFrom('session_folders')
      .select(['session_id', 'folder', 'workspace_id'])
      .where('session_id', 'in', [...part])
      .orderBy('position')
      .execute(),
  );
}

function loadCalls(tx: Tx, ids: readonly string[]) {
  return readInParts(ids, (part) =>
    tx
      .selectFrom('git_calls')
      .selectAll()
      .where('session_id', 'in', [...part])
      .orderBy('position')
      .execute(),
  );
}

function toCall(row: Awaited<ReturnType<typeof loadCalls>>[number]): GitCall {
  return {
    toolUseId: row.tool_use_id,
    kind: row.kind as GitKind,
    sha: row.sha,
    branch: row.branch,
    message: row.message,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    isReported: Boolean(row.is_reported),
    data: readJson(row.data),
  };
}

async function saveLink(tx: Tx, row: ActivityRow, link: GitLink | null): Promise<void> {
  const wanted = {
    session_id: link?.sessionId ?? null,
    tool_use_id: link?.toolUseId ?? null,
    linked_by: link?.by ?? null,
    relation: link?.relation ?? null,
  };
  const isSame =
    wanted.session_id === row.sessionId &&
    wanted.tool_use_id === row.toolUseId &&
    wanted.linked_by === row.linkedBy &&
    wanted.relation === row.relation;
  if (!isSame) await tx.updateTable('git_activity').set(wanted).where('id', '=', row.id).execute();
}

/** Sessions that gained or lost an activity; their narratives are outdated. */
function findRelinked(rows: readonly ActivityRow[], { links }: Correlation): readonly string[] {
  const moved = rows.flatMap(({ id, sessionId: before }) => {
    const after = links.get(id)?.sessionId ?? null;
    return before === after ? [] : [before, after];
  });
  return [...new Set(moved)].filter((id) => id !== null);
}

interface Judgement {
  readonly spans: readonly SessionSpan[];
  readonly focus: readonly SessionSpan[];
  readonly result: Correlation;
}

/**
 * Saves rows for activity that only a transcript reports and no log confirms. They are saved with their session, whose
 * whole time was searched, and removed when a log that confirms them is read.
 */
async function saveTranscriptOnly(tx: Tx, { spans, focus, result }: Judgement): Promise<void> {
  const inFocus = new Set(focus.map(({ id }) => id));
  const before = await loadCallRows(
    tx,
    spans.map(({ id }) => id),
  );
  const unconfirmed = new Map(
    result.unconfirmed.map((one) => [callRowId(spanOf(spans, one.sessionId).deviceId, one.call), one] as const),
  );
  const isConfirmed = new Set(spans.flatMap(({ deviceId, calls }) => calls.map((call) => callRowId(deviceId, call))));
  const stale = before.filter(({ id, sessionId }) => {
    return !unconfirmed.has(id) && (isConfirmed.has(id) || inFocus.has(sessionId));
  });
  await deleteRows(tx, stale);
  const ofFocus = new Set(before.filter(({ sessionId }) => inFocus.has(sessionId)).map(({ id }) => id));
  for (const [id, { sessionId, call }] of unconfirmed) {
    if (inFocus.has(sessionId) || ofFocus.has(id)) await saveCallRow(tx, id, spanOf(spans, sessionId), call);
  }
}

function spanOf(spans: readonly SessionSpan[], id: string): SessionSpan {
  const span = spans.find((one) => one.id === id);
  if (span === undefined) throw new Error(`no session ${id} in the scope`);
  return span;
}

interface CallRow {
  readonly id: string;
  readonly sessionId: string;
}

async function loadCallRows(tx: Tx, sessionIds: readonly string[]): Promise<readonly CallRow[]> {
  const rows = await readInParts(sessionIds, (part) =>
    tx
      .selectFrom('git_activity')
      .select(['id', 'session_id'])
      .where('session_id', 'in', [...part])
      .where('id', 'like', CALL_ROWS)
      .execute(),
  );
  return rows.flatMap(({ id, session_id }) => (session_id === null ? [] : [{ id, sessionId: session_id }]));
}

async function deleteRows(tx: Tx, rows: readonly CallRow[]): Promise<void> {
  for (const some of inParts(rows.map(({ id }) => id))) {
    await tx.deleteFrom('git_activity').where('id', 'in', some).execute();
  }
}

async function saveCallRow(tx: Tx, id: string, span: SessionSpan, call: GitCall): Promise<void> {
  const at = cleanTime(call.endedAt ?? call.startedAt) ?? toTime(span.startedAt);
  const { folders: _folders, commits: _commits, subjects: _subjects, nth: _nth, ...data } = call.data;
  const facts = {
    workspace_id: span.workspaceIds[0] ?? '',
    session_id: span.id,
    branch: cleanTextOrNull(call.branch),
    message: cleanTextOrNull(call.message),
    timestamp: at,
    data: cleanJson({ ...data, source: 'tool_call' }),
    tool_use_id: indexKey(call.toolUseId),
    linked_by: 'call',
    relation: 'own',
    order_key: orderKey(call.kind, 0),
  };
  await tx
    .insertInto('git_activity')
    .values({ id, device_id: span.deviceId, type: call.kind, commit_sha: call.sha, created_at: at, ...facts })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(facts))
    .execute();
}
