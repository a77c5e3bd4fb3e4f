import { PARSED_KINDS, TRANSCRIPT_KINDS } from '../domain/file-kinds.ts';
import { JOURNAL_FORMAT } from '../domain/journal-note.ts';
import type { ArchiveJournal } from '../domain/ports.ts';
import { BACKFILL } from '../domain/session.ts';
import type { JsonObject } from '../domain/transcript.ts';
import { sha256Hex } from '../lib/sha256.ts';
import type { Engine, Tx } from '../store/engine.ts';
import {
  type Capture,
  type CapturedBlob,
  type FileState,
  type SegmentRow,
  saveCaptures,
} from '../store/queries/archive/archive.ts';
import { findDeleted, removeReopened } from '../store/queries/deletions/deletions.ts';
import {
  markBytesCaptured,
  markMoreToParse,
  type NewBytes,
  type SessionSeed,
} from '../store/queries/sessions/session-state.ts';

/** A file's identity on its device; the row id is derived from it. */
interface FileKey {
  readonly deviceId: string;
  readonly root: string;
  readonly path: string;
}

export function sourceFileId({ deviceId, root, path }: FileKey): string {
  const name = JSON.stringify([deviceId, root, path]);
  return `file_${sha256Hex(name).slice(0, 24)}`;
}

/** How new bytes relate to a session: they create it, they are parsed with it, or (null) they are only stored. */
type SessionPart = { readonly makes: SessionSeed } | { readonly isParsedWith: string } | null;

type Owner = Pick<SessionSeed, 'workspaceId' | 'deviceId'>;

/** Only transcripts create a session; other files wait until it exists. */
export function partOf(
  { sessionId, kind, mtimeMs }: Pick<Capture, 'sessionId' | 'kind' | 'mtimeMs'>,
  owner: Owner,
): SessionPart {
  if (sessionId === null || !PARSED_KINDS.has(kind)) return null;
  return TRANSCRIPT_KINDS.has(kind)
    ? { makes: sessionSeed({ sessionId, mtimeMs }, owner) }
    : { isParsedWith: sessionId };
}

/** What is known of a session before it is parsed. */
export function sessionSeed(
  { sessionId, mtimeMs }: { readonly sessionId: string; readonly mtimeMs: number },
  owner: Owner,
): SessionSeed {
  return { id: sessionId, ...owner, startedAt: new Date(mtimeMs).toISOString(), source: BACKFILL };
}

/** New bytes of a file that are in the blob store. */
interface NewCapture {
  readonly capture: Capture;
  readonly part: SessionPart;
}

/**
 * Records the archived bytes of files in the journal, then stores them and re-opens their sessions in one transaction.
 * Bytes of a session that was deleted meanwhile are dropped; its purge removes their blobs and their records.
 */
export async function acceptCaptures(
  engine: Engine,
  journal: ArchiveJournal,
  captures: readonly NewCapture[],
  now: string,
): Promise<void> {
  // Journal first: the database must never hold more than can be rebuilt from the journal.
  await journal.append(...captures.map(({ capture }) => captureRecord(capture, now)));
  // A batch can afford to wait for the disk. Single files are flushed at the end of the import.
  if (captures.length > 1) await journal.flush();
  await engine.transaction(async (tx) => {
    const opened = await dropDeleted(tx, captures);
    await openSessions(tx, opened, now);
    // Opening a session waits for transactions that change it, so a concurrent deletion has been committed by now.
    const kept = await dropDeleted(tx, opened);
    if (kept.length < opened.length) await removeReopened(tx);
    if (kept.length === 0) return;
    await saveCaptures(
      engine,
      tx,
      kept.map(({ capture }) => ({ capture, at: now })),
    );
  });
}

async function dropDeleted(tx: Tx, captures: readonly NewCapture[]): Promise<readonly NewCapture[]> {
  const deleted = await findDeleted(
    tx,
    captures.flatMap(({ capture: { sessionId } }) => sessionId ?? []),
  );
  return captures.filter(({ capture: { sessionId } }) => sessionId === null || !deleted.has(sessionId));
}

/** The first transcript of a session creates it; every file that is parsed with it counts. */
async function openSessions(tx: Tx, captures: readonly NewCapture[], now: string): Promise<void> {
  const opened = new Map<string, { readonly seed: SessionSeed; readonly bytes: NewBytes }>();
  for (const { part, capture } of captures) {
    if (part === null) continue;
    const id = 'makes' in part ? part.makes.id : part.isParsedWith;
    const before = opened.get(id);
    const seed = before?.seed ?? ('makes' in part ? part.makes : null);
    const bytes = {
      files: (before?.bytes.files ?? 0) + 1,
      lastWriteMs: Math.max(before?.bytes.lastWriteMs ?? 0, capture.mtimeMs),
    };
    if (seed === null) await markMoreToParse(tx, id, bytes, now);
    else opened.set(id, { seed, bytes });
  }
  for (const { seed, bytes } of opened.values()) await markBytesCaptured(tx, seed, bytes, now);
}

/** Converts a capture to a journal record. */
export function captureRecord(capture: Capture, at: string): JsonObject {
  const { segments, blobs, ...file } = capture;
  return {
    format: JOURNAL_FORMAT,
    at,
    ...file,
    segments: segments.map(({ startOffset, sizeBytes, sha256, blobOffset }) => [
      startOffset,
      sizeBytes,
      sha256,
      blobOffset,
    ]),
    blobs: blobs.map(({ sha256, sizeBytes, storedBytes }) => [sha256, sizeBytes, storedBytes]),
  };
}

/** Reads the capture in a journal record; null for a newer format or another kind of record. */
export function readCaptureRecord(record: JsonObject): { readonly capture: Capture; readonly at: string } | null {
  if (record.format !== JOURNAL_FORMAT || typeof record.id !== 'string' || typeof record.at !== 'string') return null;
  const { format: _format, at, segments, blobs, ...file } = record;
  // Annotation records have an id too.
  if (!Array.isArray(segments) || !Array.isArray(blobs)) return null;
  const rows = segments as readonly (readonly [number, number, string, number])[];
  const stored = blobs as readonly (readonly [string, number, number])[];
  return {
    at,
    capture: {
      ...(file as unknown as Omit<Capture, 'segments' | 'blobs' | 'state'>),
      state: file.state as FileState,
      segments: rows.map(([startOffset, sizeBytes, sha256, blobOffset]): SegmentRow => {
        return { startOffset, sizeBytes, sha256, blobOffset };
      }),
      blobs: stored.map(([sha256, sizeBytes, storedBytes]): CapturedBlob => ({ sha256, sizeBytes, storedBytes })),
    },
  };
}
