import { createHash } from 'node:crypto';
import type { Upload, UploadWorkspace } from '../api/ingest.ts';
import { archiveBytes, digestsOf, readGeneration, readRange } from '../archive/archive-bytes.ts';
import { type BlankOut, blankSessions, isSharedKind } from '../archive/blank-sessions.ts';
import { acceptCaptures, captureRecord, partOf, sourceFileId } from '../archive/captures.ts';
import { FuelError } from '../domain/errors.ts';
import { toJournal } from '../domain/journal-note.ts';
import { UNASSOCIATED } from '../domain/workspace.ts';
import type { WorkspaceNote } from '../domain/workspace-note.ts';
import { sha256Hex } from '../lib/sha256.ts';
import type { Engine } from '../store/engine.ts';
import { type Capture, loadGeneration, loadSourceFile, type SourceFile } from '../store/queries/archive/archive.ts';
import { replaceSegments } from '../store/queries/archive/stored-records.ts';
import { uploadLease, withLease } from '../store/queries/claims/leases.ts';
import { loadPurged, unsettlePurged } from '../store/queries/deletions/deletions.ts';
import { ownerDevice } from '../store/queries/devices/devices.ts';
import { applyWorkspaceNote } from '../store/queries/workspaces/workspace-decisions.ts';
import { loadDecision, saveWorkspace } from '../store/queries/workspaces/workspaces.ts';
import { ensureCanAddTo, recordDevice } from './device.ts';
import type { IntakeDeps } from './intake.ts';

/** The outcome of a chunk. */
export type ChunkResult =
  | { readonly kind: 'uploaded' | 'already_uploaded'; readonly sizeBytes: number }
  /** The chunk starts after our last byte: send from `sizeBytes`. */
  | { readonly kind: 'gap'; readonly sizeBytes: number }
  /** We have different bytes there and keep them: send the whole file as this generation. */
  | { readonly kind: 'other_bytes'; readonly generation: number };

/**
 * Accepts a chunk of a device's file: appends it to our bytes of that generation, reports it as known, or rejects it
 * without storing anything. One request per file at a time. Errors: usage, digest_mismatch, busy, conflict.
 */
export async function acceptChunk(deps: IntakeDeps, upload: Upload, bytes: Uint8Array): Promise<ChunkResult> {
  ensureIntact(upload, bytes);
  const { device, file } = upload;
  if (file.session_id !== null) await ensureCanAddTo(deps, device.id, file.session_id);
  const id = sourceFileId({ deviceId: device.id, root: file.root, path: file.path });
  return withUploadLease(deps.engine, id, async () => {
    const type = device.id === deps.device.id ? 'local' : 'remote';
    await recordDevice(deps, device, deps.clock.now().toISOString(), type);
    const known = await loadSourceFile(deps.engine.kysely, id);
    const stored = await storedGeneration(deps, id, upload.generation.number);
    const newest = known?.generation ?? 0;
    const otherBytes: ChunkResult = { kind: 'other_bytes', generation: newest + 1 };
    // The current generation on the device must be the newest here; a replaced one may be inserted among the older
    // ones.
    if (upload.generation.is_current && upload.generation.number < newest) return otherBytes;
    if (upload.chunk.offset > stored.sizeBytes) return { kind: 'gap', sizeBytes: stored.sizeBytes };
    const blank = await blankFor(deps, file.kind);
    if (blank !== null) {
      const blanked = await addBlanked(deps, blank, stored, upload, bytes);
      if (blanked === null || blanked.bytes.length > upload.generation.size_bytes) return otherBytes;
      const fresh = blanked.bytes.subarray(stored.sizeBytes);
      return storeChunk(deps, { id, known, stored, upload, fresh, blanked });
    }
    const fresh = await findNewBytes(deps, stored, upload, bytes);
    if (fresh === null || !(await matchesDeclaration(deps, stored, upload, fresh))) return otherBytes;
    return storeChunk(deps, { id, known, stored, upload, fresh });
  });
}

/** E4, E9: stores nothing of a chunk that does not match its declaration. */
function ensureIntact({ chunk, generation }: Upload, bytes: Uint8Array): void {
  if (bytes.length === chunk.size_bytes && sha256Hex(bytes) === chunk.sha256) {
    if (chunk.offset + chunk.size_bytes <= generation.size_bytes) return;
    throw new FuelError('usage', 'The chunk extends past the end of its generation.');
  }
  throw new FuelError('digest_mismatch', 'The received bytes do not match the declared size or SHA-256.', {
    hint: 'Nothing was stored; send the chunk again.',
  });
}

