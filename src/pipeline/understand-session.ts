import { type ReadDeps, type ReadFile, readGeneration } from '../archive/archive-bytes.ts';
import type { PriceStamp } from '../domain/cost.ts';
import { FuelError } from '../domain/errors.ts';
import { toJournal } from '../domain/journal-note.ts';
import { type Claim, MAX_ATTEMPTS } from '../domain/pipeline.ts';
import type { ArchiveJournal, Clock } from '../domain/ports.ts';
import { inferLiveness, type LastReport } from '../domain/session.ts';
import type { ResolvedWorkspace } from '../domain/workspace.ts';
import { ThreadDied } from '../lib/thread.ts';
import type { Engine, Tx } from '../store/engine.ts';
import type { SourceFile } from '../store/queries/archive/archive.ts';
import { holdClaims } from '../store/queries/claims/claims.ts';
import type { Device } from '../store/queries/devices/devices.ts';
import { findReported, linkEvents, placeEvents } from '../store/queries/events/events.ts';
import { countParsed, readFormerLinks } from '../store/queries/lineage/count-once.ts';
import { saveOrigins } from '../store/queries/lineage/lineage.ts';
import { readClearMoments, settleClears } from '../store/queries/sessions/clears.ts';
import { readLastReport, refreshSource } from '../store/queries/sessions/session-reports.ts';
import { settleSiblingTitles } from '../store/queries/sessions/sibling-titles.ts';
import type { TableRows } from '../store/queries/transcript/revision-rows.ts';
import {
  deletePrevious,
  extendRevision,
  nextRevision,
  type Revision,
  saveRows,
  swapRevision,
} from '../store/queries/transcript/save-revision.ts';
import { assignWorkspaces } from '../store/queries/workspaces/workspaces.ts';
import { type BuildDeps, type BuildInput, type BuiltSession, buildSession } from './build-session.ts';
import type { StepLog } from './claimed-session.ts';
import { type FetchedSession, fetchFiles } from './fetch-files.ts';
import { besideOf, canContinue, type GrowingSessions } from './growing-sessions.ts';
import type { MaskingDeps } from './masking.ts';

/** Another thread that can build sessions, because it has their bytes. */
export interface SessionBuilder {
  /** Null when it cannot build them. Errors: ThreadDied; those of the parser. */
  build(inputs: readonly BuildInput[]): Promise<readonly BuiltSession[]> | null;
}

export interface UnderstandDeps extends ReadDeps, MaskingDeps {
  readonly price: BuildDeps['price'];
  readonly priceStamp: PriceStamp;
  readonly builder?: SessionBuilder | undefined;
  readonly clock: Clock;
  /** This machine; its folders only determine the workspaces of its own sessions. */
  readonly device: Device;
  readonly workspaces: { resolve(cwd: string | null): Promise<ResolvedWorkspace> };
  readonly journal: ArchiveJournal;
  /** The directory encoded in the name of a project folder, if it exists on this machine. */
  readonly decodeFolder: (folderName: string) => string | null;
  readonly growing: GrowingSessions;
}

/** Evidence that a session is running: its client reports it, or its files are still growing. */
export interface LiveSigns {
  readonly sessions: ReadonlySet<string>;
  /**
   * A session is quiet if its files were not written to since then; the wait is shorter if its process is known to be
   * gone.
   */
  readonly quietSinceMs: (sessionId: string) => number;
}

/**
 * Turns the archived bytes of claimed sessions into rows: a new revision beside the current one, made current in one
 * transaction with the state and counts of the sessions and of related sessions. For a session that has only grown, only
 * new bytes are read and changed rows written. Nothing is visible before that transaction, and nothing is lost after a
 * crash. Several sessions share their transactions; if that fails, the caller tries each alone.
 */
export async function understandSessions(
  deps: UnderstandDeps,
  claims: readonly Claim[],
  live: LiveSigns,
  { log, checkpoint }: { readonly log: StepLog; readonly checkpoint: () => void },
): Promise<void> {
  const fetched = await log.run('fetch', async () => {
    const sessions = await fetchFiles(deps, claims);
    for (const session of sessions) refuseCrashing(session);
    return sessions;
  });
  const inputs = fetched.map((session) => inputOf(deps, session, live));
  const built = await log.run('parse', () => buildSessions(deps, inputs, checkpoint));
  await log.run('persist', () => persistRows(deps, built));
  await log.run('publish', () => makeCurrent(deps, built, live));
  for (const { fetched: session, revision, resume, marks } of built) {
    if (resume === null) continue;
    deps.growing.keep(session.claim.sessionId, {
      ...resume,
      revision: revision.number,
      parsedVersion: session.capturedVersion,
      beside: besideOf(session),
      marks,
    });
  }
}

