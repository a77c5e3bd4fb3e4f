import type { DeletedSession, DeletionPreview } from '../../api/deletions.ts';
import { isLive } from '../../domain/session.ts';
import type { Engine, Tx } from '../../store/engine.ts';
import { listDeletions } from '../../store/queries/deletions/deletions.ts';
import { countSession, listOwnFiles } from '../../store/queries/deletions/preview.ts';
import { listFilesBeside, listForks } from '../../store/queries/deletions/remove-session.ts';
import { findSession } from '../../store/queries/sessions/session-rows.ts';

interface Deps {
  readonly engine: Engine;
  /** This device. */
  readonly deviceId: string;
}

export function deletionQueries(deps: Deps) {
  return {
    'GET /sessions/:id/deletion': ({ params }: { readonly params: { readonly id: string } }) =>
      previewDeletion(deps, params.id),
    'GET /deletions': () => readDeletions(deps.engine.kysely),
  };
}

/** What a deletion would remove. Errors: not_found, ambiguous, gone. */
async function previewDeletion({ engine, deviceId }: Deps, idOrPrefix: string): Promise<DeletionPreview> {
  const { kysely } = engine;
  const { id, title, initial_prompt, device_id, lifecycle } = await findSession(kysely, idOrPrefix);
  const own = await listOwnFiles(kysely, id, deviceId);
  const counted = await countSession(kysely, id);
  return {
    session_id: id,
    title: title ?? initial_prompt,
    device_id,
    is_live: isLive(lifecycle),
    ...counted,
    files_beside: (await listFilesBeside(kysely, id)).length,
    forks: [...(await listForks(kysely, id))],
    claude_files: own.map(({ path }) => path),
  };
}

async function readDeletions(db: Tx): Promise<{ readonly deletions: readonly DeletedSession[] }> {
  const rows = await listDeletions(db);
  return {
    deletions: rows.map(({ sessionId, at, purgeAt, purgedAt, undoAt }) => ({
      session_id: sessionId,
      deleted_at: at,
      purge_at: purgeAt,
      purged_at: purgedAt,
      state: undoAt !== null ? 'restoring' : purgedAt === null ? 'waiting' : 'removed',
    })),
  };
}
