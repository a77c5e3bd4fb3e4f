import { FuelError } from '../../../domain/errors.ts';
import type { WorkspaceIdentity } from '../../../domain/workspace.ts';
import type { WorkspaceNote } from '../../../domain/workspace-note.ts';
import type { Tx } from '../../engine.ts';
import { cutText } from '../../text.ts';
import { correlateGit } from '../git/correlate-git.ts';
import { findSession } from '../sessions/session-rows.ts';
import { findWorkspace } from './workspace-rows.ts';
import { saveDecision, saveMergedWorkspace, saveSeen, saveWorkspace, workspaceRowId } from './workspaces.ts';

/**
 * User decisions about workspaces. Each returns the record for the journal, so that a rebuild gives the same result.
 * Run them in a transaction.
 */

const MAX_NAME_CHARS = 200;

/** Renames a workspace. Errors: not_found, ambiguous, usage for an empty name. */
export async function renameWorkspace(tx: Tx, name: string, to: string, now: string): Promise<WorkspaceNote> {
  const displayName = to.replaceAll(/\s+/g, ' ').trim();
  if (displayName === '') throw new FuelError('usage', 'A workspace cannot have an empty name.');
  const { canonical_id } = await findWorkspace(tx, name);
  return carryOut(tx, { at: now, what: 'workspace_renamed', canonicalId: canonical_id, displayName });
}

/**
 * Assigns everything of the first workspace to the second, including sessions that are imported later. Errors:
 * not_found, ambiguous, usage when they are already merged.
 */
export async function mergeWorkspaces(tx: Tx, from: string, into: string, now: string): Promise<WorkspaceNote> {
  const [source, target] = [await findWorkspace(tx, from), await findWorkspace(tx, into)];
  if (source.id === target.id) {
    throw new FuelError('usage', 'A workspace cannot be merged into itself.');
  }
  const identity = { canonicalId: target.canonical_id, displayName: target.display_name };
  return carryOut(tx, { at: now, what: 'workspace_merged', from: source.canonical_id, into: identity });
}

/** A user's choice: no import, new parser or rebuild reverts it. Errors: not_found, ambiguous. */
export async function moveSession(tx: Tx, session: string, workspace: string, now: string): Promise<WorkspaceNote> {
  const { id } = await findSession(tx, session);
  const { canonical_id, display_name } = await findWorkspace(tx, workspace);
  const identity = { canonicalId: canonical_id, displayName: display_name };
  return carryOut(tx, { at: now, what: 'session_moved', sessionId: id, workspace: identity });
}

async function carryOut(tx: Tx, note: WorkspaceNote): Promise<WorkspaceNote> {
  await applyWorkspaceNote(tx, note);
  return note;
}

/** Applies a journal record; idempotent. The devices it names must have rows. */
export async function applyWorkspaceNote(tx: Tx, note: WorkspaceNote): Promise<void> {
  switch (note.what) {
    case 'workspace_renamed':
      return rename(tx, note.canonicalId, note.displayName, note.at);
    case 'workspace_merged':
      return merge(tx, note.from, note.into, note.at);
    case 'session_moved':
      return move(tx, note.sessionId, note.workspace, note.at);
    case 'session_seen': {
      const workspaceId = await saveSeen(tx, note, note.at);
      const known = await tx
        .selectFrom('session_workspaces')
        .select('is_chosen')
        .where('session_id', '=', note.sessionId)
        .executeTakeFirst();
      if (known?.is_chosen) return;
      return saveDecision(tx, { sessionId: note.sessionId, workspaceId, isChosen: false }, note.at);
    }
  }
}

async function rename(tx: Tx, canonicalId: string, displayName: string, at: string): Promise<void> {
  const name = cutText(displayName, MAX_NAME_CHARS).text;
  await saveWorkspace(tx, { canonicalId, displayName }, at);
  await tx
    .updateTable('workspaces')
    .set({ display_name: name, updated_at: at })
    .where('id', '=', workspaceRowId(canonicalId))
    .execute();
}

const OWNED = [
  'sessions',
  'events',
  'git_activity',
  'workspace_folders',
  'session_workspaces',
  'session_folders',
] as const;

async function merge(tx: Tx, from: string, into: WorkspaceIdentity, at: string): Promise<void> {
  const source = await saveWorkspace(tx, { canonicalId: from, displayName: from }, at);
  const target = await saveMergedWorkspace(tx, into, at);
  if (source === target) return;
  await tx
    .updateTable('workspaces')
    .set({ merged_into: target, updated_at: at })
    .where(({ or, eb }) => or([eb('id', '=', source), eb('merged_into', '=', source)]))
    .execute();
  for (const table of OWNED) {
    await tx.updateTable(table).set({ workspace_id: target }).where('workspace_id', '=', source).execute();
  }
  await mergeDevices(tx, source, target);
  await correlateWorkspace(tx, target);
}

/** One row per device: the later use wins. */
async function mergeDevices(tx: Tx, source: string, target: string): Promise<void> {
  const rows = await tx.selectFrom('workspace_devices').selectAll().where('workspace_id', '=', source).execute();
  for (const row of rows) {
    const { local_path, last_active_at } = row;
    await tx
      .insertInto('workspace_devices')
      .values({ ...row, workspace_id: target })
      .onConflict((conflict) =>
        conflict
          .columns(['workspace_id', 'device_id'])
          .doUpdateSet({ local_path, last_active_at })
          .where('workspace_devices.last_active_at', '<', last_active_at),
      )
      .execute();
  }
  await tx.deleteFrom('workspace_devices').where('workspace_id', '=', source).execute();
}

/** Sessions and activities of different workspaces are now in the same one. */
async function correlateWorkspace(tx: Tx, workspaceId: string): Promise<void> {
  const spans = await tx
    .selectFrom('git_activity')
    .select(['device_id'])
    .select(({ fn }) => [fn.min('timestamp').as('from'), fn.max('timestamp').as('to')])
    .where('workspace_id', '=', workspaceId)
    .groupBy('device_id')
    .execute();
  for (const { device_id, from, to } of spans) {
    await correlateGit(tx, { deviceId: device_id, sessionIds: [], fromMs: Date.parse(from), toMs: Date.parse(to) });
  }
}

async function move(tx: Tx, sessionId: string, workspace: WorkspaceIdentity, at: string): Promise<void> {
  const workspaceId = await saveMergedWorkspace(tx, workspace, at);
  await saveDecision(tx, { sessionId, workspaceId, isChosen: true }, at);
  const target = { workspace_id: workspaceId };
  await tx
    .updateTable('sessions')
    .set({ ...target, updated_at: at })
    .where('id', '=', sessionId)
    .execute();
  await tx.updateTable('events').set(target).where('session_id', '=', sessionId).execute();
  const session = await tx.selectFrom('sessions').select('device_id').where('id', '=', sessionId).executeTakeFirst();
  if (session) await correlateGit(tx, { deviceId: session.device_id, sessionIds: [sessionId] });
}
