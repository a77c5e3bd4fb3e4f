import { deletionToJournal } from '../domain/deletion.ts';
import type { ArchiveJournal } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { saveDeletion } from '../store/queries/deletions/deletions.ts';
import { unmarkIndexed } from '../store/queries/search/search-index.ts';
import { listFilesBeside, listForks, removeSessionRows } from '../store/queries/deletions/remove-session.ts';

/** Hides a session immediately and leaves the tombstone that prevents its return; its bytes are removed later. */
export async function hideSession(
  { engine, journal }: { readonly engine: Engine; readonly journal: ArchiveJournal },
  sessionId: string,
  { at, purgeAt }: { readonly at: string; readonly purgeAt: string },
): Promise<void> {
  await unmarkIndexed(engine.kysely, sessionId);
  await engine.transaction(async (tx) => {
    const deletion = {
      sessionId,
      at,
      purgeAt,
      fileIds: await listFilesBeside(tx, sessionId),
      forks: await listForks(tx, sessionId),
    };
    await saveDeletion(tx, deletion);
    await removeSessionRows(engine, tx, deletion);
    // In the journal before the commit: a rebuild must not restore what is deleted here.
    await journal.append(deletionToJournal({ what: 'session_deleted', ...deletion }));
    await journal.flush();
  });
}
