import type { Annotation } from '../../../domain/annotation.ts';
import type { DeviceFacts } from '../../../domain/device.ts';
import type { DeviceNote, WorkspaceNote } from '../../../domain/workspace-note.ts';
import type { Engine, Tx } from '../../engine.ts';
import { type Capture, type FileState, saveCaptures, type TimedCapture } from './archive.ts';

/** Lists everything that is archived, one capture per generation of each file: the content the journal must have. */
export async function listStoredCaptures(db: Tx): Promise<readonly TimedCapture[]> {
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

/** Replaces the bytes of a stored generation by others of the same length. */
export async function replaceSegments(engine: Engine, tx: Tx, capture: Capture, now: string): Promise<void> {
  const { id, generation } = capture;
  await tx.deleteFrom('segments').where('source_file_id', '=', id).where('generation', '=', generation).execute();
  await saveCaptures(engine, tx, [{ capture, at: now }]);
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
const ALL_JOURNALS = '*';

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

/** Lists the current annotations of sessions. */
export async function listStoredAnnotations(db: Tx): Promise<readonly Annotation[]> {
  const tags = await db.selectFrom('session_tags').selectAll().orderBy('tag').execute();
  const tagged = [...Map.groupBy(tags, ({ session_id }) => session_id)].map(([sessionId, rows]): Annotation => {
    const at = rows.map(({ created_at }) => created_at).reduce((a, b) => (a > b ? a : b));
    return { at, sessionId, what: 'tagged', tags: rows.map(({ tag }) => tag) };
  });
  const notes = (await db.selectFrom('session_notes').selectAll().orderBy('created_at').execute()).map(
    ({ id, session_id, text, created_at, updated_at }): Annotation => {
      return { at: updated_at, sessionId: session_id, what: 'note_written', id, text, createdAt: created_at };
    },
  );
  const pins = (await db.selectFrom('session_pins').selectAll().execute()).map(
    ({ session_id, pinned_at }): Annotation => ({
      at: pinned_at,
      sessionId: session_id,
      what: 'pinned',
      isPinned: true,
    }),
  );
  return [...tagged, ...notes, ...pins, ...(await listHumanTexts(db))];
}

async function listHumanTexts(db: Tx): Promise<readonly Annotation[]> {
  const rows = await db
    .selectFrom('session_summaries')
    .select(['session_id', 'title', 'text', 'made_at'])
    .where('kind', '=', 'human')
    .execute();
  return rows.flatMap(({ session_id: sessionId, title, text, made_at }): Annotation[] => {
    const at = made_at ?? '';
    return [
      ...(text === null ? [] : [{ at, sessionId, what: 'summarised' as const, text }]),
      ...(title === null ? [] : [{ at, sessionId, what: 'titled' as const, title }]),
    ];
  });
}

/** Lists the current decisions about workspaces: where sessions belong, and which workspaces are merged. */
export async function listStoredWorkspaceNotes(db: Tx): Promise<readonly WorkspaceNote[]> {
  const merged = await db
    .selectFrom('workspaces as w')
    .innerJoin('workspaces as i', 'i.id', 'w.merged_into')
    .select(['w.canonical_id', 'w.updated_at', 'i.canonical_id as into_id', 'i.display_name as into_name'])
    .execute();
  const decided = await db
    .selectFrom('session_workspaces as d')
    .innerJoin('workspaces as w', 'w.id', 'd.workspace_id')
    .leftJoin('sessions as s', 's.id', 'd.session_id')
    .select(['d.session_id', 'd.is_chosen', 'd.decided_at', 'w.canonical_id', 'w.display_name', 's.device_id'])
    .execute();
  const named = await db.selectFrom('workspaces').select(['canonical_id', 'display_name', 'updated_at']).execute();
  return [
    ...named.map(({ canonical_id, display_name, updated_at }): WorkspaceNote => {
      return { at: updated_at, what: 'workspace_renamed', canonicalId: canonical_id, displayName: display_name };
    }),
    ...decided.flatMap((row): readonly WorkspaceNote[] => {
      const workspace = { canonicalId: row.canonical_id, displayName: row.display_name };
      const note = { at: row.decided_at, sessionId: row.session_id, workspace };
      if (row.is_chosen) return [{ ...note, what: 'session_moved' }];
      if (row.device_id === null) return [];
      return [{ ...note, what: 'session_seen', deviceId: row.device_id, folder: null }];
    }),
    ...merged.map((row): WorkspaceNote => {
      const into = { canonicalId: row.into_id, displayName: row.into_name };
      return { at: row.updated_at, what: 'workspace_merged', from: row.canonical_id, into };
    }),
  ];
}

export async function listStoredDevices(db: Tx): Promise<readonly DeviceFacts[]> {
  const rows = await db.selectFrom('devices').selectAll().orderBy('first_seen_at').execute();
  return rows.map(({ id, name, hostname, os, arch, type, last_seen_at }) => ({
    at: last_seen_at,
    type: type === 'remote' ? 'remote' : 'local',
    device: { id, name, hostname: hostname ?? '', os: os ?? '', arch: arch ?? '' },
  }));
}

/** Lists the names that users gave to devices, and the devices they merged. */
export async function listStoredDeviceNotes(db: Tx): Promise<readonly DeviceNote[]> {
  const rows = await db.selectFrom('devices').select(['id', 'custom_name', 'merged_into', 'last_seen_at']).execute();
  return rows.flatMap(({ id, custom_name, merged_into, last_seen_at: at }): readonly DeviceNote[] => [
    ...(custom_name === null ? [] : [{ at, what: 'device_renamed', deviceId: id, name: custom_name } as const]),
    ...(merged_into === null ? [] : [{ at, what: 'device_merged', from: id, into: merged_into } as const]),
  ]);
}
