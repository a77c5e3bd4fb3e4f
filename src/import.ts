import { discoverTranscripts, type Discovery, type FoundFile } from './capture/discover.ts';
import type { DeviceIdentity } from './capture/device.ts';
import { peekSessionId } from './capture/peek.ts';
import { hashFile, readNewBytes } from './capture/read-new-bytes.ts';
import { UNASSOCIATED } from './capture/workspace.ts';
import { toFuelError } from './domain/errors.ts';
import type { ImportProgress } from './domain/query.ts';
import { acceptCapture, archiveSegment, hashGeneration, sourceFileId } from './ingest/archive-file.ts';
import { mapConcurrently } from './lib/map-concurrently.ts';
import { indexSession } from './pipeline/index-session.ts';
import { understandSession, type UnderstandDeps } from './pipeline/understand-session.ts';
import { type CapturedSegment, loadSourceFiles, noteUnchanged, type SourceFile } from './store/queries/archive.ts';
import { saveDevice } from './store/queries/devices.ts';
import { findSessionsToIndex, countSessionsToIndex } from './store/queries/search-index.ts';
import { findSessionsToParse, markParseFailed, markQuietSessionsParsed } from './store/queries/session-state.ts';
import { saveWorkspace } from './store/queries/workspaces.ts';
import { PARSER_VERSION } from './transcript/session/finish.ts';

export interface ImportDeps extends UnderstandDeps {
  readonly claudeHome: string;
  readonly device: DeviceIdentity;
  readonly onProgress: (progress: ImportProgress) => void;
  /** Leave the full text for later: a list is wanted now. */
  readonly rowsOnly: boolean;
  /** Aborted when somebody wants the import to stop: it ends between two sessions, and goes on next time. */
  readonly signal: AbortSignal;
}

export interface ImportReport {
  readonly files: number;
  readonly files_changed: number;
  readonly bytes_read: number;
  readonly sessions_parsed: number;
  readonly sessions_indexed: number;
  readonly failed: readonly { readonly path: string; readonly error: string }[];
  readonly skipped: Discovery['skipped'];
}

/** Sessions whose files were written to since then count as live. */
const QUIET_MS = 5 * 60_000;
const ARCHIVE_CONCURRENCY = 4;
const INDEX_BATCH = 50;

/**
 * The walk: find the files, archive what is new, understand the sessions that changed, newest first; then the full
 * text, behind everything else. What is to be done follows from what is stored, so a run may stop anywhere.
 */
export async function runImport(deps: ImportDeps): Promise<ImportReport> {
  const tally = createTally(deps);
  await saveDevice(deps.engine.kysely, deps.device, deps.clock.now().toISOString());
  tally.enter('scanning');
  const { discovery, groups } = await findChanges(deps);
  tally.plan(groups);
  tally.enter('importing');
  await archiveAndUnderstand(deps, groups, tally);
  await understandLeftovers(deps, tally);
  await markQuietSessionsParsed(deps.engine.kysely, quietSince(deps), deps.clock.now().toISOString());
  if (!deps.rowsOnly) {
    tally.enter('indexing');
    await indexAll(deps, tally);
  }
  tally.enter('idle');
  return { files: discovery.files.length, skipped: discovery.skipped, ...tally.report() };
}

interface SessionGroup {
  readonly sessionId: string;
  readonly files: readonly ChangedFile[];
  readonly newestMs: number;
}

interface ChangedFile {
  readonly file: FoundFile;
  readonly known: SourceFile | null;
  readonly sessionId: string;
}

async function findChanges(deps: ImportDeps): Promise<{ discovery: Discovery; groups: readonly SessionGroup[] }> {
  const discovery = discoverTranscripts(deps.claudeHome);
  const known = await loadSourceFiles(deps.engine.kysely, deps.device.id, deps.claudeHome);
  const changed = discovery.files.flatMap((file) => toChange(file, known.get(file.path) ?? null));
  const groups = [...Map.groupBy(changed, ({ sessionId }) => sessionId)].map(([sessionId, files]) => ({
    sessionId,
    files,
    newestMs: Math.max(...files.map(({ file }) => file.mtimeMs)),
  }));
  return { discovery, groups: groups.toSorted((a, b) => b.newestMs - a.newestMs) };
}

function toChange(file: FoundFile, known: SourceFile | null): ChangedFile[] {
  const isSame =
    known !== null &&
    known.seenSize === file.sizeBytes &&
    known.seenMtimeMs === file.mtimeMs &&
    known.seenInode === file.inode;
  if (isSame || (known === null && file.sizeBytes === 0)) return [];
  const sessionId = known?.sessionId ?? file.sessionId ?? peekSessionId(file.absolutePath) ?? sessionFromName(file);
  return [{ file, known, sessionId }];
}

/** Nothing in the file names a session: it is one of its own, under the name of its file. */
function sessionFromName({ path }: FoundFile): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '');
  return (
    name
      .replaceAll(/[^A-Za-z0-9._:-]/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 128) || 'unnamed'
  );
}

async function archiveAndUnderstand(deps: ImportDeps, groups: readonly SessionGroup[], tally: Tally): Promise<void> {
  const archived = mapConcurrently(groups, ARCHIVE_CONCURRENCY, async (group) => {
    if (deps.signal.aborted) return null;
    for (const change of group.files) await archiveOne(deps, change, tally);
    return group.sessionId;
  });
  for await (const sessionId of archived) {
    if (sessionId === null || deps.signal.aborted) return;
    await understandOne(deps, sessionId, tally);
  }
}

