import { sql } from 'kysely';
import type { GitSession } from '../../../domain/git.ts';
import type { GitOperation } from '../../../domain/transcript-structure.ts';
import type { Worktree } from '../../../domain/transcript-lists.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';
import type { RowState } from '../transcript/save-revision.ts';

type StoredOperation = Omit<GitOperation, 'toolUseId'> & {
  readonly tool_use_id?: string;
  /** Its name in rows of version 0.1. */
  readonly toolUseId?: string;
};

interface Metadata {
  readonly cwds?: readonly string[];
  readonly worktrees?: readonly Worktree[];
  readonly git_operations?: readonly StoredOperation[];
  readonly first_line_at?: string | null;
  readonly last_line_at?: string | null;
}

/** Null for an unknown session. */
export async function loadGitSession(db: Tx, sessionId: string): Promise<GitSession | null> {
  const session = await db
    .selectFrom('sessions')
    .select(['revision', 'lifecycle', 'ended_at', 'metadata'])
    .where('id', '=', sessionId)
    .executeTakeFirst();
  if (session === undefined) return null;
  const { revision } = session;
  const metadata = readJson<Metadata>(session.metadata);
  const agents = await db
    .selectFrom('subagents')
    .select('worktree_path')
    .where('session_id', '=', sessionId)
    .where('revision', '=', revision)
    .orderBy('position')
    .execute();
  const calls = await db
    .selectFrom('tool_calls')
    .select(['id', 'started_at', 'ended_at'])
    .where('is_inherited', '=', sql.lit(false))
    .where('session_id', '=', sessionId)
    .where('revision', '=', revision)
    .execute();
  const worktrees = (metadata.worktrees ?? []).map(({ path }) => path);
  const named = [...(metadata.cwds ?? []), ...worktrees, ...agents.map(({ worktree_path }) => worktree_path)];
  return {
    sessionId,
    isLive: session.lifecycle === 'capturing',
    startedAt: metadata.first_line_at ?? null,
    // The end event may be later than the last line.
    endedAt: session.ended_at ?? metadata.last_line_at ?? null,
    folders: [...new Set(named.filter((path) => path !== null))],
    gitOperations: readGitOperations(metadata),
    callTimes: calls.map(({ id, started_at, ended_at }) => ({ id, startedAt: started_at, endedAt: ended_at })),
  };
}

/** The git operations that the client noted, out of the metadata of a session. */
export function readGitOperations({ git_operations }: Pick<Metadata, 'git_operations'>): readonly GitOperation[] {
  return (git_operations ?? []).map(({ tool_use_id, toolUseId = '', ...operation }) => {
    return { ...operation, toolUseId: tool_use_id ?? toolUseId };
  });
}

/** Records that the repositories were read for this revision. */
export async function markCorrelated(tx: Tx, sessionId: string, { rowsVersion }: RowState): Promise<void> {
  await tx.updateTable('sessions').set({ correlated_version: rowsVersion }).where('id', '=', sessionId).execute();
}