/** Our bytes of a generation; empty for an unknown one. */
interface Stored {
  readonly id: string;
  readonly generation: number;
  readonly sizeBytes: number;
  readonly sha256: string | null;
}

async function storedGeneration({ engine }: IntakeDeps, id: string, generation: number): Promise<Stored> {
  const row = await loadGeneration(engine.kysely, id, generation);
  return { id, generation, sizeBytes: row?.sizeBytes ?? 0, sha256: row?.sha256 ?? null };
}

/** E3, E6: the part of the chunk that is new. Null when it differs from our bytes. */
async function findNewBytes(
  deps: IntakeDeps,
  stored: Stored,
  { chunk: { offset } }: Upload,
  bytes: Uint8Array,
): Promise<Uint8Array | null> {
  const end = Math.min(stored.sizeBytes, offset + bytes.length);
  let at = 0;
  for await (const part of readRange(deps, stored, { from: offset, to: end })) {
    if (!Buffer.from(part.buffer, part.byteOffset, part.length).equals(bytes.subarray(at, at + part.length)))
      return null;
    at += part.length;
  }
  return bytes.subarray(at);
}

/** E7: compares the whole generation once it is complete, since chunk hashes prove nothing about the rest. */
async function matchesDeclaration(
  deps: IntakeDeps,
  stored: Stored,
  upload: Upload,
  fresh: Uint8Array,
): Promise<boolean> {
  const { size_bytes: declaredBytes, sha256 } = upload.generation;
  const sizeBytes = stored.sizeBytes + fresh.length;
  if (sizeBytes > declaredBytes) return false;
  if (sizeBytes < declaredBytes || sha256 === null) return true;
  if (fresh.length === 0 && stored.sha256 === sha256) return true;
  const hash = createHash('sha256');
  for await (const bytes of readGeneration(deps, stored)) hash.update(bytes);
  return hash.update(fresh).digest('hex') === sha256;
}

/** A file with entries of several sessions, without those of sessions that were removed here. */
interface BlankedFile {
  readonly bytes: Uint8Array;
  /** This chunk shows that an entry belongs to a removed session, so stored bytes have to change too. */
  readonly isRewritten: boolean;
}

/** Null unless the file has entries of several sessions and sessions were removed here. */
async function blankFor({ engine, clock }: IntakeDeps, kind: string): Promise<BlankOut | null> {
  if (!isSharedKind(kind)) return null;
  const purged = await loadPurged(engine.kysely, clock.now().toISOString());
  return purged.size === 0 ? null : blankSessions(kind, purged);
}

const SPACE = 0x20;

/**
 * Adds a chunk to our bytes of a generation, both blanked. Null when they differ in a place that neither has blanked.
 * The digest of the whole file proves nothing here, since the device has the entries that we lack.
 */
async function addBlanked(
  deps: IntakeDeps,
  blank: BlankOut,
  stored: { readonly id: string; readonly generation: number },
  { chunk: { offset } }: Upload,
  chunk: Uint8Array,
): Promise<BlankedFile | null> {
  const before = Buffer.concat(await Array.fromAsync(readGeneration(deps, stored)));
  const sent = blank(
    Buffer.concat([before.subarray(0, offset), chunk, before.subarray(offset + chunk.length, before.length)]),
  );
  const merged = Buffer.from(sent);
  for (const [at, byte] of before.entries()) {
    if (byte === sent[at]) continue;
    if (byte !== SPACE && sent[at] !== SPACE) return null;
    merged[at] = SPACE;
  }
  return { bytes: merged, isRewritten: !merged.subarray(0, before.length).equals(before) };
}

interface Accepted {
  readonly id: string;
  readonly known: SourceFile | null;
  readonly stored: Stored;
  readonly upload: Upload;
  readonly fresh: Uint8Array;
  /** For a file from which entries of removed sessions are left out. */
  readonly blanked?: BlankedFile;
}

