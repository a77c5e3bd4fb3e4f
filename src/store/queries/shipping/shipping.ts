import type { SeenFolder, WorkspaceIdentity } from '../../../domain/workspace.ts';
import type { Tx } from '../../engine.ts';
import { indexKey } from '../../text.ts';

/** Why shipping to a server is paused, and until when. */
export interface Pause {
  readonly failures: number;
  readonly nextTryMs: number;
  readonly reason: string | null;
  /** The token that the server rejected; a different one is tried at once. */
  readonly refusedTokenSha256: string | null;
}

export async function loadPause(db: Tx, server: string): Promise<Pause | null> {
  const row = await db
    .selectFrom('shipping')
    .select(['failures', 'next_try_ms', 'reason', 'refused_token_sha256'])
    .where('server', '=', server)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    failures: row.failures,
    nextTryMs: row.next_try_ms,
    reason: row.reason,
    refusedTokenSha256: row.refused_token_sha256,
  };
}

export async function savePause(db: Tx, server: string, pause: Pause, now: string): Promise<void> {
  const values = {
    failures: pause.failures,
    next_try_ms: pause.nextTryMs,
    reason: pause.reason,
    refused_token_sha256: pause.refusedTokenSha256,
    updated_at: now,
  };
  await db
    .insertInto('shipping')
    .values({ server, ...values })
    .onConflict((conflict) => conflict.column('server').doUpdateSet(values))
    .execute();
}

export async function endPause(db: Tx, server: string): Promise<void> {
  await db.deleteFrom('shipping').where('server', '=', server).execute();
}

/** The workspace of a session as its device knows it. */
interface SessionWorkspace extends WorkspaceIdentity {
  readonly isChosen: boolean;
  readonly folder: SeenFolder | null;
}

export async function loadSessionWorkspace(
  db: Tx,
  deviceId: string,
  sessionId: string,
): Promise<SessionWorkspace | null> {
  const row = await db
    .selectFrom('sessions as s')
    .innerJoin('workspaces as w', 'w.id', 's.workspace_id')
    .leftJoin('session_workspaces as d', 'd.session_id', 's.id')
    .select(['w.canonical_id', 'w.display_name', 'd.is_chosen', 's.cwd'])
    .where('s.id', '=', sessionId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    canonicalId: row.canonical_id,
    displayName: row.display_name,
    isChosen: Boolean(row.is_chosen),
    folder: row.cwd === null ? null : await loadFolder(db, deviceId, row.cwd),
  };
}

async function loadFolder(db: Tx, deviceId: string, path: string): Promise<SeenFolder | null> {
  const row = await db
    .selectFrom('workspace_folders')
    .select(['path', 'root', 'is_repository', 'worktree_name', 'fingerprint'])
    .where('device_id', '=', deviceId)
    .where('path_key', '=', indexKey(path))
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    path: row.path,
    root: row.root,
    isRepository: Boolean(row.is_repository),
    worktreeName: row.worktree_name,
    fingerprint: row.fingerprint,
  };
}

/** Records that the server has an event, or why it refused it. */
export async function markEventShipped(db: Tx, server: string, id: string, refusal: string | null): Promise<void> {
  const values = refusal === null ? { shipped_to: server } : { shipping_refusal: refusal };
  await db.updateTable('events').set(values).where('id', '=', id).execute();
}
