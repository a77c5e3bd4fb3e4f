import { basename } from 'node:path';

export interface WorkspaceIdentity {
  readonly canonicalId: string;
  readonly displayName: string;
}

export const UNASSOCIATED: WorkspaceIdentity = { canonicalId: '_unassociated', displayName: '(no folder)' };

/** The workspace of a working directory. */
export function workspaceOf(cwd: string | null): WorkspaceIdentity {
  if (!cwd) return UNASSOCIATED;
  const name = basename(cwd.replaceAll('\\', '/')) || cwd;
  return { canonicalId: `folder:${cwd}`, displayName: name };
}
