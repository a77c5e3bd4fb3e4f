import { toJournal, type WorkspaceNote } from '../domain/workspace-note.ts';
import { applyWorkspaceNote } from '../store/queries/workspaces/workspace-decisions.ts';
import { loadDecision } from '../store/queries/workspaces/workspaces.ts';
import type { IntakeDeps } from './intake.ts';
import type { Upload, UploadWorkspace } from '../api/ingest.ts';

/**
 * Stores the workspace that a device reports for a session; its folders are on its own disk, so we cannot resolve them.
 * Returns true when it changed. The session's row is updated when it is parsed.
 */
export async function storeReportedWorkspace(
  { engine, journal }: IntakeDeps,
  { device, file, workspace }: Upload,
  now: string,
): Promise<boolean> {
  if (workspace === null || file.session_id === null) return false;
  const known = await loadDecision(engine.kysely, file.session_id);
  if (known?.canonical_id === workspace.canonical_id || known?.is_chosen) return false;
  const note = toNote(workspace, { sessionId: file.session_id, deviceId: device.id }, now);
  await journal.append(toJournal(note));
  await engine.transaction((tx) => applyWorkspaceNote(tx, note));
  return true;
}

function toNote(
  { canonical_id: canonicalId, display_name: displayName, is_chosen: isChosen, folder }: UploadWorkspace,
  { sessionId, deviceId }: { readonly sessionId: string; readonly deviceId: string },
  at: string,
): WorkspaceNote {
  const workspace = { canonicalId, displayName };
  if (isChosen) return { at, what: 'session_moved', sessionId, workspace };
  const seen = folder && {
    path: folder.path,
    root: folder.root,
    isRepository: folder.is_repository,
    worktreeName: folder.worktree_name,
    fingerprint: folder.fingerprint,
  };
  return { at, what: 'session_seen', sessionId, deviceId, workspace, folder: seen };
}
