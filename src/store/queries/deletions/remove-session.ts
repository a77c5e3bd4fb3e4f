import { type RawBuilder, sql } from 'kysely';
import type { Deletion } from '../../../domain/deletion.ts';
import type { Engine, TableName, Tx } from '../../engine.ts';
import { fewLengths, inParts, readInParts, startsWith } from '../../sql.ts';
import { leaveFamily } from '../lineage/count-once.ts';
import { removeSessionFromIndex } from '../search/search-index.ts';
import { cancelWork } from '../sessions/session-state.ts';
import { findSessionsOfPlan, isFileOfPlan, readPlanSlugs } from '../transcript/documents.ts';
import { deleteRevisions } from '../transcript/save-revision.ts';
import { listDeletions } from './deletions.ts';

/** Tables with rows of one session beside its revisions. Shares are left to the cleanup, which knows their blobs. */
const SESSION_TABLES: readonly TableName[] = [
  'usage_rollups',
  'adopted_usage',
  'archived_usage',
  'git_calls',
  'session_folders',
  'session_lineage',
  'session_steps',
  'session_summaries',
  'session_tags',
  'session_notes',
  'session_pins',
  'session_workspaces',
  'session_changes',
  'documents',
  'masked_sessions',
];

/**
 * Removes every row of a session except its files, whose bytes stay until the purge. A process that works on the session
 * loses its claim. Sessions that share messages with it are settled again: they count what only it counted.
 */
export async function removeSessionRows(
  engine: Engine,
  tx: Tx,
  { sessionId, fileIds }: Pick<Deletion, 'sessionId' | 'fileIds'>,
): Promise<void> {
  // Locks are taken in the same order as by imports.
  await engine.oneAtATime(tx, 'counting');
  await engine.oneAtATime(tx, 'git');
  await cancelWork(tx, sessionId);
  await leaveFamily(tx, sessionId, async () => {
    await removeSessionFromIndex(engine, tx, sessionId);
    await deleteRevisions(tx, [sessionId], () => sql`TRUE`);
    for (const table of SESSION_TABLES) {
      await sql`DELETE FROM ${sql.table(table)} WHERE session_id = ${sessionId}`.execute(tx);
    }
  });
  await tx
    .deleteFrom('documents')
    .where('source_file_id', 'in', [...fileIds, ''])
    .execute();
  await sql`DELETE FROM events WHERE session_id = ${sessionId} OR data ->> 'session_id' = ${sessionId}`.execute(tx);
  await tx
    .updateTable('git_activity')
    .set({ session_id: null, linked_by: null, relation: null })
    .where('session_id', '=', sessionId)
    .execute();
  await tx.deleteFrom('sessions').where('id', '=', sessionId).execute();
}

/** Removes rows of deleted sessions that came from an older copy of the database. */
export async function applyDeletions(engine: Engine): Promise<void> {
  for (const deletion of await listDeletions(engine.kysely)) {
    await engine.transaction((tx) => removeSessionRows(engine, tx, deletion));
  }
}

/** The texts of a session that comes back are read again: its prompts in the history, its plans and to-do lists. */
export async function readDocumentsAgain(tx: Tx, sessionId: string): Promise<void> {
  await sql`DELETE FROM document_files WHERE source_file_id IN (
    SELECT id FROM source_files WHERE session_id = ${sessionId} OR kind IN ('history', 'plan'))`.execute(tx);
}

/** Sessions that began as a copy of this one. */
export async function listForks(db: Tx, sessionId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('session_lineage')
    .select('session_id')
    .where('parent_session_id', '=', sessionId)
    .orderBy('session_id')
    .execute();
  return rows.map(({ session_id }) => session_id);
}

/** Plans and team files that no other session uses; their paths do not name a session. */
export async function listFilesBeside(db: Tx, sessionId: string): Promise<readonly string[]> {
  const session = await db
    .selectFrom('sessions')
    .select(['device_id', 'team_name'])
    .where('id', '=', sessionId)
    .executeTakeFirst();
  if (session === undefined) return [];
  const path = sql.ref('path');
  const isBeside: RawBuilder<boolean>[] = [];
  for (const slug of (await readPlanSlugs(db, [sessionId])).get(sessionId) ?? []) {
    const users = await findSessionsOfPlan(db, session.device_id, slug);
    if (users.every((id) => id === sessionId)) isBeside.push(isFileOfPlan(path, slug));
  }
  for (const team of await listOwnTeams(db, sessionId)) isBeside.push(startsWith(path, `teams/${team}/`));
  if (isBeside.length === 0) return [];
  const rows = await db
    .selectFrom('source_files')
    .select('id')
    .where('device_id', '=', session.device_id)
    .where('session_id', 'is', null)
    .where(sql<boolean>`(${sql.join(isBeside, sql` OR `)})`)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Teams that a session led or was part of and that no other stored session belongs to. */
async function listOwnTeams(db: Tx, sessionId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT DISTINCT t.name FROM (
      SELECT team_name AS name FROM sessions WHERE id = ${sessionId} AND team_name IS NOT NULL
      UNION SELECT t.team_name FROM teams t WHERE t.session_id = ${sessionId}) t
    WHERE NOT EXISTS (SELECT 1 FROM sessions o WHERE o.team_name = t.name AND o.id <> ${sessionId})
      AND NOT EXISTS (SELECT 1 FROM teams o WHERE o.team_name = t.name AND o.session_id <> ${sessionId})`.execute(db);
  return rows.map(({ name }) => name);
}

/** Removes the record of the files of deleted sessions; their blobs are removed by the archive. */
export async function removeFiles(tx: Tx, sessionIds: readonly string[], fileIds: readonly string[]): Promise<void> {
  const ofSessions = await readInParts(sessionIds, (some) =>
    tx.selectFrom('source_files').select('id').where('session_id', 'in', fewLengths(some)).execute(),
  );
  for (const some of inParts([...new Set([...ofSessions.map(({ id }) => id), ...fileIds])])) {
    for (const table of ['documents', 'document_files', 'shipments', 'segments', 'generations'] as const) {
      await sql`DELETE FROM ${sql.table(table)} WHERE source_file_id IN (${sql.join(some)})`.execute(tx);
    }
    await tx.deleteFrom('source_files').where('id', 'in', some).execute();
  }
}

/** Blobs that no archived file consists of. */
export async function listUnusedBlobs(db: Tx): Promise<readonly string[]> {
  const { rows } = await sql<{ sha256: string }>`SELECT b.sha256 FROM blobs b
    WHERE NOT EXISTS (SELECT 1 FROM segments s WHERE s.blob_sha256 = b.sha256)
      AND NOT EXISTS (SELECT 1 FROM share_parts p WHERE p.sha256 = b.sha256)`.execute(db);
  return rows.map(({ sha256 }) => sha256);
}

/** Which of these blobs an archived file or a shared page consists of. */
export async function findUsedBlobs(db: Tx, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await readInParts(addresses, async (some) => {
    const wanted = sql.join(fewLengths(some));
    const found = await sql<{ sha256: string }>`SELECT blob_sha256 AS sha256 FROM segments
      WHERE blob_sha256 IN (${wanted}) UNION SELECT sha256 FROM share_parts WHERE sha256 IN (${wanted})`.execute(db);
    return found.rows;
  });
  return new Set(rows.map(({ sha256 }) => sha256));
}

export async function forgetBlob(db: Tx, sha256: string): Promise<void> {
  await db.deleteFrom('blobs').where('sha256', '=', sha256).execute();
}
