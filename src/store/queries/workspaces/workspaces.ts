import { sql } from 'kysely';
import {
  isStronger,
  type RememberedFolder,
  type ResolvedWorkspace,
  type SeenFolder,
  type WorkspaceIdentity,
  workspaceKind,
} from '../../../domain/workspace.ts';
import type { WorkspaceNote } from '../../../domain/workspace-note.ts';
import { sha256Hex } from '../../../lib/sha256.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths, startsWith } from '../../sql.ts';
import { cleanText, cleanTextOrNull, indexKey } from '../../text.ts';

/** Row ids are derived from the canonical id, so that a rebuild gives the same ones. */
export function workspaceRowId(canonicalId: string): string {
  return `ws_${sha256Hex(indexKey(canonicalId)).slice(0, 24)}`;
}

/** Creates the workspace's row if necessary and returns its id. */
export async function saveWorkspace(db: Tx, workspace: WorkspaceIdentity, now: string): Promise<string> {
  const id = workspaceRowId(workspace.canonicalId);
  // The row usually exists; reading does not block on writers.
  const known = await db.selectFrom('workspaces').select('id').where('id', '=', id).executeTakeFirst();
  if (known !== undefined) return id;
  await db
    .insertInto('workspaces')
    .values({
      id,
      canonical_id: indexKey(workspace.canonicalId),
      display_name: cleanText(workspace.displayName),
      first_seen_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return id;
}

/** Does the same and follows merges: returns the row that now represents the workspace. */
export async function saveMergedWorkspace(db: Tx, workspace: WorkspaceIdentity, now: string): Promise<string> {
  return followMerge(db, await saveWorkspace(db, workspace, now));
}

async function followMerge(db: Tx, id: string): Promise<string> {
  const row = await db.selectFrom('workspaces').select('merged_into').where('id', '=', id).executeTakeFirst();
  return row?.merged_into ?? id;
}

interface Assigned {
  readonly ids: ReadonlyMap<string, string>;
  /** Records for the journal; empty when nothing new was learned. */
  readonly notes: readonly WorkspaceNote[];
}

/**
 * Assigns the workspaces of sessions: the one the user chose, else the one its folder had when it was first seen, unless
 * more is known about that folder now. The folders are remembered, since they may be deleted later. The device is this
 * machine: files cannot reveal anything about another machine's folders.
 */
export async function assignWorkspaces(
  tx: Tx,
  deviceId: string,
  resolved: ReadonlyMap<string, ResolvedWorkspace>,
  now: string,
): Promise<Assigned> {
  const owners = await loadOwners(tx, [...resolved.keys()]);
  const decisions = await loadDecisions(tx, [...resolved.keys()]);
  const save = saveEachOnce(tx, deviceId, now);
  const ids = new Map<string, string>();
  const notes: WorkspaceNote[] = [];
  for (const [sessionId, workspace] of resolved) {
    const known = decisions.get(sessionId);
    const session = owners.get(sessionId);
    if (session !== undefined && session.device_id !== deviceId) {
      ids.set(sessionId, known?.workspace_id ?? session.workspace_id);
      continue;
    }
    const seenId = await save(workspace);
    const isSettled = known && (known.is_chosen || !isStronger(workspace.canonicalId, known.canonical_id));
    ids.set(sessionId, isSettled ? known.workspace_id : seenId);
    if (isSettled) continue;
    await saveDecision(tx, { sessionId, workspaceId: seenId, isChosen: false }, now);
    const { canonicalId, displayName, folder } = workspace;
    const seen = { sessionId, deviceId, workspace: { canonicalId, displayName }, folder };
    notes.push({ at: now, what: 'session_seen', ...seen });
  }
  return { ids, notes };
}

/** Many sessions work in the same folder; within one transaction, saving it again changes nothing. */
function saveEachOnce(tx: Tx, deviceId: string, now: string): (workspace: ResolvedWorkspace) => Promise<string> {
  const saved = new Map<string, string>();
  return async (workspace) => {
    const key = JSON.stringify(workspace);
    const id = saved.get(key) ?? (await saveSeen(tx, { deviceId, workspace, folder: workspace.folder }, now));
    saved.set(key, id);
    return id;
  };
}

async function loadOwners(tx: Tx, sessionIds: readonly string[]) {
  const rows = await tx
    .selectFrom('sessions')
    .select(['id', 'device_id', 'workspace_id'])
    .where('id', 'in', fewLengths(sessionIds))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The workspace decision for a session, if any. */
export async function loadDecision(tx: Tx, sessionId: string) {
  return (await loadDecisions(tx, [sessionId])).get(sessionId);
}

async function loadDecisions(tx: Tx, sessionIds: readonly string[]) {
  const rows = await tx
    .selectFrom('session_workspaces as d')
    .innerJoin('workspaces as w', 'w.id', 'd.workspace_id')
    .select(['d.session_id', 'd.workspace_id', 'd.is_chosen', 'w.canonical_id'])
    .where('d.session_id', 'in', fewLengths(sessionIds))
    .execute();
  return new Map(rows.map((row) => [row.session_id, row]));
}

/** Saves which workspace a session belongs to and whether the user decided it. The session may be unknown yet. */
export async function saveDecision(
  tx: Tx,
  decision: { readonly sessionId: string; readonly workspaceId: string; readonly isChosen: boolean },
  now: string,
): Promise<void> {
  const values = { workspace_id: decision.workspaceId, is_chosen: decision.isChosen, decided_at: now };
  await tx
    .insertInto('session_workspaces')
    .values({ session_id: decision.sessionId, ...values })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(values))
    .execute();
}

interface Seen {
  readonly deviceId: string;
  readonly workspace: WorkspaceIdentity & { readonly defaultBranch?: string | null };
  readonly folder: SeenFolder | null;
}

/** Saves what a device saw of a folder and returns the row of its workspace. */
export async function saveSeen(tx: Tx, { deviceId, workspace, folder }: Seen, now: string): Promise<string> {
  const workspaceId = await saveMergedWorkspace(tx, workspace, now);
  if (workspace.defaultBranch) {
    const default_branch = cleanText(workspace.defaultBranch);
    await tx.updateTable('workspaces').set({ default_branch }).where('id', '=', workspaceId).execute();
  }
  if (folder === null) return workspaceId;
  await touchDevice(tx, { deviceId, workspaceId, root: folder.root }, now);
  const former = await loadFormer(tx, deviceId, folder);
  await saveFolder(tx, { deviceId, workspaceId, folder }, now);
  const seen = { deviceId, workspaceId, root: folder.root, former };
  const hasChanged = former.length !== 1 || former[0] !== workspaceId;
  if (folder.isRepository && hasChanged) await adoptSessions(tx, seen, now);
  return workspaceId;
}

async function touchDevice(
  tx: Tx,
  { deviceId, workspaceId, root }: { readonly deviceId: string; readonly workspaceId: string; readonly root: string },
  now: string,
): Promise<void> {
  const seen = { local_path: cleanText(root), last_active_at: now };
  await tx
    .insertInto('workspace_devices')
    .values({ workspace_id: workspaceId, device_id: deviceId, ...seen })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'device_id']).doUpdateSet(seen))
    .execute();
}