async function storeChunk(deps: IntakeDeps, accepted: Accepted): Promise<ChunkResult> {
  const { id, known, stored, upload, fresh, blanked } = accepted;
  const { file, generation } = upload;
  const now = deps.clock.now().toISOString();
  const hasMoved = await storeReportedWorkspace(deps, upload, now);
  const sizeBytes = stored.sizeBytes + fresh.length;
  const isComplete = sizeBytes === generation.size_bytes;
  const state = isComplete ? file.state : 'archived';
  const digests =
    blanked === undefined
      ? { headSha256: generation.head_sha256, tailSha256: generation.tail_sha256, sha256: generation.sha256 }
      : digestsOf(blanked.bytes);
  const sha256 = isComplete && generation.sha256 !== null ? digests.sha256 : null;
  const isRewritten = blanked?.isRewritten === true;
  const hasChanged =
    fresh.length > 0 || known === null || known.state !== state || stored.sha256 !== sha256 || hasMoved || isRewritten;
  const isOlder = known !== null && generation.number < known.generation;
  if (!hasChanged || (isOlder && fresh.length === 0 && !isRewritten)) return { kind: 'already_uploaded', sizeBytes };
  const archived = await archiveBytes(
    deps.blobs,
    isRewritten ? { startOffset: 0, bytes: blanked.bytes } : { startOffset: stored.sizeBytes, bytes: fresh },
  );
  const capture = {
    id,
    deviceId: upload.device.id,
    root: file.root,
    path: file.path,
    kind: file.kind,
    state,
    sessionId: file.session_id,
    agentId: file.agent_id,
    generation: generation.number,
    sizeBytes,
    mtimeMs: file.mtime_ms,
    inode: file.inode,
    ...digests,
    sha256,
    ...archived,
  };
  if (isRewritten) return replace(deps, capture, now);
  const part = isOlder ? null : partOf(capture, await ownerOf(deps, upload, now));
  await acceptCaptures(deps.engine, deps.journal, [{ capture, part }], now);
  await deps.journal.flush();
  return { kind: fresh.length > 0 ? 'uploaded' : 'already_uploaded', sizeBytes };
}

/** Replaces our bytes of a file. The next purge removes the former ones, with the lines of the journal that name them. */
async function replace({ engine, journal }: IntakeDeps, capture: Capture, now: string): Promise<ChunkResult> {
  await journal.append(captureRecord(capture, now));
  await journal.flush();
  await engine.transaction(async (tx) => {
    await replaceSegments(engine, tx, capture, now);
    await unsettlePurged(tx, now);
  });
  return { kind: 'uploaded', sizeBytes: capture.sizeBytes };
}

async function ownerOf({ engine }: IntakeDeps, { device }: Upload, now: string) {
  const workspaceId = await saveWorkspace(engine.kysely, UNASSOCIATED, now);
  return { workspaceId, deviceId: await ownerDevice(engine.kysely, device.id) };
}

/**
 * Stores the workspace that a device reports for a session; its folders are on its own disk, so we cannot resolve them.
 * Returns true when it changed. The session's row is updated when it is parsed.
 */
async function storeReportedWorkspace(
  { engine, journal }: IntakeDeps,
  { device, file, workspace }: Upload,
  now: string,
): Promise<boolean> {
  if (workspace === null || file.session_id === null) return false;
  const known = await loadDecision(engine.kysely, file.session_id);
  if (known?.canonical_id === workspace.canonical_id || known?.is_chosen) return false;
  const note = toNote(workspace, { sessionId: file.session_id, deviceId: device.id }, now);
  await journal.append(toJournal(note));
  await engine.transaction((tx) => applyWorkspaceNote(tx, note));
  return true;
}

function toNote(
  { canonical_id: canonicalId, display_name: displayName, is_chosen: isChosen, folder }: UploadWorkspace,
  { sessionId, deviceId }: { readonly sessionId: string; readonly deviceId: string },
  at: string,
): WorkspaceNote {
  const workspace = { canonicalId, displayName };
  if (isChosen) return { at, what: 'session_moved', sessionId, workspace };
  const seen = folder && {
    path: folder.path,
    root: folder.root,
    isRepository: folder.is_repository,
    worktreeName: folder.worktree_name,
    fingerprint: folder.fingerprint,
  };
  return { at, what: 'session_seen', sessionId, deviceId, workspace, folder: seen };
}

/** Files share leases by the end of their id, which limits the number of leases to 4,096. */
const SHARED_BY_CHARS = 3;

/** Allows one upload per file at a time across all server processes. Errors: busy. */
export function withUploadLease<T>(engine: Engine, fileId: string, work: () => Promise<T>): Promise<T> {
  return withLease(engine, uploadLease(fileId.slice(-SHARED_BY_CHARS)), work);
}
