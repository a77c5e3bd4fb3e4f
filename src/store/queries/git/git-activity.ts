import { type GitCall, MAX_MESSAGE_CHARS, type RepositoryActivity, type SessionGit } from '../../../domain/git.ts';
import type { Engine, SqlValue, Tx } from '../../engine.ts';
import { fewLengths } from '../../sql.ts';
import { cleanJson, cleanTextOrNull, cleanTime, cutText, indexKey } from '../../text.ts';
import { loadSessionOwners, ownerDevice } from '../devices/devices.ts';
import { correlateGit, correlateRead, groupByTime, rangeOf } from './correlate-git.ts';
import { type NamedRepository, nameActivity, saveActivities, saveSessionFolders } from './save-git.ts';

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
    const owners = await loadSessionOwners(tx, found.map(sessionOf));
    const known = found.filter(({ sessionId }) => owners.has(sessionId));
    // Another machine's session: its folders are not on this disk, even if a path exists here.
    const ours = known.filter(({ sessionId, deviceId }) => owners.get(sessionId)?.deviceId === deviceId);
    const times = new Map<string, readonly number[]>();
    for (const { sessionId, deviceId, repositories } of ours) {
      const named = nameAll(deviceId, repositories);
      await saveActivities(tx, deviceId, named, now);
      times.set(sessionId, timesOf(named));
    }
    await saveSessionFolders(engine, tx, ours, now);
    await saveCalls(engine, tx, known);
    const changed = known.map(({ sessionId }) => ({ sessionId, times: times.get(sessionId) ?? [] }));
    for (const [deviceId, some] of Map.groupBy(changed, ({ sessionId }) => owners.get(sessionId)?.deviceId ?? '')) {
      await correlateRead(tx, deviceId, some);
    }
  });
}

const sessionOf = ({ sessionId }: Pick<SessionGit, 'sessionId'>) => sessionId;

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
  const times = timesOf(repositories).map((at) => ({ fromMs: at, toMs: at }));
  for (const group of groupByTime(times)) await correlateGit(tx, { deviceId, sessionIds: [], ...rangeOf(group) });
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
    const owners = await loadSessionOwners(tx, reported.sessions.map(sessionOf));
    const isOurs = ({ sessionId }: { readonly sessionId: string }) => owners.get(sessionId)?.deviceId === deviceId;
    const ours = reported.sessions.filter(isOurs);
    await saveSessionFolders(engine, tx, ours, now);
    await correlateRead(
      tx,
      deviceId,
      ours.map(({ sessionId }) => ({ sessionId, times: [] })),
    );
    const sessions = reported.sessions.map((one) =>
      !owners.has(one.sessionId) ? 'unknown' : isOurs(one) ? 'kept' : 'foreign',
    );
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

/** Replaces the git calls of sessions. */
async function saveCalls(engine: Engine, tx: Tx, sessions: readonly SessionGit[]): Promise<void> {
  if (sessions.length === 0) return;
  await tx
    .deleteFrom('git_calls')
    .where('session_id', 'in', fewLengths(sessions.map(sessionOf)))
    .execute();
  const rows = sessions.flatMap(({ sessionId, calls }) => calls.map((call, at) => callRow(sessionId, at, call)));
  if (rows.length > 0) await engine.insertMany(tx, 'git_calls', CALL_COLUMNS, rows);
}

/** In the order of CALL_COLUMNS. */
function callRow(sessionId: string, position: number, call: GitCall): SqlValue[] {
  return [
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
  ];
}
