import { isAbsolute } from 'node:path';
import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';

export interface Counted {
  readonly messages: number;
  readonly files: number;
  readonly size_bytes: number;
  /** Of these, what other sessions consist of as well. */
  readonly shared_bytes: number;
  readonly documents: number;
  readonly notes: number;
  readonly events: number;
  readonly shares: number;
  readonly shipped_files: number;
}

/** Counts what is stored of a session. */
export async function countSession(db: Tx, sessionId: string): Promise<Counted> {
  const own = sql`SELECT id FROM source_files WHERE session_id = ${sessionId}`;
  const isShared = sql`EXISTS (SELECT 1 FROM segments o JOIN source_files f ON f.id = o.source_file_id
    WHERE o.blob_sha256 = s.blob_sha256 AND f.session_id IS DISTINCT FROM ${sessionId})`;
  const { rows } = await sql<Counted>`SELECT
    (SELECT coalesce(total_messages, 0) FROM sessions WHERE id = ${sessionId}) AS messages,
    (SELECT count(*) FROM source_files WHERE session_id = ${sessionId}) AS files,
    (SELECT CAST(coalesce(sum(g.size_bytes), 0) AS BIGINT) FROM generations g WHERE g.source_file_id IN (${own})) AS size_bytes,
    (SELECT CAST(coalesce(sum(s.size_bytes), 0) AS BIGINT) FROM segments s WHERE s.source_file_id IN (${own}) AND ${isShared}) AS shared_bytes,
    (SELECT count(*) FROM documents WHERE session_id = ${sessionId}) AS documents,
    (SELECT count(*) FROM session_notes WHERE session_id = ${sessionId}) AS notes,
    (SELECT count(*) FROM events WHERE session_id = ${sessionId}) AS events,
    (SELECT count(*) FROM shares WHERE session_id = ${sessionId}) AS shares,
    (SELECT count(DISTINCT source_file_id) FROM shipments WHERE source_file_id IN (${own})) AS shipped_files`.execute(
    db,
  );
  return rows[0] as Counted;
}

/** The files of a session in the Claude homes of a device, as far as they still exist there. Uploaded files have no home. */
export async function listOwnFiles(
  db: Tx,
  sessionId: string,
  deviceId: string,
): Promise<readonly { readonly root: string; readonly path: string }[]> {
  const files = await db
    .selectFrom('source_files')
    .select(['root', 'path'])
    .where('session_id', '=', sessionId)
    .where('device_id', '=', deviceId)
    .where('state', '<>', 'gone')
    .orderBy('path')
    .execute();
  return files.filter(({ root }) => isAbsolute(root));
}
