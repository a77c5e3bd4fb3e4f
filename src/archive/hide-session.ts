import { deletionToJournal } from '../domain/deletion.ts';
import type { ArchiveJournal } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { saveDeletion } from '../store/queries/deletions/deletions.ts';
import { listFilesBeside, listForks, removeSessionRows } from '../store/queries/deletions/remove-session.ts';

/** Hides a session at once and leaves the mark that keeps it from coming back; its bytes go later. */
export async function hideSession(
  { engine, journal }: { readonly engine: Engine; readonly journal: ArchiveJournal },
  sessionId: string,
  { at, purgeAt }: { readonly at: string; readonly purgeAt: string },
): Promise<void> {
  await engine.transaction(async (tx) => {
    const deletion = {
      sessionId,
      at,
      purgeAt,
      fileIds: await listFilesBeside(tx, sessionId),
      forks: await listForks(tx, sessionId),
    };
    // In the journal first: a rebuild must not bring back what is deleted here.
    await journal.append(deletionToJournal({ what: 'session_deleted', ...deletion }));
    await journal.flush();
    await saveDeletion(tx, deletion);
    await removeSessionRows(engine, tx, deletion);
  });
}
