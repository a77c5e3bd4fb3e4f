import type { ImportProgress } from '../api/server.ts';
import type { PendingSession } from '../domain/pipeline.ts';
import { archiveSession } from '../pipeline/archive-session.ts';
import { openBulk } from '../pipeline/bulk.ts';
import { runPipeline } from '../pipeline/run.ts';
import { findPending } from '../store/queries/claims/unfinished.ts';
import { forgetAttempts, listUnarchivedSessions, markUnparsed } from '../store/queries/sessions/session-state.ts';
import { findSessionsToArchive } from '../store/queries/transcript/prune-rows.ts';
import { PARSER_VERSION } from '../transcript/parser-version.ts';
import { createTally, type ImportCounts } from './import-tally.ts';
import type { App } from './open-app.ts';

export interface PipelineRunOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
  /** Maximum number of sessions. */
  readonly limit?: number;
  /** Threads that read and parse sessions; by default one if there is much to parse. */
  readonly threads?: number | undefined;
}

/** Finishes pending work without scanning for new files. */
export async function recover(app: App, options: PipelineRunOptions): Promise<ImportCounts> {
  const { signal, onProgress, limit, threads } = options;
  const tally = createTally(onProgress);
  const pipeline = await app.openPipeline({ signal, threads });
  await forgetAttempts(app.store.engine.kysely);
  await app.store.engine.postponeTextIndexes();
  const deps = { ...pipeline, rowsOnly: false, ...(limit === undefined ? {} : { limit }) };
  await using bulk = openBulk(deps, tally);
  await runPipeline({ ...deps, bulk }, tally);
  return tally.counts();
}

/** Parses sessions again from the archive, which also restores archived ones. */
export async function reparse(
  app: App,
  which: readonly string[] | 'all',
  now: string,
  options: PipelineRunOptions,
): Promise<ImportCounts> {
  const { kysely } = app.store.engine;
  await markUnparsed(kysely, which === 'all' ? await listUnarchivedSessions(kysely) : which, now);
  return recover(app, options);
}

export async function listPending(app: App, limit: number): Promise<readonly PendingSession[]> {
  const { sessions, quietSinceMs } = (await app.openPipeline()).liveSigns();
  const live = { sessions, quietSince: new Date(quietSinceMs('')).toISOString() };
  return findPending(app.store.engine, { parserVersion: PARSER_VERSION, deviceId: app.device.id, live }, limit);
}

export type ArchiveCandidate = Awaited<ReturnType<typeof findSessionsToArchive>>[number];

export async function listToArchive(
  app: App,
  endedBefore: string,
  limit: number,
): Promise<readonly ArchiveCandidate[]> {
  return findSessionsToArchive(app.store.engine.kysely, endedBefore, limit);
}

/** Removes rows of sessions that can be restored from their bytes. Returns the ids of archived sessions. */
export async function archiveSessions(
  app: App,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const pipeline = await app.openPipeline({ signal });
  const archived: string[] = [];
  for (const id of ids) {
    if (signal.aborted) break;
    if (await archiveSession(pipeline, id)) archived.push(id);
  }
  return archived;
}
