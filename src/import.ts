import { type ArchiveDeps, archiveChange, type ChangedFile, type Changes, findChanges } from './archive-changes.ts';
import type { Discovery } from './capture/discover.ts';
import { PARSED_KINDS } from './capture/file-kinds.ts';
import { toFuelError } from './domain/errors.ts';
import { lifeOf } from './domain/session.ts';
import type { ImportProgress } from './domain/query.ts';
import type { ParsedSession } from './domain/transcript.ts';
import { createTally, type ImportCounts, type ImportTally } from './import-tally.ts';
import { mapConcurrently } from './lib/map-concurrently.ts';
import { indexSessions } from './pipeline/index-session.ts';
import { understandSession, type UnderstandDeps } from './pipeline/understand-session.ts';
import { markGone } from './store/queries/archive.ts';
import { saveDevice } from './store/queries/devices.ts';
import { countSessionsToIndex, findSessionsToIndex } from './store/queries/search-index.ts';
import { findUnsettledSessions, readLastWord, settleSession } from './store/queries/session-life.ts';
import { findSessionsToParse, markParseFailed } from './store/queries/session-state.ts';
import { PARSER_VERSION } from './transcript/session/finish.ts';

export interface ImportDeps extends UnderstandDeps, ArchiveDeps {
  /** Reads what happened in the repositories of a session. */
  readonly collectGit: (parsed: ParsedSession, isLive: boolean) => Promise<void>;
  readonly onProgress: (progress: ImportProgress) => void;
  /** Sessions that a running client says it has open. */
  readonly liveSessions: () => ReadonlySet<string>;
  /** Files archived at a time; it is mostly waiting for the disk to confirm. */
  readonly concurrency: number;
  /** Leave the full text for later: a list is wanted now. */
  readonly rowsOnly: boolean;
  /** Aborted when somebody wants the import to stop: it ends between two sessions, and goes on next time. */
  readonly signal: AbortSignal;
}

export interface ImportReport extends ImportCounts {
  readonly files: number;
  readonly skipped: Discovery['skipped'];
  readonly ignored: number;
}

/** Sessions whose files were written to since then count as live. */
const QUIET_MS = 5 * 60_000;
const INDEX_BATCH = 50;

/**
 * The walk: find the files, archive what is new, understand the sessions that changed, newest first; then what lies
 * beside the transcripts; then the full text, behind everything else. What is to be done follows from what is stored,
 * so a run may stop anywhere.
 */
export async function runImport(deps: ImportDeps): Promise<ImportReport> {
  const tally = createTally(deps.onProgress);
  await saveDevice(deps.engine.kysely, deps.device, now(deps));
  tally.enter('scanning');
  const changes = await findChanges(deps);
  const { discovery, gone } = changes;
  tally.plan(changes.changed.length, bytesToRead(changes));
  // First: a file that moved must be known to be gone from its old place when its session is parsed.
  await markGone(
    deps.engine.kysely,
    gone.map(({ id }) => id),
    now(deps),
  );
  tally.enter('importing');
  await importTranscripts(deps, changes, tally);
  await archiveSideFiles(deps, changes, tally);
  await deps.journal.flush();
  await understandLeftovers(deps, tally);
  await settleSessions(deps);
  await deps.journal.flush();
  if (!deps.rowsOnly) await indexAll(deps, tally);
  tally.enter('idle');
  return { files: discovery.files.length, skipped: discovery.skipped, ignored: discovery.ignored, ...tally.counts() };
}

function bytesToRead({ changed }: Changes): number {
  return changed.reduce((sum, { file, known }) => sum + Math.max(0, file.sizeBytes - (known?.archivedBytes ?? 0)), 0);
}

async function importTranscripts(deps: ImportDeps, { changed }: Changes, tally: ImportTally): Promise<void> {
  const transcripts = changed.filter(({ file }) => PARSED_KINDS.has(file.kind));
  const groups = [...Map.groupBy(transcripts, ({ sessionId }) => sessionId ?? '')].toSorted(byNewest);
  const archived = mapConcurrently(groups, deps.concurrency, async ([sessionId, files]) => {
    for (const change of files) await archiveOne(deps, change, tally);
    return sessionId;
  });
  for await (const sessionId of archived) {
    if (deps.signal.aborted) return;
    await understandOne(deps, sessionId, tally);
  }
}

