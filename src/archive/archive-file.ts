import { hashFile, type NewBytes, readNewBytes } from '../capture/read-new-bytes.ts';
import { UNASSOCIATED } from '../domain/workspace.ts';
import {
  type Capture,
  type FileState,
  loadSegments,
  type SourceFile,
  saveFileStat,
} from '../store/queries/archive/archive.ts';
import { saveWorkspace } from '../store/queries/workspaces/workspaces.ts';
import { type ArchivedBytes, archiveBytes, hashGeneration } from './archive-bytes.ts';
import { acceptCaptures, partOf, sourceFileId } from './captures.ts';
import type { ArchiveDeps, ChangedFile } from './find-changes.ts';

/** Archives the new bytes of a file. Returns true when bytes were captured. */
export async function archiveChange(
  deps: ArchiveDeps,
  change: ChangedFile,
  onBytes: (count: number) => void,
): Promise<boolean> {
  const { file, known } = change;
  if (known === null || known.archivedBytes !== file.sizeBytes) return archiveNew(deps, change, known, onBytes);
  const sha256 = known.sha256 ?? (await hashGeneration(deps, known));
  if (sha256 !== (await hashFile(file.absolutePath, known.archivedBytes, change.blank)))
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
  const basis = checkpoint ?? (change.known === null ? change.formerly : null);
  const count = ({ length }: Uint8Array) => onBytes(length);
  const capture = await storeBytes(deps, change, basis, count, (file) => segmentsOf(deps, file));
  if (capture === null) return false;
  await acceptFiles(deps, [{ change, capture }]);
  return true;
}

/** Dependencies for storing bytes; the database is not one of them. */
export type StoreDeps = Pick<ArchiveDeps, 'blobs' | 'device'>;

/** Stores a file that the store does not know as blobs and describes it; null when there is nothing to store. */
export function storeUnknown(
  deps: StoreDeps,
  change: ChangedFile,
  onBytes: (bytes: Uint8Array) => void,
): Promise<Capture | null> {
  return storeBytes(deps, change, null, onBytes, async () => NO_BYTES);
}

const NO_BYTES: ArchivedBytes = { segments: [], blobs: [] };

/** Stores the bytes of a file beyond a basis. `segmentsBefore` finds those of the basis when the file was moved. */
async function storeBytes(
  deps: StoreDeps,
  change: ChangedFile,
  basis: SourceFile | null,
  onBytes: (bytes: Uint8Array) => void,
  segmentsBefore: (basis: SourceFile) => Promise<ArchivedBytes>,
): Promise<Capture | null> {
  const parts: ArchivedBytes[] = [];
  const take = async (run: { readonly startOffset: number; readonly bytes: Uint8Array }) => {
    const stored = await archiveBytes(deps.blobs, run);
    parts.push(stored);
    onBytes(run.bytes);
    const [only] = stored.segments;
    return only?.sizeBytes === run.bytes.length ? only.sha256 : null;
  };
  const read = await readNewBytes(change.file, basis, take, change.blank);
  if (read === null) return null;
  const isMoved = change.known === null && basis !== null && !read.isNewGeneration;
  if (parts.length === 0 && !isMoved) return null;
  if (isMoved) parts.unshift(await segmentsBefore(basis));
  return toCapture(deps, change, read, parts);
}

/** A moved file keeps its bytes: its new path refers to the same blobs. */
async function segmentsOf({ engine }: ArchiveDeps, file: SourceFile): Promise<ArchivedBytes> {
  return { segments: await loadSegments(engine.kysely, file.id, file.generation), blobs: [] };
}

function toCapture(
  { device }: StoreDeps,
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
  const { engine, journal, clock, device } = deps;
  const now = clock.now().toISOString();
  const owner = { workspaceId: await saveWorkspace(engine.kysely, UNASSOCIATED, now), deviceId: device.id };
  const captures = files.map(({ capture }) => ({ capture, part: partOf(capture, owner) }));
  await acceptCaptures(engine, journal, captures, now);
}
