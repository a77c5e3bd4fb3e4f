import type { App } from './open-app.ts';
import type { ImportProgress } from '../api/server.ts';
import { createTally, type ImportCounts } from './import-tally.ts';
import { archiveSession } from '../pipeline/archive-session.ts';
import { runPipeline } from '../pipeline/run.ts';
import type { PendingSession } from '../domain/pipeline.ts';
import { findPending } from '../store/queries/claims/unfinished.ts';
import { findSessionsToArchive } from '../store/queries/transcript/prune-rows.ts';
import { forgetAttempts, listParsedSessions, markUnparsed } from '../store/queries/sessions/session-state.ts';
import { PARSER_VERSION } from '../transcript/parser-version.ts';

/** What a person can ask of the line: everything else it does by itself. */

export interface HandOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
  /** At most so many sessions. */
  readonly limit?: number;
}

/** Works through what is left to do, without looking for new files. */
export async function recover(app: App, { signal, onProgress, limit }: HandOptions): Promise<ImportCounts> {
  const tally = createTally(onProgress);
  const line = await app.openPipeline(signal);
  await forgetAttempts(app.store.engine.kysely);
  await runPipeline({ ...line, rowsOnly: false, ...(limit === undefined ? {} : { limit }) }, tally);
  return tally.counts();
}

/** Derives sessions again from their archived bytes; archived ones get their rows back. */
export async function reparse(
  app: App,
  which: readonly string[] | 'all',
  now: string,
  options: HandOptions,
): Promise<ImportCounts> {
  const { kysely } = app.store.engine;
  await markUnparsed(kysely, which === 'all' ? await listParsedSessions(kysely) : which, now);
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

/** Removes the rows of these sessions, each after it was verified that its bytes give them again. Gives those it did. */
export async function archiveSessions(
  app: App,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const line = await app.openPipeline(signal);
  const archived: string[] = [];
  for (const id of ids) {
    if (signal.aborted) break;
    if ((await archiveSession(line, id)) !== null) archived.push(id);
  }
  return archived;
}
