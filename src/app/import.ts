import type { ImportProgress } from '../api/server.ts';
import { archiveChange } from '../archive/archive-file.ts';
import { archiveTogether, createStorer } from '../archive/archive-together.ts';
import type { ArchiveDeps, ChangedFile, Changes } from '../archive/find-changes.ts';
import type { SkippedFile } from '../capture/walk-home.ts';
import { PARSED_KINDS } from '../domain/file-kinds.ts';
import { recordDevice } from '../ingest/device.ts';
import { ThreadDied } from '../lib/thread.ts';
import { mapConcurrently } from '../lib/timing.ts';
import { inBatches, MAX_BATCH_BYTES } from '../pipeline/batches.ts';
import { type BulkStarters, openBulk } from '../pipeline/bulk.ts';
import { isUnavailable } from '../pipeline/claimed-session.ts';
import { countResult, type RunDeps, runPipeline, runStep } from '../pipeline/run.ts';
import type { Bulk } from '../pipeline/steps.ts';
import { markGone } from '../store/queries/archive/archive.ts';
import { createTally, type ImportCounts, type ImportTally } from './import-tally.ts';

export interface ImportDeps extends RunDeps, ArchiveDeps, BulkStarters {
  readonly onProgress: (progress: ImportProgress) => void;
  /** Files archived in parallel; most of the time is spent waiting for fsync. */
  readonly concurrency: number;
}

/** With the threads of this import. */
interface BulkDeps extends ImportDeps {
  readonly bulk: Bulk;
}

export interface ImportReport extends ImportCounts {
  readonly files: number;
  readonly skipped: readonly SkippedFile[];
  readonly ignored: number;
}

/**
 * One import: archives new bytes and parses changed sessions, newest first; then archives other files; the full-text index
 * comes last. All pending work is derived from the store, so a run may stop at any point.
 */
export async function runImport(deps: ImportDeps, changes: Changes): Promise<ImportReport> {
  const tally = createTally(deps.onProgress);
  await recordDevice(deps, deps.device, now(deps));
  const { found, gone } = changes;
  tally.plan(changes.changed.length, bytesToRead(changes.changed));
  // First, so that a moved file is known to be gone from its old path when its session is parsed.
  await markGone(
    deps.engine.kysely,
    gone.map(({ id }) => id),
    now(deps),
  );
  tally.enter('importing');
  await using bulk = openBulk(deps, tally);
  await runSteps({ ...deps, bulk }, changes, tally);
  tally.enter('idle');
  return { files: found.files, skipped: found.skipped, ignored: found.ignored, ...tally.counts() };
}

async function runSteps(deps: BulkDeps, changes: Changes, tally: ImportTally): Promise<void> {
  const { indexes, transcripts, beside } = inOrder(changes);
  // Before the transcripts, because index entries are parsed together with their sessions.
  await archiveSideFiles(deps, indexes, tally);
  if (transcripts.length > 0) await deps.engine.postponeTextIndexes();
  await importTranscripts(deps, transcripts, changes.knownSessions, tally);
  await archiveSideFiles(deps, beside, tally);
  await deps.journal.flush();
  await runPipeline(deps, tally);
}

function bytesToRead(changed: readonly ChangedFile[]): number {
  return sumOf(changed, ({ file, known }) => Math.max(0, file.sizeBytes - (known?.archivedBytes ?? 0)));
}

function sumOf<T>(items: readonly T[], pick: (item: T) => number): number {
  return items.reduce((sum, item) => sum + pick(item), 0);
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

/** Batches that are archived while earlier ones are parsed; together with their sizes, this bounds memory. */
const BATCHES_AHEAD = 2;

/** Sessions that the store does not know share their transactions, and are parsed from the bytes just archived. */
async function importTranscripts(
  deps: BulkDeps,
  transcripts: readonly ChangedFile[],
  known: ReadonlySet<string>,
  tally: ImportTally,
): Promise<void> {
  const isKnown = ([sessionId, files]: SessionFiles) =>
    known.has(sessionId) || files.some(({ known: before, formerly }) => before !== null || formerly !== null);
  const groups = [...Map.groupBy(transcripts, ({ sessionId }) => sessionId ?? '')].toSorted(byNewest);
  const batches = inBatches(groups, (group) => ({ bytes: bytesOf(group), isAlone: isKnown(group) }));
  await deps.bulk.expect(bytesToRead(transcripts));
  const fits = (group: SessionFiles) => !isKnown(group) && bytesOf(group) <= MAX_BATCH_BYTES;
  const archived = mapConcurrently(batches, BATCHES_AHEAD, (batch) =>
    batch.every(fits) ? archiveNew(deps, batch, tally) : archiveAny(deps, batch, tally),
  );
  const parsed = mapConcurrently(archived, deps.bulk.batchesAtOnce(), async ({ ids, from, release }) => {
    const results = deps.signal.aborted ? [] : await runStep({ ...deps, ...from }, 'parse', ids);
    release();
    return results;
  });
  for await (const results of parsed) for (const result of results) countResult(tally, 'parse', result);
}

function bytesOf([, files]: SessionFiles): number {
  return sumOf(files, ({ file }) => file.sizeBytes);
}

function byNewest([, a]: SessionFiles, [, b]: SessionFiles): number {
  const newest = (files: readonly ChangedFile[]) => Math.max(...files.map(({ file }) => file.mtimeMs));
  return newest(b) - newest(a);
}

interface ArchivedBatch {
  readonly ids: readonly string[];
  /** Where to get its bytes, besides the archive. */
  readonly from: Pick<ImportDeps, 'held' | 'builder'>;
  readonly release: () => void;
}

/** A session of any size and state. Its bytes are read back from the archive, in pieces. */
async function archiveAny(
  deps: ImportDeps,
  batch: readonly SessionFiles[],
  tally: ImportTally,
): Promise<ArchivedBatch> {
  for (const change of filesOf(batch)) await archiveOne(deps, change, tally);
  return { ids: idsOf(batch), from: {}, release: () => {} };
}

function idsOf(batch: readonly SessionFiles[]): readonly string[] {
  return batch.map(([id]) => id);
}

function filesOf(batch: readonly SessionFiles[]): readonly ChangedFile[] {
  return batch.flatMap(([, changes]) => changes);
}

/** New sessions, whose bytes are kept for the parse. If the thread crashes, this thread does its work. */
async function archiveNew(deps: BulkDeps, batch: readonly SessionFiles[], tally: ImportTally): Promise<ArchivedBatch> {
  const thread = deps.bulk.openThread();
  const ids = idsOf(batch);
  const files = filesOf(batch);
  const listener = { ...listenerOf(deps, tally), onBytes: (count: number) => tally.bytesRead(count) };
  try {
    if (thread !== null) {
      await archiveTogether(deps, thread, files, listener);
      return { ids, from: { builder: thread }, release: () => thread.release() };
    }
  } catch (error) {
    if (!(error instanceof ThreadDied)) throw error;
    if (deps.signal.aborted) return { ids, from: {}, release: () => {} };
  }
  const storer = createStorer(deps);
  await archiveTogether(deps, storer, files, listener);
  return { ids, from: { held: storer.held }, release: () => {} };
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