/** The previous workspaces of the folder and its working tree. */
async function loadFormer(tx: Tx, deviceId: string, folder: SeenFolder): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('workspace_folders')
    .select('workspace_id')
    .distinct()
    .where('device_id', '=', deviceId)
    .where(({ or, eb }) => or([eb('path_key', '=', indexKey(folder.path)), eb('root', '=', cleanText(folder.root))]))
    .execute();
  return rows.map(({ workspace_id }) => workspace_id);
}

async function saveFolder(
  tx: Tx,
  { deviceId, workspaceId, folder }: { deviceId: string; workspaceId: string; folder: SeenFolder },
  now: string,
): Promise<void> {
  const seen = {
    workspace_id: workspaceId,
    root: cleanText(folder.root),
    is_repository: folder.isRepository,
    worktree_name: cleanTextOrNull(folder.worktreeName),
    fingerprint: folder.fingerprint,
    last_seen_at: now,
  };
  await tx
    .insertInto('workspace_folders')
    .values({ device_id: deviceId, path_key: indexKey(folder.path), path: cleanText(folder.path), ...seen })
    .onConflict((conflict) => conflict.columns(['device_id', 'path_key']).doUpdateSet(seen))
    .execute();
}

interface SeenRoot {
  readonly deviceId: string;
  readonly workspaceId: string;
  readonly root: string;
  readonly former: readonly string[];
}

