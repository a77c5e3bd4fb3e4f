import type { HeldBytes } from '../archive/archive-bytes.ts';
import { archiveTogether } from '../archive/archive-together.ts';
import { type ArchiveDeps, archiveChange, type ChangedFile, type Changes } from '../archive/find-changes.ts';
import type { Discovery } from '../capture/discover.ts';
import { PARSED_KINDS } from '../capture/file-kinds.ts';
import type { ImportProgress } from '../api/server.ts';
import { recordDevice } from '../ingest/device.ts';
import { createTally, type ImportCounts, type ImportTally } from './import-tally.ts';
import { mapConcurrently } from '../lib/timing.ts';
import { inBatches } from '../pipeline/batches.ts';
import { countResult, type RunDeps, runPipeline, runStep } from '../pipeline/run.ts';
import { isUnavailable } from '../pipeline/claimed-session.ts';
import { markGone } from '../store/queries/archive/archive.ts';

export interface ImportDeps extends RunDeps, ArchiveDeps {
  readonly onProgress: (progress: ImportProgress) => void;
  /** Files archived in parallel; most of the time is spent waiting for fsync. */
  readonly concurrency: number;
}

export interface ImportReport extends ImportCounts {
  readonly files: number;
  readonly skipped: Discovery['skipped'];
  readonly ignored: number;
}

/**
 * One import: archives new bytes and parses changed sessions, newest first; then archives other files; the full-text index
 * comes last. All pending work is derived from the store, so a run may stop at any point.
 */
export async function runImport(deps: ImportDeps, changes: Changes): Promise<ImportReport> {
  const tally = createTally(deps.onProgress);
  await recordDevice(deps, deps.device, now(deps));
  const { discovery, gone } = changes;
  tally.plan(changes.changed.length, bytesToRead(changes));
  // First, so that a moved file is known to be gone from its old path when its session is parsed.
  await markGone(
    deps.engine.kysely,
    gone.map(({ id }) => id),
    now(deps),
  );
  tally.enter('importing');
  const { indexes, transcripts, beside } = inOrder(changes);
  // Before the transcripts, because index entries are parsed together with their sessions.
  await archiveSideFiles(deps, indexes, tally);
  await importTranscripts(deps, transcripts, changes.knownSessions, tally);
  await archiveSideFiles(deps, beside, tally);
  await deps.journal.flush();
  await runPipeline(deps, tally);
  tally.enter('idle');
  return { files: discovery.files.length, skipped: discovery.skipped, ignored: discovery.ignored, ...tally.counts() };
}

function bytesToRead({ changed }: Changes): number {
  return changed.reduce((sum, { file, known }) => sum + Math.max(0, file.sizeBytes - (known?.archivedBytes ?? 0)), 0);
}

function inOrder({ changed }: Changes) {
  const others = changed.filter(({ file }) => !PARSED_KINDS.has(file.kind));
  return {
    indexes: others.filter(({ file }) => file.kind === 'sessions_index'),
    transcripts: changed.filter(({ file }) => PARSED_KINDS.has(file.kind)),
    beside: others.filter(({ file }) => file.kind !== 'sessions_index'),
  };
}

/** The changed files of a session. */
type SessionFiles = readonly [sessionId: string, files: readonly ChangedFile[]];

/** Batches that are archived while an earlier one is parsed; together with their sizes, this bounds memory. */
const BATCHES_AHEAD = 2;

/** Sessions that the store does not know share their transactions, and are parsed from the bytes just archived. */
async function importTranscripts(
  deps: ImportDeps,
  transcripts: readonly ChangedFile[],
  known: ReadonlySet<string>,
  tally: ImportTally,
): Promise<void> {
  const groups = [...Map.groupBy(transcripts, ({ sessionId }) => sessionId ?? '')].toSorted(byNewest);
  const batches = inBatches(groups, ([sessionId, files]) => ({
    bytes: files.reduce((sum, { file }) => sum + file.sizeBytes, 0),
    isAlone: known.has(sessionId) || files.some(({ known: before, formerly }) => before !== null || formerly !== null),
  }));
  const archived = mapConcurrently(batches, BATCHES_AHEAD, async (batch) => {
    return { ids: batch.map(([id]) => id), held: await archiveBatch(deps, batch, tally) };
  });
  for await (const { ids, held } of archived) {
    if (deps.signal.aborted) return;
    for (const result of await runStep({ ...deps, held }, 'parse', ids)) countResult(tally, 'parse', result);
  }
}

function byNewest([, a]: SessionFiles, [, b]: SessionFiles): number {
  const newest = (files: readonly ChangedFile[]) => Math.max(...files.map(({ file }) => file.mtimeMs));
  return newest(b) - newest(a);
}

/** A session that is not alone is new. A single one may be of any size and state. */
async function archiveBatch(
  deps: ImportDeps,
  batch: readonly SessionFiles[],
  tally: ImportTally,
): Promise<HeldBytes | undefined> {
  const files = batch.flatMap(([, changes]) => changes);
  if (batch.length > 1) return archiveTogether(deps, files, listenerOf(deps, tally));
  for (const change of files) await archiveOne(deps, change, tally);
  return undefined;
}

async function archiveSideFiles(deps: ImportDeps, beside: readonly ChangedFile[], tally: ImportTally): Promise<void> {
  for await (const _ of mapConcurrently(beside, deps.concurrency, (change) => archiveOne(deps, change, tally))) {
    if (deps.signal.aborted) return;
  }
}

/** A file that cannot be read is listed in the report and does not stop the import. */
async function archiveOne(deps: ImportDeps, change: ChangedFile, tally: ImportTally): Promise<void> {
  if (deps.signal.aborted) return;
  const { onBytes, onDone, onFailed } = listenerOf(deps, tally);
  try {
    onDone(await archiveChange(deps, change, onBytes));
  } catch (error) {
    onFailed(change, error);
  }
}

function listenerOf({ signal }: ImportDeps, tally: ImportTally) {
  return {
    onBytes: (count: number) => {
      tally.bytesRead(count);
      // Stops between two chunks of a huge file; stored chunks are found again by their hash.
      signal.throwIfAborted();
    },
    onDone: (wasChanged: boolean) => tally.fileDone(wasChanged),
    onFailed: ({ file }: ChangedFile, error: unknown) => {
      if (signal.aborted) return;
      if (isUnavailable(error)) throw error;
      tally.fail(file.path, error);
      tally.fileDone(false);
    },
  };
}

function now({ clock }: ImportDeps): string {
  return clock.now().toISOString();
}
