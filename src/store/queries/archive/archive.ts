import { sql } from 'kysely';
import type { Engine, Tx } from '../../engine.ts';
import { cleanText } from '../../text.ts';

/**
 * `archived`: its bytes are stored. `captured`: and the whole file was compared by SHA-256. `gone`: the file was
 * deleted and exists only in the archive.
 */
export type FileState = 'archived' | 'captured' | 'gone';

/** The known state of one file of a device: its checkpoint decides whether bytes must be read at all. */
export interface SourceFile {
  readonly id: string;
  readonly root: string;
  readonly path: string;
  readonly kind: string;
  readonly state: FileState;
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly generation: number;
  readonly seenSize: number;
  readonly seenMtimeMs: number;
  readonly seenInode: string;
  readonly archivedBytes: number;
  readonly headSha256: string;
  readonly tailSha256: string;
  readonly sha256: string | null;
  /** When bytes of this generation were last archived. */
  readonly archivedAt: string;
}

/** When bytes were last archived. */
export async function readNewestArchived(db: Tx): Promise<string | null> {
  const { newest } = await db
    .selectFrom('segments')
    .select(({ fn }) => fn.max<string | null>('created_at').as('newest'))
    .executeTakeFirstOrThrow();
  return newest;
}

/** Loads every known file of a device, from all its Claude homes. */
export async function loadDeviceFiles(db: Tx, deviceId: string): Promise<readonly SourceFile[]> {
  const rows = await selectSourceFiles(db).where('f.device_id', '=', deviceId).execute();
  return rows as SourceFile[];
}

/** Loads a session's files, ordered by path. */
export async function loadSessionFiles(db: Tx, sessionId: string): Promise<readonly SourceFile[]> {
  // E16: files that another device shipped before the session was known do not belong to it.
  const isForeign = sql<boolean>`EXISTS (
    SELECT 1 FROM sessions s JOIN devices d ON d.id = f.device_id
    WHERE s.id = f.session_id AND d.type = 'remote' AND s.device_id <> coalesce(d.merged_into, d.id))`;
  const rows = await selectSourceFiles(db)
    .where('f.session_id', '=', sessionId)
    .where(sql<boolean>`NOT ${isForeign}`)
    .orderBy('f.path')
    .execute();
  return rows as SourceFile[];
}

export async function loadSourceFile(db: Tx, id: string): Promise<SourceFile | null> {
  const row = await selectSourceFiles(db).where('f.id', '=', id).executeTakeFirst();
  return row === undefined ? null : (row as SourceFile);
}

/** Loads the file with this name in the folder of another file, on the same device and in the same Claude home. */
export async function loadFileBeside(db: Tx, file: SourceFile, name: string): Promise<SourceFile | null> {
  const row = await selectSourceFiles(db)
    .where('f.root', '=', file.root)
    .where('f.path', '=', cleanText(file.path.replace(/[^/]*$/, name)))
    .where(({ eb, selectFrom }) =>
      eb('f.device_id', '=', selectFrom('source_files as o').select('o.device_id').where('o.id', '=', file.id)),
    )
    .executeTakeFirst();
  return row === undefined ? null : (row as SourceFile);
}

export function selectSourceFiles(db: Tx) {
  return db
    .selectFrom('source_files as f')
    .innerJoin('generations as g', (join) =>
      join.onRef('g.source_file_id', '=', 'f.id').onRef('g.number', '=', 'f.generation'),
    )
    .select([
      'f.id',
      'f.root',
      'f.path',
      'f.kind',
      'f.state',
      'f.session_id as sessionId',
      'f.agent_id as agentId',
      'f.generation',
      'f.seen_size as seenSize',
      'f.seen_mtime_ms as seenMtimeMs',
      'f.seen_inode as seenInode',
      'g.size_bytes as archivedBytes',
      'g.head_sha256 as headSha256',
      'g.tail_sha256 as tailSha256',
      'g.sha256',
      'g.updated_at as archivedAt',
    ]);
}

/** A run of a generation's bytes and its location in the archive. */
export interface SegmentRow {
  readonly startOffset: number;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly blobOffset: number;
}

export interface CapturedBlob {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly storedBytes: number;
}

/** New bytes of a file that are already in the blob store. */
export interface Capture {
  readonly id: string;
  readonly deviceId: string;
  readonly root: string;
  readonly path: string;
  readonly kind: string;
  readonly state: FileState;
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly generation: number;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly inode: string;
  readonly headSha256: string;
  readonly tailSha256: string;
  readonly sha256: string | null;
  readonly segments: readonly SegmentRow[];
  readonly blobs: readonly CapturedBlob[];
}

/** Saves captured bytes: blobs, file, generation, segments. Idempotent. */
export async function saveCapture(engine: Engine, tx: Tx, capture: Capture, now: string): Promise<void> {
  for (const blob of capture.blobs) await saveBlob(tx, blob, now);
  await saveSourceFile(tx, capture, now);
  await saveGeneration(tx, capture, now);
  for (const segment of capture.segments) await saveSegment(tx, capture, segment, now);
}