/**
 * A folder has become a repository, or a repository got a remote: its earlier sessions move along, unless the user
 * placed them. Sessions of nested repositories never belonged to this folder and stay.
 */
async function adoptSessions(tx: Tx, seen: SeenRoot, now: string): Promise<void> {
  const { workspaceId, former } = seen;
  const canonicalId = await canonicalIdOf(tx, workspaceId);
  for (const session of await loadSessionsBelow(tx, seen)) {
    const isOfFolder = workspaceKind(session.canonical_id) === 'folder' || former.includes(session.workspace_id);
    if (session.is_chosen || !isOfFolder || !isStronger(canonicalId, session.canonical_id)) continue;
    await moveWithRepository(tx, session, workspaceId);
    await saveDecision(tx, { sessionId: session.id, workspaceId, isChosen: false }, now);
  }
  for (const id of former) {
    if (!isStronger(canonicalId, await canonicalIdOf(tx, id))) continue;
    await tx
      .updateTable('workspace_folders')
      .set({ workspace_id: workspaceId })
      .where('device_id', '=', seen.deviceId)
      .where('root', '=', cleanText(seen.root))
      .where('workspace_id', '=', id)
      .execute();
  }
}

async function canonicalIdOf(tx: Tx, id: string): Promise<string> {
  const row = await tx.selectFrom('workspaces').select('canonical_id').where('id', '=', id).executeTakeFirstOrThrow();
  return row.canonical_id;
}

function loadSessionsBelow(tx: Tx, { deviceId, workspaceId, root }: SeenRoot) {
  return tx
    .selectFrom('sessions as s')
    .innerJoin('workspaces as w', 'w.id', 's.workspace_id')
    .leftJoin('session_workspaces as d', 'd.session_id', 's.id')
    .select(['s.id', 's.workspace_id', 'w.canonical_id', 'd.is_chosen'])
    .where('s.device_id', '=', deviceId)
    .where('s.workspace_id', '!=', workspaceId)
    .where(({ or, eb }) => or([eb('s.cwd', '=', cleanText(root)), startsWith(sql.ref('s.cwd'), cleanText(`${root}/`))]))
    .execute();
}

async function moveWithRepository(
  tx: Tx,
  { id, workspace_id }: { readonly id: string; readonly workspace_id: string },
  workspaceId: string,
): Promise<void> {
  const target = { workspace_id: workspaceId };
  await tx.updateTable('sessions').set(target).where('id', '=', id).execute();
  for (const table of ['events', 'git_activity', 'session_folders'] as const) {
    await tx
      .updateTable(table)
      .set(target)
      .where('session_id', '=', id)
      .where('workspace_id', '=', workspace_id)
      .execute();
  }
}

/** Loads the remembered folders of a device, for the resolver of one run. */
export async function loadFolders(db: Tx, deviceId: string): Promise<readonly RememberedFolder[]> {
  const rows = await db
    .selectFrom('workspace_folders as f')
    .innerJoin('workspaces as w', 'w.id', 'f.workspace_id')
    .select(['f.path', 'f.root', 'f.is_repository', 'f.worktree_name', 'f.fingerprint', 'w.canonical_id'])
    .select('w.display_name')
    .where('f.device_id', '=', deviceId)
    .orderBy('f.last_seen_at')
    .execute();
  return rows.map((row) => ({
    path: row.path,
    root: row.root,
    isRepository: Boolean(row.is_repository),
    worktreeName: row.worktree_name,
    fingerprint: row.fingerprint,
    workspace: { canonicalId: row.canonical_id, displayName: row.display_name },
  }));
}
