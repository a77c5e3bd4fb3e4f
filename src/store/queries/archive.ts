import type { Engine, Tx } from '../engine.ts';
import { cleanText } from '../text.ts';

/** What is known of one file of a device: its checkpoint decides whether bytes must be read at all. */
export interface SourceFile {
  readonly id: string;
  readonly path: string;
  readonly kind: string;
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
}

/** Every known file under a root, by relative path. */
export async function loadSourceFiles(
  db: Tx,
  deviceId: string,
  root: string,
): Promise<ReadonlyMap<string, SourceFile>> {
  const rows = await selectSourceFiles(db)
    .where('f.device_id', '=', deviceId)
    .where('f.root', '=', cleanText(root))
    .execute();
  return new Map(rows.map((row) => [row.path, row]));
}

/** A session's files: main transcript first, then its sub-agents, each in order of path. */
export async function loadSessionFiles(db: Tx, sessionId: string): Promise<readonly SourceFile[]> {
  return selectSourceFiles(db).where('f.session_id', '=', sessionId).orderBy('f.path').execute();
}

function selectSourceFiles(db: Tx) {
  return db
    .selectFrom('source_files as f')
    .innerJoin('generations as g', (join) =>
      join.onRef('g.source_file_id', '=', 'f.id').onRef('g.number', '=', 'f.generation'),
    )
    .select([
      'f.id',
      'f.path',
      'f.kind',
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
    ]);
}

export interface CapturedSegment {
  readonly startOffset: number;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly storedBytes: number;
}

/** New bytes of a file, already safe in the blob store. */
export interface Capture {
  readonly id: string;
  readonly deviceId: string;
  readonly root: string;
  readonly path: string;
  readonly kind: string;
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly generation: number;
  readonly isNewGeneration: boolean;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly inode: string;
  readonly headSha256: string;
  readonly tailSha256: string;
  readonly sha256: string | null;
  readonly segments: readonly CapturedSegment[];
}

/** Notes captured bytes: blobs, file, generation, segments. Its session must have its row already. */
export async function saveCapture(engine: Engine, tx: Tx, capture: Capture, now: string): Promise<void> {
  for (const segment of capture.segments) await saveBlob(tx, segment, now);
  await saveSourceFile(tx, capture, now);
  await saveGeneration(tx, capture, now);
  await engine.insertMany(
    tx,
    'segments',
    ['source_file_id', 'generation', 'start_offset', 'size_bytes', 'blob_sha256', 'created_at'],
    capture.segments.map((s) => [capture.id, capture.generation, s.startOffset, s.sizeBytes, s.sha256, now]),
  );
}

async function saveBlob(tx: Tx, segment: CapturedSegment, now: string): Promise<void> {
  await tx
    .insertInto('blobs')
    .values({
      sha256: segment.sha256,
      size_bytes: segment.sizeBytes,
      stored_bytes: segment.storedBytes,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .execute();
}

async function saveSourceFile(tx: Tx, capture: Capture, now: string): Promise<void> {
  const seen = {
    session_id: capture.sessionId,
    agent_id: capture.agentId,
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
    .onConflict((conflict) => conflict.column('id').doUpdateSet(seen))
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

/** A file that was touched but holds the bytes we have: remember its new look, so that nobody reads it again. */
export async function noteUnchanged(
  db: Tx,
  id: string,
  seen: { readonly mtimeMs: number; readonly inode: string },
): Promise<void> {
  await db
    .updateTable('source_files')
    .set({ seen_mtime_ms: seen.mtimeMs, seen_inode: seen.inode })
    .where('id', '=', id)
    .execute();
}

/** The blobs whose contents, one after another, are a generation of a file. */
export async function loadSegments(db: Tx, sourceFileId: string, generation: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('segments')
    .select('blob_sha256')
    .where('source_file_id', '=', sourceFileId)
    .where('generation', '=', generation)
    .orderBy('start_offset')
    .execute();
  return rows.map(({ blob_sha256 }) => blob_sha256);
}