/** F9: a crashed process cannot record its failure; give up after MAX_ATTEMPTS crashes. */
function refuseCrashing({ attempts }: FetchedSession): void {
  if (attempts < MAX_ATTEMPTS) return;
  throw new FuelError(
    'internal',
    `Parsing was started ${MAX_ATTEMPTS} times and never finished: the process was killed or ran out of memory.`,
    { hint: 'Its data is kept. Run `fuel-code reparse` to try again.' },
  );
}

interface Input extends BuildInput {
  readonly fetched: FetchedSession;
}

function inputOf({ growing }: UnderstandDeps, fetched: FetchedSession, live: LiveSigns): Input {
  const { sessionId } = fetched.claim;
  const remembered = growing.take(sessionId);
  const kept = remembered !== null && canContinue(remembered, fetched) ? remembered : null;
  const isGrowing = live.sessions.has(sessionId) || lastWriteMs(fetched.all) >= live.quietSinceMs(sessionId);
  const next = revisionOf(fetched);
  return { fetched, kept, isGrowing, revision: kept === null ? next : { ...next, number: kept.revision } };
}

function revisionOf(fetched: FetchedSession): Revision {
  const fileIds = fetched.transcripts.map(({ id }) => id);
  return nextRevision(fetched.claim, fetched, fileIds);
}

type Understood = Input & BuiltSession;

/** Several sessions on which a thread crashed are retried one by one; a single one is retried in this thread. */
async function buildSessions(
  deps: UnderstandDeps,
  inputs: readonly Input[],
  checkpoint: () => void,
): Promise<readonly Understood[]> {
  const elsewhere = await deps.builder?.build(inputs)?.catch((error: unknown) => {
    checkpoint();
    if (error instanceof ThreadDied && inputs.length === 1) return null;
    throw error;
  });
  const built = elsewhere ?? (await Array.fromAsync(inputs, (input) => buildHere(deps, input, checkpoint)));
  checkpoint();
  return inputs.map((input, at) => ({ ...input, ...(built[at] as BuiltSession) }));
}

function buildHere(deps: UnderstandDeps, input: Input, checkpoint: () => void): Promise<BuiltSession> {
  const { engine, price, masking } = deps;
  const { revision } = input;
  const storeBlocks = (blocks: TableRows, isFirst: boolean) =>
    saveRows(engine, { revisions: [revision], unbegun: isFirst ? [revision] : [], tables: [blocks] });
  const read: ReadFile = (file, from) => readGeneration(deps, file, from);
  return buildSession({ price, read, checkpoint, storeBlocks, openMask: masking.open }, input);
}

/** Writes the next revision without making it current, to compare it with the current one. */
export async function rewriteBeside(deps: UnderstandDeps, claim: Claim, checkpoint: () => void): Promise<Revision> {
  const [fetched] = (await fetchFiles(deps, [claim])) as [FetchedSession];
  const revision = revisionOf(fetched);
  const input = { fetched, revision, kept: null, isGrowing: false };
  await persistRows(deps, [{ ...input, ...(await buildHere(deps, input, checkpoint)) }]);
  return revision;
}

/**
 * Rows of new revisions are written beside the current ones; those of a grown session wait for the swap transaction.
 */
async function persistRows({ engine }: UnderstandDeps, sessions: readonly Understood[]): Promise<void> {
  const fresh = sessions.filter(({ kept }) => kept === null);
  if (fresh.length === 0) return;
  await saveRows(engine, {
    revisions: fresh.map(({ revision }) => revision),
    unbegun: fresh.flatMap(({ isBegun, revision }) => (isBegun ? [] : [revision])),
    tables: fresh.flatMap(({ blocks, tables }) => [blocks, ...tables]),
  });
}

async function extendRows(engine: Engine, tx: Tx, session: Understood): Promise<void> {
  const { kept, revision, tables, blocks, marks } = session;
  if (kept === null) return;
  const { unsureBlocks, marks: before } = kept;
  await extendRevision(engine, tx, revision, { tables, before, after: marks, blocks, unsureBlocks });
}

