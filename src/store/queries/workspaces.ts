import { createHash } from 'node:crypto';
import type { Tx } from '../engine.ts';
import { cleanText } from '../text.ts';

export interface Workspace {
  /** What makes two working copies the same project. */
  readonly canonicalId: string;
  readonly displayName: string;
}

/** Row ids follow from the canonical id, so that a rebuild gives the same ones. */
export function workspaceRowId(canonicalId: string): string {
  return `ws_${createHash('sha256').update(canonicalId).digest('hex').slice(0, 24)}`;
}

/** Makes sure that the workspace has its row, and gives the row's id. */
export async function saveWorkspace(db: Tx, workspace: Workspace, now: string): Promise<string> {
  const id = workspaceRowId(workspace.canonicalId);
  await db
    .insertInto('workspaces')
    .values({
      id,
      canonical_id: cleanText(workspace.canonicalId),
      display_name: cleanText(workspace.displayName),
      first_seen_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return id;
}
