import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import type { DeviceIdentity } from '../capture/device.ts';
import { type Discovery, discoverFiles, type FoundFile, type IgnoreProject } from '../capture/discover.ts';
import { PARSED_KINDS, TRANSCRIPT_KINDS } from '../capture/file-kinds.ts';
import { isSharedKind, type Mask, maskSessions } from '../capture/mask-sessions.ts';
import { peekSessionId, hashFile, type NewBytes, readNewBytes } from '../capture/read-new-bytes.ts';
import { BACKFILL } from '../domain/session.ts';
import { UNASSOCIATED } from '../domain/workspace.ts';
import type { ArchiveJournal, BlobStore, Clock } from '../domain/ports.ts';
import { acceptCaptures, type SessionPart, sourceFileId } from './captures.ts';
import { type ArchivedBytes, archiveBytes, hashGeneration } from './archive-bytes.ts';
import type { Engine } from '../store/engine.ts';
import {
  type Capture,
  type FileState,
  loadDeviceFiles,
  listSeenFiles,
  loadSegments,
  saveFileStat,
  type SeenFile,
  type SourceFile,
} from '../store/queries/archive/archive.ts';
import { type Deleted, loadDeleted } from '../store/queries/deletions/deletions.ts';
import { saveWorkspace } from '../store/queries/workspaces/workspaces.ts';

export interface ArchiveDeps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly journal: ArchiveJournal;
  readonly clock: Clock;
  readonly device: DeviceIdentity;
  /** Lists the Claude homes to read. */
  readonly roots: () => readonly string[];
  readonly ignoresProject: IgnoreProject;
}

/** A file whose size, time or inode changed since we last saw it. */
export interface ChangedFile {
  readonly file: FoundFile;
  readonly known: SourceFile | null;
  /** A known file with another path that this one may be after a move. */
  readonly formerly: SourceFile | null;
  /** Null for files that belong to no single session. */
  readonly sessionId: string | null;
  /** Leaves out what deleted sessions have in a file of several sessions. */
  readonly mask: Mask | null;
}

export interface Changes {
  readonly discovery: Discovery;
  readonly changed: readonly ChangedFile[];
  /** Known files that have been deleted since. */
  readonly gone: readonly SourceFile[];
  /** Sessions of this device of which a file is known. */
  readonly knownSessions: ReadonlySet<string>;
}

/** Compares the disk with the known files by name, size and time only. */
export async function findChanges(deps: ArchiveDeps): Promise<Changes> {
  const discovery = discoverFiles(deps.roots(), deps.ignoresProject);
  if (isAllUnchanged(deps, discovery, await listSeenFiles(deps.engine.kysely, deps.device.id)))
    return { discovery, changed: [], gone: [], knownSessions: new Set() };
  const files = await loadDeviceFiles(deps.engine.kysely, deps.device.id);
  const deleted = await loadDeleted(deps.engine.kysely);
  const known = new Map(files.map((file) => [fileKey(file), file]));
  const byInode = new Map(files.map((file) => [file.seenInode, file]));
  const byName = new Map(files.map((file) => [nameKey(file), file]));
  const changed = discovery.files.flatMap((file): ChangedFile[] => {
    const before = known.get(fileKey(file)) ?? null;
    if (before === null ? file.sizeBytes === 0 : isUnchanged(file, before) && !isToConfirm(deps, before)) return [];
    const formerly = before === null ? (byInode.get(file.inode) ?? byName.get(nameKey(file)) ?? null) : null;
    const sessionId = sessionOf(file, before ?? formerly);
    return isDeleted(deps, deleted, file, sessionId)
      ? []
      : [{ file, known: before, formerly, sessionId, mask: maskOf(deps, file, deleted) }];
  });
  const knownSessions = new Set(files.flatMap(({ sessionId }) => sessionId ?? []));
  return { discovery, changed, gone: findGone(discovery, files), knownSessions };
}

