import { sql } from 'kysely';
import type { Engine, SqlValue, TableName, Tx } from '../../engine.ts';
import { fewLengths, inParts, readInParts, replacing } from '../../sql.ts';
import { cleanText } from '../../text.ts';

/**
 * `archived`: its bytes are stored. `captured`: and the whole file was compared by SHA-256. `gone`: the file was
 * deleted and exists only in the archive.
 */
export type FileState = 'archived' | 'captured' | 'gone';

/** What is known of a generation of a file. */
export interface FileGeneration {
  readonly root: string;
  readonly path: string;
  readonly kind: string;
  readonly state: FileState;
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly generation: number;
  readonly headSha256: string;
  readonly tailSha256: string;
  readonly sha256: string | null;
}

/** The known state of one file of a device: its checkpoint decides whether bytes must be read at all. */
export interface SourceFile extends FileGeneration {
  readonly id: string;
  readonly seenSize: number;
  readonly seenMtimeMs: number;
  readonly seenInode: string;
  readonly archivedBytes: number;
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

/** How a file of a device looked when it was last seen. */
export interface SeenFile {
  readonly root: string;
  readonly path: string;
  readonly state: Exclude<FileState, 'gone'>;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly inode: string;
}

/** The known files of a device that exist, with only what shows that nothing has changed. */
export async function listSeenFiles(
  db: Tx,
  deviceId: string,
  kinds: readonly string[] | 'all',
): Promise<readonly SeenFile[]> {
  const rows = await db
    .selectFrom('source_files')
    .select(['root', 'path', 'state'])
    .select(['seen_size as sizeBytes', 'seen_mtime_ms as mtimeMs', 'seen_inode as inode'])
    .where('device_id', '=', deviceId)
    .where('state', '<>', 'gone')
    .$if(kinds !== 'all', (query) => query.where('kind', 'in', kinds as readonly string[]))
    .execute();
  return rows as SeenFile[];
}

/** Loads a session's files, ordered by path. */
export async function loadSessionFiles(db: Tx, sessionId: string): Promise<readonly SourceFile[]> {
  return (await loadFilesOfSessions(db, [sessionId])).get(sessionId) ?? [];
}

/** Does the same for several sessions; those without files are missing. */
export async function loadFilesOfSessions(
  db: Tx,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly SourceFile[]>> {
  // E16: files that another device shipped before the session was known do not belong to it.
  const isForeign = sql<boolean>`EXISTS (
    SELECT 1 FROM sessions s JOIN devices d ON d.id = f.device_id
    WHERE s.id = f.session_id AND d.type = 'remote' AND s.device_id <> coalesce(d.merged_into, d.id))`;
  const rows = await selectSourceFiles(db)
    .where('f.session_id', 'in', fewLengths(sessionIds))
    .where(sql<boolean>`NOT ${isForeign}`)
    .orderBy('f.path')
    .execute();
  return Map.groupBy(rows as SourceFile[], ({ sessionId }) => sessionId ?? '');
}

export async function loadSourceFile(db: Tx, id: string): Promise<SourceFile | null> {
  const row = await selectSourceFiles(db).where('f.id', '=', id).executeTakeFirst();
  return row === undefined ? null : (row as SourceFile);
}

/**
 * Loads the files with this name in the folders of other files, on the same device and in the same Claude home, by the
 * id of the other file.
 */
export async function loadFilesBeside(
  db: Tx,
  files: readonly SourceFile[],
  name: string,
): Promise<ReadonlyMap<string, SourceFile>> {
  if (files.length === 0) return new Map();
  const wanted = new Map(files.map(({ id, path }) => [id, cleanText(path.replace(/[^/]*$/, name))]));
  const rows = await selectSourceFiles(db)
    .innerJoin('source_files as o', (join) =>
      join.onRef('o.device_id', '=', 'f.device_id').onRef('o.root', '=', 'f.root'),
    )
    .select('o.id as besideId')
    .where('o.id', 'in', [...wanted.keys()])
    .where('f.path', 'in', [...new Set(wanted.values())])
    .execute();
  return new Map(
    rows.flatMap(({ besideId, ...file }) =>
      wanted.get(besideId) === file.path ? [[besideId, file as SourceFile] as const] : [],
    ),
  );
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
export interface Capture extends FileGeneration {
  readonly id: string;
  readonly deviceId: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly inode: string;
  readonly segments: readonly SegmentRow[];
  readonly blobs: readonly CapturedBlob[];
}

/** A capture and when it was made. */
export interface TimedCapture {
  readonly capture: Capture;
  readonly at: string;
}

/** Saves captured bytes: blobs, files, generations, segments. Idempotent. Each file occurs once. */
export async function saveCaptures(engine: Engine, tx: Tx, captures: readonly TimedCapture[]): Promise<void> {
  for (const { table, columns, onConflict, toRows } of CAPTURE_TABLES) {
    await engine.insertMany(tx, table, columns, captures.flatMap(toRows), onConflict);
  }
}

interface CaptureTable {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly onConflict: string;
  readonly toRows: (made: TimedCapture) => readonly (readonly SqlValue[])[];
}

const SEEN = [
  'session_id',
  'agent_id',
  'state',
  'generation',
  'seen_size',
  'seen_mtime_ms',
  'seen_inode',
  'updated_at',
];
const CHECKPOINT = ['size_bytes', 'head_sha256', 'tail_sha256', 'sha256', 'updated_at'];

/** In the order in which they refer to each other. */
const CAPTURE_TABLES: readonly CaptureTable[] = [
  {
    table: 'blobs',
    columns: ['sha256', 'size_bytes', 'stored_bytes', 'created_at'],
    onConflict: 'ON CONFLICT (sha256) DO NOTHING',
    toRows: ({ capture, at }) =>
      capture.blobs.map(({ sha256, sizeBytes, storedBytes }) => [sha256, sizeBytes, storedBytes, at]),
  },
  {
    table: 'source_files',
    columns: ['id', 'device_id', 'root', 'path', 'kind', 'first_seen_at', ...SEEN],
    // An older generation may arrive late: it is inserted, and the file keeps its current generation.
    onConflict: `ON CONFLICT (id) DO UPDATE SET ${replacing(SEEN)} WHERE source_files.generation <= excluded.generation`,
    toRows: ({ capture, at }) => [
      [
        capture.id,
        capture.deviceId,
        cleanText(capture.root),
        cleanText(capture.path),
        capture.kind,
        at,
        ...seen(capture, at),
      ],
    ],
  },
  {
    table: 'generations',
    columns: ['source_file_id', 'number', 'created_at', ...CHECKPOINT],
    onConflict: `ON CONFLICT (source_file_id, number) DO UPDATE SET ${replacing(CHECKPOINT)}`,
    toRows: ({ capture: { id, generation, sizeBytes, headSha256, tailSha256, sha256 }, at }) => [
      [id, generation, at, sizeBytes, headSha256, tailSha256, sha256, at],
    ],
  },
  {
    table: 'segments',
    columns: ['source_file_id', 'generation', 'start_offset', 'size_bytes', 'blob_sha256', 'blob_offset', 'created_at'],
    onConflict: 'ON CONFLICT (source_file_id, generation, start_offset) DO NOTHING',
    toRows: ({ capture: { id, generation, segments }, at }) =>
      segments.map((run) => [id, generation, run.startOffset, run.sizeBytes, run.sha256, run.blobOffset, at]),
  },
];

function seen(capture: Capture, at: string): readonly SqlValue[] {
  const { sessionId, agentId, state, generation, sizeBytes, mtimeMs, inode } = capture;
  return [sessionId, agentId, state, generation, sizeBytes, mtimeMs, inode, at];
}

interface FileStat {
  readonly state: FileState;
  readonly mtimeMs: number;
  readonly inode: string;
  readonly sha256: string | null;
}

/** The bytes are unchanged: saves the new time, inode and hash, so that the file is not read again. */
export async function saveFileStat(db: Tx, file: SourceFile, stat: FileStat): Promise<void> {
  await db
    .updateTable('source_files')
    .set({ state: stat.state, seen_mtime_ms: stat.mtimeMs, seen_inode: stat.inode })
    .where('id', '=', file.id)
    .execute();
  await db
    .updateTable('generations')
    .set({ sha256: stat.sha256 })
    .where('source_file_id', '=', file.id)
    .where('number', '=', file.generation)
    .execute();
}

/** Marks files as deleted by their owner; from now on they exist only in the archive. */
export async function markGone(db: Tx, fileIds: readonly string[], now: string): Promise<void> {
  for (const some of inParts(fileIds)) {
    await db.updateTable('source_files').set({ state: 'gone', updated_at: now }).where('id', 'in', some).execute();
  }
}

/** Loads the runs of a generation in file order. */
export async function loadSegments(db: Tx, sourceFileId: string, generation: number): Promise<readonly SegmentRow[]> {
  return selectSegments(db).where('source_file_id', '=', sourceFileId).where('generation', '=', generation).execute();
}

/** Loads the runs of all generations of files, in file order. */
export function loadSegmentsOfFiles(
  db: Tx,
  sourceFileIds: readonly string[],
): Promise<readonly (SegmentRow & { readonly id: string; readonly generation: number })[]> {
  return readInParts(sourceFileIds, (some) =>
    selectSegments(db)
      .select(['source_file_id as id', 'generation'])
      .where('source_file_id', 'in', fewLengths(some))
      .execute(),
  );
}

function selectSegments(db: Tx) {
  return db
    .selectFrom('segments')
    .select(['start_offset as startOffset', 'size_bytes as sizeBytes'])
    .select(['blob_sha256 as sha256', 'blob_offset as blobOffset'])
    .orderBy('start_offset');
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