async function archiveOne(deps: ImportDeps, change: ChangedFile, tally: Tally): Promise<void> {
  try {
    const { file, known } = change;
    if (known === null || known.archivedBytes !== file.sizeBytes) await archiveNewBytes(deps, change, known, tally);
    else if (await hasSameBytes(deps, file, known)) await noteUnchanged(deps.engine.kysely, known.id, file);
    else await archiveNewBytes(deps, change, null, tally);
  } catch (error) {
    tally.fail(change.file.path, error);
  }
  tally.fileDone();
}

/** Same size, other time: the bytes decide, all of them, since a rewrite may keep the size and both ends. */
async function hasSameBytes({ engine, blobs }: ImportDeps, file: FoundFile, known: SourceFile): Promise<boolean> {
  const ours = known.sha256 ?? (await hashGeneration(engine, blobs, known));
  return ours === (await hashFile(file.absolutePath));
}

async function archiveNewBytes(
  deps: ImportDeps,
  change: ChangedFile,
  checkpoint: SourceFile | null,
  tally: Tally,
): Promise<void> {
  const { engine, blobs, clock, device, claudeHome } = deps;
  const { file, known, sessionId } = change;
  const segments: CapturedSegment[] = [];
  const read = await readNewBytes(file, checkpoint, async (segment) => {
    segments.push(await archiveSegment(blobs, segment));
    tally.bytesRead(segment.bytes.length);
  });
  if (read === null || segments.length === 0) return;
  const now = clock.now().toISOString();
  const root = claudeHome;
  const workspaceId = await saveWorkspace(engine.kysely, UNASSOCIATED, now);
  await acceptCapture(
    engine,
    {
      id: sourceFileId({ deviceId: device.id, root, path: file.path }),
      deviceId: device.id,
      root,
      path: file.path,
      kind: file.kind,
      sessionId,
      agentId: file.agentId,
      generation: (known?.generation ?? 0) + (read.isNewGeneration ? 1 : 0),
      isNewGeneration: read.isNewGeneration,
      sizeBytes: read.checkpoint.archivedBytes,
      mtimeMs: file.mtimeMs,
      inode: file.inode,
      headSha256: read.checkpoint.headSha256,
      tailSha256: read.checkpoint.tailSha256,
      sha256: read.sha256,
      segments,
    },
    {
      id: sessionId,
      workspaceId,
      deviceId: device.id,
      startedAt: new Date(file.mtimeMs).toISOString(),
      source: 'backfill',
    },
    now,
  );
  tally.fileChanged();
}

async function understandOne(deps: ImportDeps, sessionId: string, tally: Tally): Promise<void> {
  try {
    if ((await understandSession(deps, sessionId, quietSince(deps))) !== null) tally.sessionParsed();
  } catch (error) {
    const { code, message } = toFuelError(error);
    if (code === 'store_unavailable' || code === 'blob_unavailable' || code === 'busy') throw error;
    await markParseFailed(deps.engine.kysely, sessionId, message, deps.clock.now().toISOString());
    tally.fail(sessionId, error);
  }
}

/** Archived but not understood: a run was stopped in between, or the parser has become better since. */
async function understandLeftovers(deps: ImportDeps, tally: Tally): Promise<void> {
  for (const sessionId of await findSessionsToParse(deps.engine.kysely, PARSER_VERSION)) {
    if (deps.signal.aborted) return;
    await understandOne(deps, sessionId, tally);
  }
}

async function indexAll(deps: ImportDeps, tally: Tally): Promise<void> {
  tally.toIndex(await countSessionsToIndex(deps.engine.kysely));
  for (;;) {
    const batch = await findSessionsToIndex(deps.engine.kysely, INDEX_BATCH);
    if (batch.length === 0) return;
    for (const sessionId of batch) {
      if (deps.signal.aborted) return;
      await indexSession(deps.engine, sessionId);
      tally.sessionIndexed();
    }
  }
}

function quietSince({ clock }: ImportDeps): number {
  return clock.now().getTime() - QUIET_MS;
}

type Tally = ReturnType<typeof createTally>;

/** Counts what happens and tells whoever watches. */
function createTally({ onProgress }: ImportDeps) {
  const progress = {
    phase: 'idle' as ImportProgress['phase'],
    files_total: 0,
    files_done: 0,
    bytes_total: 0,
    bytes_done: 0,
    sessions_to_index: 0,
    sessions_indexed: 0,
    error: null,
  };
  const counts = { files_changed: 0, bytes_read: 0, sessions_parsed: 0 };
  const failed: { path: string; error: string }[] = [];
  const tell = () => onProgress({ ...progress });
  return {
    enter: (phase: ImportProgress['phase']) => {
      progress.phase = phase;
      tell();
    },
    plan: (groups: readonly SessionGroup[]) => {
      const files = groups.flatMap((group) => group.files);
      progress.files_total = files.length;
      progress.bytes_total = files.reduce((sum, { file, known }) => sum + newSize(file, known), 0);
    },
    bytesRead: (bytes: number) => {
      counts.bytes_read += bytes;
      progress.bytes_done += bytes;
      tell();
    },
    fileChanged: () => {
      counts.files_changed++;
    },
    fileDone: () => {
      progress.files_done++;
      tell();
    },
    sessionParsed: () => {
      counts.sessions_parsed++;
      tell();
    },
    toIndex: (sessions: number) => {
      progress.sessions_to_index = sessions;
      tell();
    },
    sessionIndexed: () => {
      progress.sessions_indexed++;
      tell();
    },
    fail: (path: string, error: unknown) => {
      failed.push({ path, error: toFuelError(error).message });
    },
    report: () => ({ ...counts, sessions_indexed: progress.sessions_indexed, failed }),
  };
}

function newSize(file: FoundFile, known: SourceFile | null): number {
  return Math.max(0, file.sizeBytes - (known?.archivedBytes ?? 0));
}