/** Most commands find nothing new; this answer needs a fraction of what is known about the files. */
function isAllUnchanged(deps: ArchiveDeps, discovery: Discovery, seen: readonly SeenFile[]): boolean {
  const known = new Map(seen.map((file) => [fileKey(file), file]));
  const isKept = discovery.files.every((file) => {
    const before = known.get(fileKey(file));
    return before === undefined ? file.sizeBytes === 0 : isUnchanged(file, before) && !isToConfirm(deps, before);
  });
  return isKept && findGone(discovery, seen).length === 0;
}

function maskOf({ clock }: ArchiveDeps, { kind }: FoundFile, { sessions }: Deleted): Mask | null {
  if (sessions.size === 0 || !isSharedKind(kind)) return null;
  const now = clock.now().toISOString();
  const purged = [...sessions].filter(([, purgeAt]) => purgeAt <= now).map(([id]) => id);
  return purged.length === 0 ? null : maskSessions(kind, new Set(purged));
}

function isDeleted(
  { device }: ArchiveDeps,
  { sessions, files }: Deleted,
  { root, path }: FoundFile,
  sessionId: string | null,
): boolean {
  if (sessionId !== null && sessions.has(sessionId)) return true;
  return files.size > 0 && files.has(sourceFileId({ deviceId: device.id, root, path }));
}

/** Identifies a file by its home and its path in it; paths cannot contain NUL. */
export function fileKey({ root, path }: { readonly root: string; readonly path: string }): string {
  return `${root}\0${path}`;
}

function isUnchanged(file: FoundFile, known: SeenFile): boolean {
  return (
    known.state !== 'gone' &&
    known.seenSize === file.sizeBytes &&
    known.seenMtimeMs === file.mtimeMs &&
    known.seenInode === file.inode
  );
}

/**
 * After an append the whole file is compared once, when it has not changed for this long; only then is it `captured`.
 */
export const SETTLED_MS = 60_000;

function isToConfirm({ clock }: ArchiveDeps, { state, seenMtimeMs }: SeenFile): boolean {
  return state === 'archived' && seenMtimeMs <= clock.now().getTime() - SETTLED_MS;
}

/** A transcript keeps its file name when it moves to another project folder. */
function nameKey({ kind, path }: { readonly kind: string; readonly path: string }): string {
  return `${kind} ${basename(path)}`;
}

function sessionOf(file: FoundFile, known: SourceFile | null): string | null {
  const named = file.sessionId ?? known?.sessionId ?? null;
  if (named !== null || !TRANSCRIPT_KINDS.has(file.kind)) return named;
  return peekSessionId(file.absolutePath) ?? sessionFromName(file);
}

const MAX_ID_CHARS = 128;

