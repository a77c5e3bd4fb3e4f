import { annotationFromJournal } from '../domain/annotation.ts';
import { toJournal } from '../domain/journal-note.ts';
import { maskFromJournal } from '../domain/masking.ts';
import type { ArchiveJournal, BlobStore, Clock, EraseDecision } from '../domain/ports.ts';
import type { JsonObject, JsonValue } from '../domain/transcript.ts';
import { workspaceNoteFromJournal } from '../domain/workspace-note.ts';
import type { Engine } from '../store/engine.ts';
import type { Capture } from '../store/queries/archive/archive.ts';
import { listStoredCaptures, replaceSegments } from '../store/queries/archive/stored-records.ts';
import { saveDeletion } from '../store/queries/deletions/deletions.ts';
import {
  findUsedBlobs,
  forgetBlob,
  listFilesBeside,
  listForks,
  listUnusedBlobs,
  removeFiles,
  removeSessionRows,
} from '../store/queries/deletions/remove-session.ts';
import { unmarkIndexed } from '../store/queries/search/search-index.ts';
import { archiveBytes, digestsOf, readGeneration } from './archive-bytes.ts';
import { blankSessions, isSharedKind } from './blank-sessions.ts';
import { isBlobLost } from './blobs/content-address.ts';
import { captureRecord, readCaptureRecord } from './captures.ts';

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
    await journal.append(toJournal({ what: 'session_deleted', ...deletion }));
    await journal.flush();
  });
}

interface PurgeDeps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly journal: ArchiveJournal;
  readonly clock: Clock;
}

/** The sessions to remove, and the files beside their transcripts that are removed with them. */
interface Purged {
  readonly sessions: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
}

/**
 * Removes everything that the archive has of these sessions. The data to remove is derived from database, journal and blobs,
 * so an interrupted run is completed by the next one: records are removed last, since they name the blobs.
 */
export async function purgeArchive(deps: PurgeDeps, purged: Purged): Promise<void> {
  const { engine, journal } = deps;
  await blankSharedFiles(deps, purged);
  await engine.transaction((tx) => removeFiles(tx, [...purged.sessions], [...purged.files]));
  const { named, kept } = await readBlobNames(deps, purged);
  const unused = new Set([...named, ...(await listUnusedBlobs(engine.kysely))]);
  await removeBlobs(
    deps,
    [...unused].filter((sha256) => !kept.has(sha256)),
  );
  await removeUnrecorded(deps, purged, kept);
  const decide = await eraser(deps, purged);
  await journal.erase(decide);
  await journal.flush();
}

/** Blanks the entries of these sessions in the archived copies of files with entries of several sessions. */
async function blankSharedFiles({ engine, blobs, journal, clock }: PurgeDeps, { sessions }: Purged): Promise<void> {
  const shared = (await listStoredCaptures(engine.kysely)).filter(({ capture }) => isSharedKind(capture.kind));
  for (const { capture } of shared) {
    const bytes = Buffer.concat(await Array.fromAsync(readGeneration({ engine, blobs }, capture)));
    const left = blankSessions(capture.kind, sessions)(bytes);
    if (bytes.equals(left)) continue;
    const digests = digestsOf(left);
    const blanked: Capture = {
      ...capture,
      ...digests,
      sha256: capture.sha256 === null ? null : digests.sha256,
      ...(await archiveBytes(blobs, { startOffset: 0, bytes: left })),
    };
    const now = clock.now().toISOString();
    await journal.append(captureRecord(blanked, now));
    // The blobs that only the former record names are removed next.
    await journal.flush();
    await engine.transaction((tx) => replaceSegments(engine, tx, blanked, now));
  }
}

/** Blobs that records of these sessions name, and blobs that other records need. */
async function readBlobNames({ engine, journal }: PurgeDeps, purged: Purged) {
  const named = new Set<string>();
  const kept = new Set<string>();
  const isOutdated = await outdatedRecords(engine);
  for await (const record of journal.read()) {
    const capture = readCaptureRecord(record)?.capture;
    if (capture === undefined) continue;
    const list = isOfSession(capture, purged) || isOutdated(capture) ? named : kept;
    for (const { sha256 } of capture.segments) list.add(sha256);
  }
  return { named, kept };
}

