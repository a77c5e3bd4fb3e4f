import { sql } from 'kysely';
import { type Deletion, SETTLE_MS } from '../../../domain/deletion.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths, readInParts, startsWith } from '../../sql.ts';
import { readJson } from '../../text.ts';

/** Sessions and files of which nothing may be stored. A session that is being restored is not one of them. */
export interface Deleted {
  /** When the bytes of each session are removed, also those in files with entries of several sessions. */
  readonly sessions: ReadonlyMap<string, string>;
  readonly files: ReadonlySet<string>;
}

export async function loadDeleted(db: Tx): Promise<Deleted> {
  const rows = await db
    .selectFrom('deleted_sessions')
    .select(['session_id', 'file_ids', 'purge_at'])
    .where('undo_at', 'is', null)
    .execute();
  return {
    sessions: new Map(rows.map(({ session_id, purge_at }) => [session_id, purge_at])),
    files: new Set(rows.flatMap(({ file_ids }) => readJson<readonly string[]>(file_ids))),
  };
}

/** Sessions whose bytes are removed for good, or about to be. */
export async function loadPurged(db: Tx, now: string): Promise<ReadonlySet<string>> {
  const { sessions } = await loadDeleted(db);
  return new Set([...sessions].filter(([, purgeAt]) => purgeAt <= now).map(([id]) => id));
}

/** Lets the next purge look at the archive once more. */
export async function unsettlePurged(tx: Tx, now: string): Promise<void> {
  await tx.updateTable('deleted_sessions').set({ is_settled: sql`FALSE` }).where('purge_at', '<=', now).execute();
}

/** Which of these sessions are deleted. */
export async function findDeleted(db: Tx, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await readInParts([...new Set(sessionIds)], (some) =>
    db
      .selectFrom('deleted_sessions')
      .select('session_id')
      .where('session_id', 'in', fewLengths(some))
      .where('undo_at', 'is', null)
      .execute(),
  );
  return new Set(rows.map(({ session_id }) => session_id));
}

/** The deleted sessions whose ids start with this. */
export async function findDeletedByPrefix(db: Tx, prefix: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('deleted_sessions')
    .select('session_id')
    .where(startsWith(sql.ref('session_id'), prefix))
    .where('undo_at', 'is', null)
    .limit(2)
    .execute();
  return rows.map(({ session_id }) => session_id);
}

/** Removes the rows of sessions that were reopened while they were being deleted; nothing refers to them yet. */
export async function removeReopened(tx: Tx): Promise<void> {
  await sql`DELETE FROM sessions WHERE id IN (SELECT session_id FROM deleted_sessions WHERE undo_at IS NULL)`.execute(
    tx,
  );
}

export interface StoredDeletion extends Deletion {
  /** When its bytes were first removed; null while it can be brought back. */
  readonly purgedAt: string | null;
  /** The bytes were removed once more, after writers that were active at the time had ended. */
  readonly isSettled: boolean;
  readonly undoAt: string | null;
  /** The server that was informed. */
  readonly reportedTo: string | null;
}

/** Lists all deletions, newest first. */
export async function listDeletions(db: Tx): Promise<readonly StoredDeletion[]> {
  const rows = await db
    .selectFrom('deleted_sessions')
    .selectAll()
    .orderBy('deleted_at', 'desc')
    .orderBy('session_id')
    .execute();
  return rows.map((row) => ({
    sessionId: row.session_id,
    at: row.deleted_at,
    purgeAt: row.purge_at,
    purgedAt: row.purged_at,
    isSettled: Boolean(row.is_settled),
    undoAt: row.undo_at,
    fileIds: readJson(row.file_ids),
    forks: readJson(row.forks),
    reportedTo: row.told,
  }));
}

/** When bytes become due for removal, for the process that waits for it. */
export async function listPurgeTimes(db: Tx): Promise<readonly number[]> {
  const waiting = (await listDeletions(db)).filter(({ isSettled, undoAt }) => !isSettled && undoAt === null);
  return waiting.map(({ at, purgeAt, purgedAt }) =>
    purgedAt === null ? Date.parse(purgeAt) : Date.parse(at) + SETTLE_MS,
  );
}

/** Deleted sessions that this one began as a copy of. */
export async function findDeletedOrigins(db: Tx, sessionId: string): Promise<readonly string[]> {
  const all = await listDeletions(db);
  return all.filter(({ forks, undoAt }) => undoAt === null && forks.includes(sessionId)).map((one) => one.sessionId);
}

export async function countDeletions(db: Tx): Promise<number> {
  const { count } = await db
    .selectFrom('deleted_sessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Of several deletions of one session the earliest removal counts. */
export async function saveDeletion(tx: Tx, deletion: Deletion): Promise<void> {
  const { sessionId, at, purgeAt, fileIds, forks } = deletion;
  await tx
    .insertInto('deleted_sessions')
    .values({
      session_id: sessionId,
      deleted_at: at,
      purge_at: purgeAt,
      file_ids: JSON.stringify(fileIds),
      forks: JSON.stringify(forks),
    })
    .onConflict((conflict) =>
      conflict.column('session_id').doUpdateSet({
        purge_at: sql`CASE WHEN excluded.purge_at < deleted_sessions.purge_at THEN excluded.purge_at
          ELSE deleted_sessions.purge_at END`,
        undo_at: null,
      }),
    )
    .execute();
}

/** Marks a session to be restored; false when its bytes are being removed. */
export async function markUndone(tx: Tx, sessionId: string, now: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('deleted_sessions')
    .set({ undo_at: now })
    .where('session_id', '=', sessionId)
    .where('purged_at', 'is', null)
    .where('purge_at', '>', now)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function removeDeletion(tx: Tx, sessionId: string): Promise<void> {
  await tx.deleteFrom('deleted_sessions').where('session_id', '=', sessionId).execute();
}

export async function markPurged(
  db: Tx,
  sessionIds: readonly string[],
  { now, settledBefore }: { readonly now: string; readonly settledBefore: string },
): Promise<void> {
  if (sessionIds.length === 0) return;
  await db
    .updateTable('deleted_sessions')
    .set({
      is_settled: sql`CASE WHEN deleted_at <= ${settledBefore} THEN TRUE ELSE is_settled END`,
      purged_at: sql`coalesce(purged_at, ${now})`,
    })
    .where('session_id', 'in', fewLengths(sessionIds))
    .execute();
}

/** Finds final deletions that the server was not informed about. */
export async function findUnreported(db: Tx, server: string, limit: number): Promise<readonly StoredDeletion[]> {
  const all = await listDeletions(db);
  return all.filter(({ purgedAt, reportedTo }) => purgedAt !== null && reportedTo !== server).slice(0, limit);
}

export async function saveReported(db: Tx, sessionId: string, server: string): Promise<void> {
  await db.updateTable('deleted_sessions').set({ told: server }).where('session_id', '=', sessionId).execute();
}