function byNewest([, a]: [string, ChangedFile[]], [, b]: [string, ChangedFile[]]): number {
  const newest = (files: readonly ChangedFile[]) => Math.max(...files.map(({ file }) => file.mtimeMs));
  return newest(b) - newest(a);
}

async function archiveSideFiles(deps: ImportDeps, { changed }: Changes, tally: ImportTally): Promise<void> {
  const beside = changed.filter(({ file }) => !PARSED_KINDS.has(file.kind));
  for await (const _ of mapConcurrently(beside, deps.concurrency, (change) => archiveOne(deps, change, tally))) {
    if (deps.signal.aborted) return;
  }
}

/** One file that cannot be read is named in the report; the others go on. */
async function archiveOne(deps: ImportDeps, change: ChangedFile, tally: ImportTally): Promise<void> {
  if (deps.signal.aborted) return;
  try {
    tally.fileDone(await archiveChange(deps, change, tally.bytesRead));
  } catch (error) {
    if (isStopped(error)) throw error;
    tally.fail(change.file.path, error);
    tally.fileDone(false);
  }
}

async function understandOne(deps: ImportDeps, sessionId: string, tally: ImportTally): Promise<void> {
  try {
    const live = { sessions: deps.liveSessions(), quietSinceMs: quietSince(deps) };
    const parsed = await understandSession(deps, sessionId, live);
    if (parsed === null) return;
    tally.sessionParsed();
    await collectGit(deps, parsed, live.sessions.has(sessionId), tally);
  } catch (error) {
    if (isStopped(error)) throw error;
    await markParseFailed(deps.engine.kysely, sessionId, toFuelError(error).message, now(deps));
    tally.fail(sessionId, error);
  }
}

/** What git says is an addition: a repository that cannot be read is named, and takes nothing from the session. */
async function collectGit(deps: ImportDeps, parsed: ParsedSession, isLive: boolean, tally: ImportTally): Promise<void> {
  try {
    await deps.collectGit(parsed, isLive);
  } catch (error) {
    if (isStopped(error)) throw error;
    tally.fail(`git activity of ${parsed.sessionId}`, error);
  }
}

/** Nothing is wrong with the data: the store or the archive is away, and the next run goes on from here. */
function isStopped(error: unknown): boolean {
  const { code } = toFuelError(error);
  return code === 'store_unavailable' || code === 'blob_unavailable' || code === 'busy';
}

/** Archived but not understood: a run was stopped in between, or the parser has become better since. */
async function understandLeftovers(deps: ImportDeps, tally: ImportTally): Promise<void> {
  for (const sessionId of await findSessionsToParse(deps.engine.kysely, PARSER_VERSION)) {
    if (deps.signal.aborted) return;
    await understandOne(deps, sessionId, tally);
  }
}

/** Nobody may ever say that a session has ended: a crash, a power cut. Its files fall silent all the same. */
async function settleSessions(deps: ImportDeps): Promise<void> {
  const { kysely } = deps.engine;
  const open = deps.liveSessions();
  for (const { id, lastWriteMs } of await findUnsettledSessions(kysely)) {
    const lastWord = await readLastWord(kysely, id);
    const signs = { lastWriteMs, lastWord, isOpen: open.has(id), quietSinceMs: quietSince(deps) };
    const { endReason } = lifeOf(signs);
    if (endReason !== null) await settleSession(kysely, id, endReason, now(deps));
  }
}

async function indexAll(deps: ImportDeps, tally: ImportTally): Promise<void> {
  tally.toIndex(await countSessionsToIndex(deps.engine.kysely));
  tally.enter('indexing');
  for (;;) {
    const batch = await findSessionsToIndex(deps.engine.kysely, INDEX_BATCH);
    if (batch.length === 0) return;
    if (deps.signal.aborted) return;
    await indexSessions(deps.engine, batch, { signal: deps.signal, onIndexed: tally.sessionIndexed });
  }
}

function now({ clock }: ImportDeps): string {
  return clock.now().toISOString();
}

function quietSince({ clock }: ImportDeps): number {
  return clock.now().getTime() - QUIET_MS;
}