function isOfSession({ id, sessionId }: Capture, { sessions, files }: Purged): boolean {
  return (sessionId !== null && sessions.has(sessionId)) || files.has(id);
}

/** Records of a shared file whose stored bytes were blanked since. */
async function outdatedRecords({ kysely }: Engine): Promise<(capture: Capture) => boolean> {
  const stored = (await listStoredCaptures(kysely)).filter(({ capture }) => isSharedKind(capture.kind));
  const current = new Map(stored.map(({ capture }) => [`${capture.id} ${capture.generation}`, capture.segments]));
  return ({ id, generation, kind, segments }) => {
    const now = isSharedKind(kind) ? current.get(`${id} ${generation}`) : undefined;
    const isThere = (segment: (typeof segments)[number]) =>
      now?.some(({ startOffset, sha256 }) => startOffset === segment.startOffset && sha256 === segment.sha256);
    return now !== undefined && !segments.every(isThere);
  };
}

async function removeBlobs({ engine, blobs }: PurgeDeps, addresses: readonly string[]): Promise<void> {
  const used = await findUsedBlobs(engine.kysely, addresses);
  for (const sha256 of addresses) {
    if (used.has(sha256)) continue;
    await blobs.delete(sha256);
    await forgetBlob(engine.kysely, sha256);
  }
}

/** A process killed right after storing a blob left no record of it; its text names the session. */
async function removeUnrecorded(deps: PurgeDeps, { sessions }: Purged, kept: ReadonlySet<string>): Promise<void> {
  const listed = (await Array.fromAsync(deps.blobs.list())).filter((sha256) => !kept.has(sha256));
  const used = await findUsedBlobs(deps.engine.kysely, listed);
  const names = [...sessions].map((id) => Buffer.from(id));
  for (const sha256 of listed) {
    if (used.has(sha256)) continue;
    const bytes = await readUnused(deps.blobs, sha256);
    if (bytes === null || names.some((name) => bytes.includes(name))) await removeBlobs(deps, [sha256]);
  }
}

/** Null for a blob that is damaged, and so of no use, or already gone. */
async function readUnused(blobs: BlobStore, sha256: string): Promise<Buffer | null> {
  try {
    return Buffer.from(await blobs.get(sha256));
  } catch (error) {
    if (isBlobLost(error)) return null;
    throw error;
  }
}

/** Selects the lines of the journal to remove. Lines about several sessions are shortened. */
async function eraser({ engine }: PurgeDeps, purged: Purged): Promise<EraseDecision> {
  const { sessions } = purged;
  const isOutdated = await outdatedRecords(engine);
  const isSelected = (id: unknown) => typeof id === 'string' && sessions.has(id);
  return ({ record, text }) => {
    if (record === null) return [...sessions].some((id) => text.includes(id)) ? 'erase' : 'keep';
    const capture = readCaptureRecord(record)?.capture;
    if (capture !== undefined) return isOfSession(capture, purged) || isOutdated(capture) ? 'erase' : 'keep';
    const note = annotationFromJournal(record) ?? maskFromJournal(record) ?? workspaceNoteFromJournal(record);
    if (note !== null) return 'sessionId' in note && isSelected(note.sessionId) ? 'erase' : 'keep';
    return shorten(record, isSelected);
  };
}

/** The lists of a record with entries of several sessions, and the field that names the session. */
const LISTS: readonly (readonly [list: string, field: string])[] = [
  ['events', 'session_id'],
  ['places', 'sessionId'],
  ['items', 'id'],
];

function shorten(record: JsonObject, isSelected: (id: unknown) => boolean): ReturnType<EraseDecision> {
  const shorter: Record<string, JsonValue> = { ...record };
  let isChanged = false;
  for (const [list, field] of LISTS) {
    const items = record[list];
    if (!Array.isArray(items)) continue;
    const left = items.filter((item) => !isSelected((item as JsonObject | null)?.[field]));
    isChanged ||= left.length < items.length;
    shorter[list] = left;
  }
  if (!isChanged) return 'keep';
  return LISTS.some(([list]) => (shorter[list] as readonly JsonValue[] | undefined)?.length) ? shorter : 'erase';
}
