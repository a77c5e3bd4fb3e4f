import { type ArchiveDeps, archiveChange, type ChangedFile, type Changes, findChanges } from './archive-changes.ts';
import type { Discovery } from './capture/discover.ts';
import { PARSED_KINDS } from './capture/file-kinds.ts';
import { lifeOf } from './domain/session.ts';
import type { ImportProgress } from './domain/query.ts';
import { createTally, type ImportCounts, type ImportTally } from './import-tally.ts';
import { mapConcurrently } from './lib/map-concurrently.ts';
import { type LineDeps, workOnNext, workThrough } from './pipeline/run-line.ts';
import { isAway } from './pipeline/step-log.ts';
import type { WorkResult } from './pipeline/work-on-session.ts';
import { markGone } from './store/queries/archive.ts';
import { countDue } from './store/queries/claims.ts';
import { saveDevice } from './store/queries/devices.ts';
import { findUnsettledSessions, readLastWord, settleSession } from './store/queries/session-life.ts';

export interface ImportDeps extends LineDeps, ArchiveDeps {
  readonly onProgress: (progress: ImportProgress) => void;
  /** Files archived at a time; it is mostly waiting for the disk to confirm. */
  readonly concurrency: number;
  /** Leave the full text for later: a list is wanted now. */
  readonly rowsOnly: boolean;
}

export interface ImportReport extends ImportCounts {
  readonly files: number;
  readonly skipped: Discovery['skipped'];
  readonly ignored: number;
}

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
  // Archived but not understood: a run was stopped in between, or the parser has become better since.
  await workThrough(deps, 'parse', tell(tally, '', tally.sessionParsed));
  await workThrough(
    deps,
    'correlate',
    tell(tally, 'git activity of ', () => {}),
  );
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
  const parsed = tell(tally, '', tally.sessionParsed);
  for await (const sessionId of archived) {
    if (deps.signal.aborted) return;
    const result = await workOnNext(deps, 'parse', sessionId);
    if (result !== null) parsed(result);
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
    if (isAway(error)) throw error;
    tally.fail(change.file.path, error);
    tally.fileDone(false);
  }
}

/** One session that cannot be understood is named in the report, and tried again later; the others go on. */
function tell(tally: ImportTally, what: string, done: () => void): (result: WorkResult) => void {
  return (result) => {
    if (result.outcome === 'done') done();
    if (result.outcome === 'failed') tally.fail(`${what}${result.sessionId}`, result.error);
  };
}

/** Nobody may ever say that a session has ended: a crash, a power cut. Its files fall silent all the same. */
async function settleSessions(deps: ImportDeps): Promise<void> {
  const { kysely } = deps.engine;
  const { sessions, quietSinceMs } = deps.liveSigns();
  for (const { id, lastWriteMs } of await findUnsettledSessions(kysely)) {
    const lastWord = await readLastWord(kysely, id);
    const { endReason } = lifeOf({ lastWriteMs, lastWord, isOpen: sessions.has(id), quietSinceMs });
    if (endReason !== null) await settleSession(kysely, id, endReason, now(deps));
  }
}

async function indexAll(deps: ImportDeps, tally: ImportTally): Promise<void> {
  tally.toIndex(await countDue(deps.engine, 'index'));
  tally.enter('indexing');
  await workThrough(deps, 'index', tell(tally, 'full text of ', tally.sessionIndexed));
}

function now({ clock }: ImportDeps): string {
  return clock.now().toISOString();
}
