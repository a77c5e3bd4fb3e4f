import type { Get } from '../api/table.ts';
import { createGitRunner } from '../capture/git/run-git.ts';
import { createWorkspaceResolver } from '../capture/workspace.ts';
import { FuelError } from '../domain/errors.ts';

export interface FolderWorkspace {
  readonly name: string;
  /** Null if no session of it is stored. */
  readonly id: string | null;
}

/** The workspace of a folder on this machine, looked up here or on a server. */
export async function findFolderWorkspace(
  get: Get,
  { folder, deviceId }: { readonly folder: string; readonly deviceId: string | null },
): Promise<FolderWorkspace> {
  const resolver = createWorkspaceResolver({ deviceId: deviceId ?? '', remembered: [], git: createGitRunner() });
  const { canonicalId, displayName } = await resolver.resolve(folder);
  try {
    const found = await get('/workspaces/:workspace_id', { params: { workspace_id: canonicalId } });
    // A prefix of an id also finds a workspace, but the parent of a folder is a different workspace.
    const isSame = found.canonical_id === canonicalId || found.merged.includes(canonicalId);
    return isSame ? { id: found.id, name: found.display_name } : { id: null, name: displayName };
  } catch (error) {
    const isUnknown = error instanceof FuelError && (error.code === 'not_found' || error.code === 'ambiguous');
    if (isUnknown) return { id: null, name: displayName };
    throw error;
  }
}