async function makeCurrent(deps: UnderstandDeps, sessions: readonly Understood[], live: LiveSigns): Promise<void> {
  const { engine, clock, device, journal } = deps;
  const now = clock.now().toISOString();
  const ids = sessions.map(({ fetched }) => fetched.claim.sessionId);
  const parsedBefore = sessions.flatMap(({ fetched }) => (fetched.revision > 0 ? [fetched.claim.sessionId] : []));
  const workspaces = await resolveWorkspaces(deps, sessions);
  await engine.transaction(async (tx) => {
    // Taken first: waiting for this lock while holding a session row could deadlock with the process that holds it.
    await engine.oneAtATime(tx, 'counting');
    await holdClaims(
      engine,
      tx,
      sessions.map(({ fetched }) => fetched.claim),
    );
    const assigned = await assignWorkspaces(tx, device.id, workspaces, now);
    const reports = await applyEvents(tx, ids, assigned.ids);
    // A session without rows has no ties.
    const formerTies = await readFormerLinks(tx, parsedBefore);
    const formerMoments = await readClearMoments(tx, ids);
    for (const session of sessions) {
      const { sessionId } = session.fetched.claim;
      const workspaceId = assigned.ids.get(sessionId) ?? null;
      await extendRows(engine, tx, session);
      await swapRevision(tx, session.revision, session.outcome, {
        workspaceId,
        ...livenessOf(session, reports.get(sessionId) ?? null, live),
        priceBook: deps.priceStamp.id,
        priceRates: deps.priceStamp.ratesOf(session.outcome.models),
        now,
      });
    }
    await deletePrevious(tx, ids, parsedBefore);
    await saveOrigins(
      engine,
      tx,
      sessions.map(({ outcome: { sessionId, origin }, fetched }) => ({ sessionId, origin, lineage: fetched.lineage })),
    );
    await settleSiblingTitles(tx, ids, now);
    await countParsed(tx, ids, formerTies);
    await settleClears(tx, ids, formerMoments);
    // Inside the transaction: the store must never contain facts that it could not be rebuilt from.
    if (assigned.notes.length > 0) await journal.append(...assigned.notes.map(toJournal));
  });
}

async function resolveWorkspaces(
  { device, workspaces, decodeFolder }: UnderstandDeps,
  sessions: readonly Understood[],
): Promise<ReadonlyMap<string, ResolvedWorkspace>> {
  const resolved = new Map<string, ResolvedWorkspace>();
  for (const { fetched, outcome } of sessions) {
    const isForeign = fetched.deviceId !== device.id;
    const folder = isForeign ? null : (outcome.cwd ?? directoryOf(fetched.all, decodeFolder));
    resolved.set(fetched.claim.sessionId, await workspaces.resolve(folder));
  }
  return resolved;
}

/** Applies what hooks reported about sessions, and returns the last report of each. */
async function applyEvents(
  tx: Tx,
  sessionIds: readonly string[],
  workspaceIds: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, LastReport | null>> {
  await linkEvents(tx, sessionIds);
  const reports = new Map<string, LastReport | null>();
  for (const id of await findReported(tx, sessionIds)) {
    const workspaceId = workspaceIds.get(id);
    if (workspaceId !== undefined) await placeEvents(tx, id, workspaceId);
    await refreshSource(tx, id);
    reports.set(id, await readLastReport(tx, id));
  }
  return reports;
}

/** Whether the session is running, how it ended, and the start that a hook reported. */
function livenessOf({ fetched, outcome }: Understood, lastReport: LastReport | null, live: LiveSigns) {
  const { sessionId } = fetched.claim;
  const isOpen = live.sessions.has(sessionId);
  const quietSinceMs = live.quietSinceMs(sessionId);
  const lastLineMs = outcome.endedAt === null ? null : Date.parse(outcome.endedAt);
  const signs = { lastWriteMs: lastWriteMs(fetched.all), lastLineMs, lastReport, isOpen, quietSinceMs };
  const reportedStart = lastReport === null ? null : timeOf(lastReport.atMs);
  // Files may be copied at any time: without a timestamp in a line or a report, their times do not show that it is
  // running.
  const isUndated = !outcome.isDated && reportedStart === null;
  return { ...inferLiveness(isUndated ? { ...signs, lastWriteMs: 0, isOpen: false } : signs), reportedStart };
}

function lastWriteMs(files: readonly SourceFile[]): number {
  return Math.max(0, ...files.map(({ seenMtimeMs }) => seenMtimeMs));
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Fallback when no line names a working directory: the project folder of the transcript may encode it. */
function directoryOf(files: readonly SourceFile[], decodeFolder: UnderstandDeps['decodeFolder']): string | null {
  const folder = files.find(({ kind }) => kind === 'main' || kind === 'agent')?.path.split('/')[1];
  return folder === undefined ? null : decodeFolder(folder);
}
