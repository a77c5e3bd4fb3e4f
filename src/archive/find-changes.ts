import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import type { DeviceIdentity } from '../capture/device.ts';
import { byHomeAndPath, confirmUnchanged, type Discovery, discoverFiles, type FoundFile } from '../capture/discover.ts';
import type { FolderRecords } from '../capture/folder-record.ts';
import { sessionOfTranscript } from '../capture/transcript-session.ts';
import type { IgnoreProject } from '../capture/walk-home.ts';
import { TRANSCRIPT_KINDS } from '../domain/file-kinds.ts';
import type { ArchiveJournal, BlobStore, Clock } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { type FileState, listSeenFiles, loadDeviceFiles, type SourceFile } from '../store/queries/archive/archive.ts';
import { type Deleted, loadDeleted } from '../store/queries/deletions/deletions.ts';
import { type BlankOut, blankSessions, isSharedKind } from './blank-sessions.ts';
import { sourceFileId } from './captures.ts';

export interface ArchiveDeps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly journal: ArchiveJournal;
  readonly clock: Clock;
  readonly device: DeviceIdentity;
  /** Lists the Claude homes to read. */
  readonly roots: () => readonly string[];
  readonly ignoresProject: IgnoreProject;
  /** The recorded state of the folders of the homes; without it, all of them are listed. */
  readonly folderRecords?: FolderRecords;
}

/** A file that is new, differs in size, time or inode from what was last seen, or has to be compared as a whole. */
export interface ChangedFile {
  readonly file: FoundFile;
  readonly known: SourceFile | null;
  /** A known file at another path that may have been moved to this one. */
  readonly formerly: SourceFile | null;
  /** Null for files that belong to no single session. */
  readonly sessionId: string | null;
  /** Blanks what deleted sessions have in a file of several sessions. */
  readonly blank: BlankOut | null;
}

export interface Changes {
  readonly found: FoundCounts;
  readonly changed: readonly ChangedFile[];
  /** Known files that have been deleted since. */
  readonly gone: readonly SourceFile[];
  /** Sessions of this device of which a file is known; empty if nothing has changed. */
  readonly knownSessions: ReadonlySet<string>;
}

/** The result of a scan, with the number of files instead of the list. */
interface FoundCounts extends Omit<Discovery, 'files'> {
  readonly files: number;
}

/** Compares the disk with the known files by name, size and time only. */
export async function findChanges(deps: ArchiveDeps): Promise<Changes> {
  const roots = deps.roots();
  const unchanged = await findUnchanged(deps, roots);
  if (unchanged !== null) return { found: unchanged, changed: [], gone: [], knownSessions: new Set() };
  const discovery = discoverFiles(roots, deps.ignoresProject);
  const files = await loadDeviceFiles(deps.engine.kysely, deps.device.id);
  const deleted = await loadDeleted(deps.engine.kysely);
  const known = new Map(files.map((file) => [fileKey(file), file]));
  const byInode = new Map(files.map((file) => [file.seenInode, file]));
  const byName = new Map(files.map((file) => [nameKey(file), file]));
  const changed = discovery.files.flatMap((file): ChangedFile[] => {
    const before = known.get(fileKey(file)) ?? null;
    if (
      before === null
        ? file.sizeBytes === 0
        : isUnchanged(file, before) && !needsComparison(deps, before.state, before.seenMtimeMs)
    )
      return [];
    const formerly = before === null ? (byInode.get(file.inode) ?? byName.get(nameKey(file)) ?? null) : null;
    const sessionId = sessionOf(file, before ?? formerly);
    return isDeleted(deps, deleted, file, sessionId)
      ? []
      : [{ file, known: before, formerly, sessionId, blank: blankOf(deps, file, deleted) }];
  });
  const knownSessions = new Set(files.flatMap(({ sessionId }) => sessionId ?? []));
  const found = { ...discovery, files: discovery.files.length };
  return { found, changed, gone: findGone(discovery, files), knownSessions };
}

/** Most commands find nothing new; this check reads only part of the known facts about the files. */
async function findUnchanged(deps: ArchiveDeps, roots: readonly string[]): Promise<FoundCounts | null> {
  const seen = await listSeenFiles(deps.engine.kysely, deps.device.id, 'all');
  if (seen.some(({ state, mtimeMs }) => needsComparison(deps, state, mtimeMs))) return null;
  const { ignoresProject, folderRecords: records = null } = deps;
  const options = { ignoresProject, records, scope: 'all' } as const;
  const unchanged = confirmUnchanged(roots, byHomeAndPath(seen), options);
  return unchanged && { ...unchanged, ignored: 0 };
}

function blankOf({ clock }: ArchiveDeps, { kind }: FoundFile, { sessions }: Deleted): BlankOut | null {
  if (sessions.size === 0 || !isSharedKind(kind)) return null;
  const now = clock.now().toISOString();
  const purged = [...sessions].filter(([, purgeAt]) => purgeAt <= now).map(([id]) => id);
  return purged.length === 0 ? null : blankSessions(kind, new Set(purged));
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

function isUnchanged(file: FoundFile, known: SourceFile): boolean {
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

function needsComparison({ clock }: ArchiveDeps, state: FileState, mtimeMs: number): boolean {
  return state === 'archived' && mtimeMs <= clock.now().getTime() - SETTLED_MS;
}

/** A transcript keeps its file name when it moves to another project folder. */
function nameKey({ kind, path }: { readonly kind: string; readonly path: string }): string {
  return `${kind} ${basename(path)}`;
}

function sessionOf(file: FoundFile, known: SourceFile | null): string | null {
  const named = file.sessionId ?? known?.sessionId ?? null;
  if (named !== null || !TRANSCRIPT_KINDS.has(file.kind)) return named;
  return sessionOfTranscript(file);
}

/** Neither listed nor present. A folder or home that could not be read proves nothing. */
function findGone({ roots, files }: Discovery, known: readonly SourceFile[]): readonly SourceFile[] {
  const listed = new Set(files.map(fileKey));
  return known.filter((file) => {
    const { root, path, state } = file;
    if (state === 'gone' || !roots.includes(root) || listed.has(fileKey(file))) return false;
    return lstatSync(`${root}/${path}`, { throwIfNoEntry: false }) === undefined;
  });
}