/** Nothing in the file names a session, so it becomes its own session, named after the file. */
function sessionFromName({ path }: FoundFile): string {
  const stem = basename(path).replace(/\..*$/, '');
  const id = stem.replaceAll(/[^A-Za-z0-9._:-]/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return id.slice(0, MAX_ID_CHARS) || 'unnamed';
}

/** Neither listed nor present. A folder or home that could not be read proves nothing. */
function findGone<F extends SeenFile>({ roots, files }: Discovery, known: readonly F[]): F[] {
  const listed = new Set(files.map(fileKey));
  return known.filter((file) => {
    const { root, path, state } = file;
    if (state === 'gone' || !roots.includes(root) || listed.has(fileKey(file))) return false;
    return lstatSync(`${root}/${path}`, { throwIfNoEntry: false }) === undefined;
  });
}

/** Archives the new bytes of a file. Returns true when bytes were captured. */
export async function archiveChange(
  deps: ArchiveDeps,
  change: ChangedFile,
  onBytes: (count: number) => void,
): Promise<boolean> {
  const { file, known } = change;
  if (known === null || known.archivedBytes !== file.sizeBytes) return archiveNew(deps, change, known, onBytes);
  const sha256 = known.sha256 ?? (await hashGeneration(deps, known));
  if (sha256 !== (await hashFile(file.absolutePath, known.archivedBytes, change.mask)))
    return archiveNew(deps, change, null, onBytes);
  await saveFileStat(deps.engine.kysely, known, { ...file, state: 'captured', sha256 });
  return false;
}

async function archiveNew(
  deps: ArchiveDeps,
  change: ChangedFile,
  checkpoint: SourceFile | null,
  onBytes: (count: number) => void,
): Promise<boolean> {
  const capture = await storeNewBytes(deps, change, checkpoint, ({ length }) => onBytes(length));
  if (capture === null) return false;
  await acceptFiles(deps, [{ change, capture }]);
  return true;
}

/** Stores the new bytes of a file as blobs and describes them; null when there are none. */
export async function storeNewBytes(
  deps: ArchiveDeps,
  change: ChangedFile,
  checkpoint: SourceFile | null,
  onBytes: (bytes: Uint8Array) => void,
): Promise<Capture | null> {
  const basis = checkpoint ?? (change.known === null ? change.formerly : null);
  const parts: ArchivedBytes[] = [];
  const take = async (run: { readonly startOffset: number; readonly bytes: Uint8Array }) => {
    parts.push(await archiveBytes(deps.blobs, run));
    onBytes(run.bytes);
  };
  const read = await readNewBytes(change.file, basis, take, change.mask);
  if (read === null) return null;
  const isMoved = change.known === null && basis !== null && !read.isNewGeneration;
  if (parts.length === 0 && !isMoved) return null;
  if (isMoved) parts.unshift(await segmentsOf(deps, basis));
  return toCapture(deps, change, read, parts);
}

/** A moved file keeps its bytes: its new path refers to the same blobs. */
async function segmentsOf({ engine }: ArchiveDeps, file: SourceFile): Promise<ArchivedBytes> {
  return { segments: await loadSegments(engine.kysely, file.id, file.generation), blobs: [] };
}

function toCapture(
  { device }: ArchiveDeps,
  { file, known, sessionId }: ChangedFile,
  read: NewBytes,
  parts: readonly ArchivedBytes[],
): Capture {
  const { root } = file;
  // The whole file was just read, so the hash describes exactly the bytes that the blobs received.
  const state: FileState =
    read.sha256 !== null && read.checkpoint.archivedBytes === file.sizeBytes ? 'captured' : 'archived';
  return {
    id: sourceFileId({ deviceId: device.id, root, path: file.path }),
    deviceId: device.id,
    root,
    path: file.path,
    kind: file.kind,
    state,
    sessionId,
    agentId: file.agentId,
    generation: (known?.generation ?? 0) + (known === null || read.isNewGeneration ? 1 : 0),
    sizeBytes: read.checkpoint.archivedBytes,
    mtimeMs: file.mtimeMs,
    inode: file.inode,
    headSha256: read.checkpoint.headSha256,
    tailSha256: read.checkpoint.tailSha256,
    sha256: read.sha256,
    segments: parts.flatMap(({ segments }) => segments),
    blobs: parts.flatMap(({ blobs }) => blobs),
  };
}

/** A file whose new bytes are stored. */
export interface StoredFile {
  readonly change: ChangedFile;
  readonly capture: Capture;
}

/** Records the stored bytes of files: journal first, then one transaction. */
export async function acceptFiles(deps: ArchiveDeps, files: readonly StoredFile[]): Promise<void> {
  const { engine, journal, clock } = deps;
  const now = clock.now().toISOString();
  const workspaceId = await saveWorkspace(engine.kysely, UNASSOCIATED, now);
  const captures = files.map(({ change, capture }) => ({ capture, part: partOf(deps, change, workspaceId) }));
  await acceptCaptures(engine, journal, captures, now);
}

/** Only transcripts create a session; other files wait until it exists. */
function partOf({ device }: ArchiveDeps, { file, sessionId }: ChangedFile, workspaceId: string): SessionPart {
  if (sessionId === null || !PARSED_KINDS.has(file.kind)) return null;
  if (!TRANSCRIPT_KINDS.has(file.kind)) return { isParsedWith: sessionId };
  const startedAt = new Date(file.mtimeMs).toISOString();
  return { makes: { id: sessionId, workspaceId, deviceId: device.id, startedAt, source: BACKFILL } };
}
