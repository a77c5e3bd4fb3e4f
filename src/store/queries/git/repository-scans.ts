import { sql } from 'kysely';
import { HOUR_MS } from '../../../domain/durations.ts';
import { GRACE_MS } from '../../../domain/git-correlation.ts';
import type { WorkspaceIdentity } from '../../../domain/workspace.ts';
import type { Tx } from '../../engine.ts';

/** A repository that sessions of a device worked in. */
export interface KnownRepository {
  readonly root: string;
  readonly workspace: WorkspaceIdentity;
  readonly workspaceId: string;
  /** Start of the first session there; earlier activity is irrelevant. */
  readonly since: string;
}

/** Lists the working trees with sessions of this device, each with the start of its first session. */
export async function listKnownRepositories(db: Tx, deviceId: string): Promise<readonly KnownRepository[]> {
  const rows = await db
    .selectFrom('workspace_folders as f')
    .innerJoin('workspaces as w', 'w.id', 'f.workspace_id')
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.workspace_id', '=', 'f.workspace_id').onRef('s.device_id', '=', 'f.device_id'),
    )
    .select(['f.root', 'w.id as workspaceId', 'w.canonical_id', 'w.display_name'])
    .select(({ fn }) => fn.min('s.started_at').as('since'))
    .where('f.device_id', '=', deviceId)
    .where('f.is_repository', '=', true)
    .groupBy(['f.root', 'w.id', 'w.canonical_id', 'w.display_name'])
    .orderBy('f.root')
    .execute();
  return rows.map(({ canonical_id, display_name, ...row }) => ({
    ...row,
    workspace: { canonicalId: canonical_id, displayName: display_name },
  }));
}

/** Lists only their paths, for frequent checks. */
export async function listRepositoryRoots(db: Tx, deviceId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('workspace_folders as f')
    .select('f.root')
    .distinct()
    .where('f.device_id', '=', deviceId)
    .where('f.is_repository', '=', true)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('sessions as s')
          .select('s.id')
          .whereRef('s.workspace_id', '=', 'f.workspace_id')
          .whereRef('s.device_id', '=', 'f.device_id'),
      ),
    )
    .orderBy('f.root')
    .execute();
  return rows.map(({ root }) => root);
}

interface RepositoryScan {
  readonly commonDir: string;
  readonly stamp: string;
}

/** The stamp of each repository's logs when they were last read. */
export async function listScans(db: Tx, deviceId: string): Promise<readonly RepositoryScan[]> {
  return db
    .selectFrom('repository_looks')
    .select(['common_dir as commonDir', 'stamp'])
    .where('device_id', '=', deviceId)
    .orderBy('common_dir')
    .execute();
}

export async function saveScan(db: Tx, deviceId: string, scan: RepositoryScan, now: string): Promise<void> {
  const values = { stamp: scan.stamp, looked_at: now };
  await db
    .insertInto('repository_looks')
    .values({ device_id: deviceId, common_dir: scan.commonDir, ...values })
    .onConflict((conflict) => conflict.columns(['device_id', 'common_dir']).doUpdateSet(values))
    .execute();
}

/** Lists the ids of known activities of a workspace on this device. */
export async function listActivityIds(db: Tx, deviceId: string, workspaceId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('git_activity')
    .select('id')
    .where('device_id', '=', deviceId)
    .where('workspace_id', '=', workspaceId)
    .execute();
  return new Set(rows.map(({ id }) => id));
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

/** Sessions that ended longer ago have been checked often enough. */
const RECENT_MS = 48 * HOUR_MS;

/**
 * Schedules another read of a session's repositories after its grace period if the last read was earlier: a repository
 * without logs reveals a commit only when it is read.
 */
export async function reopenAfterGrace(db: Tx, deviceId: string, now: Date): Promise<void> {
  const nowMs = now.getTime();
  const rows = await db
    .selectFrom('sessions as s')
    .innerJoin('session_steps as t', 't.session_id', 's.id')
    .select(['s.id', 's.ended_at', 't.finished_at'])
    .where('s.device_id', '=', deviceId)
    .where('t.step', '=', 'correlate')
    .where('t.outcome', '=', 'done')
    .where('s.ended_at', '>=', new Date(nowMs - RECENT_MS).toISOString())
    .where('s.ended_at', '<=', new Date(nowMs - GRACE_MS).toISOString())
    .whereRef('s.correlated_version', '=', 's.rows_version')
    .execute();
  const due = rows.filter(({ ended_at, finished_at }) => {
    return Date.parse(finished_at) < Date.parse(ended_at ?? '') + GRACE_MS;
  });
  if (due.length === 0) return;
  const ids = due.map(({ id }) => id);
  await db.updateTable('sessions').set({ correlated_version: 0 }).where('id', 'in', ids).execute();
}
