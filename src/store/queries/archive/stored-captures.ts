import type { Tx } from '../../engine.ts';
import type { Capture, FileState } from './archive.ts';

export interface StoredCapture {
  readonly capture: Capture;
  readonly at: string;
}

/** Lists everything that is archived, one capture per generation of each file: the content the journal must have. */
export async function listStoredCaptures(db: Tx): Promise<readonly StoredCapture[]> {
  const segments = await db
    .selectFrom('segments as s')
    .innerJoin('blobs as b', 'b.sha256', 's.blob_sha256')
    .select(['s.source_file_id', 's.generation', 's.start_offset as startOffset', 's.size_bytes as sizeBytes'])
    .select(['s.blob_sha256 as sha256', 's.blob_offset as blobOffset'])
    .select(['b.size_bytes as blobBytes', 'b.stored_bytes as storedBytes'])
    .orderBy('s.source_file_id')
    .orderBy('s.generation')
    .orderBy('s.start_offset')
    .execute();
  const byGeneration = Map.groupBy(segments, (row) => `${row.source_file_id} ${row.generation}`);
  const generations = await selectGenerations(db).execute();
  return generations.map(({ at, state, ...file }) => {
    const own = byGeneration.get(`${file.id} ${file.generation}`) ?? [];
    const blobs = new Map(own.map((row) => [row.sha256, { sizeBytes: row.blobBytes, storedBytes: row.storedBytes }]));
    const capture: Capture = {
      ...file,
      state: state as FileState,
      segments: own.map(({ startOffset, sizeBytes, sha256, blobOffset }) => {
        return { startOffset, sizeBytes, sha256, blobOffset };
      }),
      blobs: [...blobs].map(([sha256, sizes]) => ({ sha256, ...sizes })),
    };
    return { capture, at };
  });
}

function selectGenerations(db: Tx) {
  return db
    .selectFrom('generations as g')
    .innerJoin('source_files as f', 'f.id', 'g.source_file_id')
    .select(['f.id', 'f.device_id as deviceId', 'f.root', 'f.path', 'f.kind', 'f.state', 'f.session_id as sessionId'])
    .select(['f.agent_id as agentId', 'f.seen_mtime_ms as mtimeMs', 'f.seen_inode as inode'])
    .select(['g.number as generation', 'g.size_bytes as sizeBytes', 'g.head_sha256 as headSha256'])
    .select(['g.tail_sha256 as tailSha256', 'g.sha256', 'g.updated_at as at'])
    .orderBy('g.updated_at')
    .orderBy('f.id')
    .orderBy('g.number');
}

/** Deletes a capture that failed verification. */
export async function forgetCapture(tx: Tx, { id, generation }: Pick<Capture, 'id' | 'generation'>): Promise<void> {
  await tx.deleteFrom('segments').where('source_file_id', '=', id).where('generation', '=', generation).execute();
  await tx.deleteFrom('shipments').where('source_file_id', '=', id).where('generation', '=', generation).execute();
  await tx.deleteFrom('generations').where('source_file_id', '=', id).where('number', '=', generation).execute();
  const newest = await tx
    .selectFrom('generations')
    .select('number')
    .where('source_file_id', '=', id)
    .orderBy('number', 'desc')
    .executeTakeFirst();
  if (newest === undefined) await tx.deleteFrom('source_files').where('id', '=', id).execute();
  else await tx.updateTable('source_files').set({ generation: newest.number }).where('id', '=', id).execute();
}

/** Returns true when this database has replayed everything in the journal of that name. */
export async function isJournalKnown(db: Tx, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('known_journals')
    .select('name')
    .where('name', 'in', [name, ALL_JOURNALS])
    .executeTakeFirst();
  return row !== undefined;
}

/** The name of the mark that says that the journal contains all hook events of the database. */
export function eventsOfJournal(name: string): string {
  return `${name} (events)`;
}

export async function isJournalMarked(db: Tx, name: string): Promise<boolean> {
  const row = await db.selectFrom('known_journals').select('name').where('name', '=', name).executeTakeFirst();
  return row !== undefined;
}

/** A database from before these marks existed knows whatever it has written itself. */
export const ALL_JOURNALS = '*';

export async function markJournalKnown(db: Tx, name: string, now: string): Promise<void> {
  await db
    .insertInto('known_journals')
    .values({ name, known_at: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ known_at: now }))
    .execute();
}

export async function hasCaptures(db: Tx): Promise<boolean> {
  return (await db.selectFrom('generations').select('number').limit(1).executeTakeFirst()) !== undefined;
}