async function saveBlob(tx: Tx, blob: CapturedBlob, now: string): Promise<void> {
  await tx
    .insertInto('blobs')
    .values({ sha256: blob.sha256, size_bytes: blob.sizeBytes, stored_bytes: blob.storedBytes, created_at: now })
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .execute();
}

async function saveSourceFile(tx: Tx, capture: Capture, now: string): Promise<void> {
  const seen = {
    session_id: capture.sessionId,
    agent_id: capture.agentId,
    state: capture.state,
    generation: capture.generation,
    seen_size: capture.sizeBytes,
    seen_mtime_ms: capture.mtimeMs,
    seen_inode: capture.inode,
    updated_at: now,
  };
  await tx
    .insertInto('source_files')
    .values({
      id: capture.id,
      device_id: capture.deviceId,
      root: cleanText(capture.root),
      path: cleanText(capture.path),
      kind: capture.kind,
      first_seen_at: now,
      ...seen,
    })
    // An older generation may arrive late: it is inserted, and the file keeps its current generation.
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(seen).where('source_files.generation', '<=', capture.generation),
    )
    .execute();
}

async function saveGeneration(tx: Tx, capture: Capture, now: string): Promise<void> {
  const checkpoint = {
    size_bytes: capture.sizeBytes,
    head_sha256: capture.headSha256,
    tail_sha256: capture.tailSha256,
    sha256: capture.sha256,
    updated_at: now,
  };
  await tx
    .insertInto('generations')
    .values({ source_file_id: capture.id, number: capture.generation, created_at: now, ...checkpoint })
    .onConflict((conflict) => conflict.columns(['source_file_id', 'number']).doUpdateSet(checkpoint))
    .execute();
}

async function saveSegment(tx: Tx, capture: Capture, segment: SegmentRow, now: string): Promise<void> {
  await tx
    .insertInto('segments')
    .values({
      source_file_id: capture.id,
      generation: capture.generation,
      start_offset: segment.startOffset,
      size_bytes: segment.sizeBytes,
      blob_sha256: segment.sha256,
      blob_offset: segment.blobOffset,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['source_file_id', 'generation', 'start_offset']).doNothing())
    .execute();
}

interface FileStat {
  readonly state: FileState;
  readonly mtimeMs: number;
  readonly inode: string;
  readonly sha256: string | null;
}

/** The bytes are unchanged: saves the new size and time, so that the file is not read again. */
export async function saveFileStat(db: Tx, file: SourceFile, look: FileStat): Promise<void> {
  await db
    .updateTable('source_files')
    .set({ state: look.state, seen_mtime_ms: look.mtimeMs, seen_inode: look.inode })
    .where('id', '=', file.id)
    .execute();
  await db
    .updateTable('generations')
    .set({ sha256: look.sha256 })
    .where('source_file_id', '=', file.id)
    .where('number', '=', file.generation)
    .execute();
}

/** Marks files as deleted by their owner; from now on they exist only in the archive. */
export async function markGone(db: Tx, fileIds: readonly string[], now: string): Promise<void> {
  if (fileIds.length === 0) return;
  await db
    .updateTable('source_files')
    .set({ state: 'gone', updated_at: now })
    .where('id', 'in', [...fileIds])
    .execute();
}

/** Loads the runs of a generation in file order. */
export async function loadSegments(db: Tx, sourceFileId: string, generation: number): Promise<readonly SegmentRow[]> {
  return db
    .selectFrom('segments')
    .select([
      'start_offset as startOffset',
      'size_bytes as sizeBytes',
      'blob_sha256 as sha256',
      'blob_offset as blobOffset',
    ])
    .where('source_file_id', '=', sourceFileId)
    .where('generation', '=', generation)
    .orderBy('start_offset')
    .execute();
}

export async function loadGeneration(
  db: Tx,
  sourceFileId: string,
  number: number,
): Promise<{ readonly sizeBytes: number; readonly sha256: string | null } | null> {
  const row = await db
    .selectFrom('generations')
    .select(['size_bytes as sizeBytes', 'sha256'])
    .where('source_file_id', '=', sourceFileId)
    .where('number', '=', number)
    .executeTakeFirst();
  return row ?? null;
}

export interface GenerationRow {
  readonly sourceFileId: string;
  readonly deviceId: string;
  readonly root: string;
  readonly path: string;
  readonly number: number;
  readonly sizeBytes: number;
  readonly sha256: string | null;
}

/** Lists every generation of every file, including replaced ones. */
export async function listGenerations(db: Tx): Promise<readonly GenerationRow[]> {
  return db
    .selectFrom('generations as g')
    .innerJoin('source_files as f', 'f.id', 'g.source_file_id')
    .select(['g.source_file_id as sourceFileId', 'f.device_id as deviceId', 'f.root', 'f.path'])
    .select(['g.number', 'g.size_bytes as sizeBytes', 'g.sha256'])
    .orderBy('f.path')
    .orderBy('g.number')
    .execute();
}

export async function listBlobAddresses(db: Tx): Promise<readonly string[]> {
  const rows = await db.selectFrom('blobs').select('sha256').orderBy('sha256').execute();
  return rows.map(({ sha256 }) => sha256);
}
