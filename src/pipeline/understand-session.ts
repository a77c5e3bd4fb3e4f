import type { PriceStamp } from '../domain/cost.ts';
import { FuelError } from '../domain/errors.ts';
import { type Claim, MAX_ATTEMPTS } from '../domain/pipeline.ts';
import type { ArchiveJournal, Clock } from '../domain/ports.ts';
import { inferLiveness, type LastReport } from '../domain/session.ts';
import type { ParsedSession } from '../domain/transcript.ts';
import { toJournal } from '../domain/workspace-note.ts';
import type { ResolvedWorkspace } from '../domain/workspace.ts';
import type { Tx } from '../store/engine.ts';
import type { SourceFile } from '../store/queries/archive/archive.ts';
import { holdClaims } from '../store/queries/claims/claims.ts';
import { countParsed, readFormerLinks } from '../store/queries/lineage/count-once.ts';
import type { Device } from '../store/queries/devices/devices.ts';
import { findReported, linkEvents, placeEvents } from '../store/queries/events/events.ts';
import {
  deletePrevious,
  extendRevision,
  markRows,
  type Revision,
  type RowMarks,
  saveRows,
  swapRevision,
} from '../store/queries/transcript/save-revision.ts';
import { readClearMoments, settleClears } from '../store/queries/sessions/clears.ts';
import { saveOrigins } from '../store/queries/lineage/lineage.ts';
import { blockRows, tableRows } from '../store/queries/transcript/revision-rows.ts';
import { readLastReport, refreshSource } from '../store/queries/sessions/session-reports.ts';
import { settleSiblingTitles } from '../store/queries/sessions/sibling-titles.ts';
import { assignWorkspaces } from '../store/queries/workspaces/workspaces.ts';
import { besideOf, fits, type GrowingSessions, type KeptParse } from './growing-sessions.ts';
import { type FetchedSession, fetchFiles, type ParseDeps, type Parsed, parseFiles } from './parse-files.ts';
import type { StepLog } from './claimed-session.ts';

export interface UnderstandDeps extends ParseDeps {
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
    for (const session of sessions) refuseDeadly(session);
    return sessions;
  });
  const parsed = await log.run('parse', () =>
    Array.fromAsync(fetched, (session) => parseFetched(deps, session, live, checkpoint)),
  );
  const understood = await log.run('persist', () => persistRows(deps, parsed));
  await log.run('publish', () => makeCurrent(deps, understood, live));
  for (const { fetched: session, parse, marks } of understood) {
    if (parse.resume === null) continue;
    deps.growing.keep(session.claim.sessionId, {
      ...parse.resume,
      revision: parse.revision.number,
      parsedVersion: session.capturedVersion,
      beside: besideOf(session),
      marks,
    });
  }
}

/** F9: a crashed process cannot record its failure; give up after MAX_ATTEMPTS crashes. */
function refuseDeadly({ attempts }: FetchedSession): void {
  if (attempts < MAX_ATTEMPTS) return;
  throw new FuelError(
    'internal',
    `Parsing was started ${MAX_ATTEMPTS} times and never finished: the process was killed or ran out of memory.`,
    { hint: 'Its data is kept. Run `fuel-code reparse` to try again.' },
  );
}

interface ParsedFiles {
  readonly fetched: FetchedSession;
  readonly parse: Parsed;
  readonly kept: KeptParse | null;
}

async function parseFetched(
  deps: UnderstandDeps,
  fetched: FetchedSession,
  live: LiveSigns,
  checkpoint: () => void,
): Promise<ParsedFiles> {
  const { sessionId } = fetched.claim;
  const remembered = deps.growing.take(sessionId);
  const kept = remembered !== null && fits(remembered, fetched) ? remembered : null;
  const isGrowing = live.sessions.has(sessionId) || lastWriteMs(fetched.all) >= live.quietSinceMs(sessionId);
  return { fetched, kept, parse: await parseFiles(deps, fetched, { checkpoint, kept, isGrowing }) };
}

/** Writes the next revision without making it current, to compare it with the current one. */
export async function rewriteBeside(deps: UnderstandDeps, claim: Claim, checkpoint: () => void): Promise<Revision> {
  const sessions = await fetchFiles(deps, [claim]);
  const parsed = await Array.fromAsync(sessions, async (fetched): Promise<ParsedFiles> => {
    return {
      fetched,
      kept: null,
      parse: await parseFiles(deps, fetched, { checkpoint, kept: null, isGrowing: false }),
    };
  });
  const [{ parse }] = (await persistRows(deps, parsed)) as [Understood];
  return parse.revision;
}

interface Understood extends ParsedFiles {
  readonly marks: RowMarks;
  /** Writes the remaining rows in the transaction that updates the session. */
  write(tx: Tx): Promise<void>;
}

/**
 * Rows of new revisions are written beside the current ones; those of a grown session wait for the swap transaction.
 */
async function persistRows(
  { engine }: UnderstandDeps,
  sessions: readonly ParsedFiles[],
): Promise<readonly Understood[]> {
  const built = sessions.map((session) => {
    const { parse, kept } = session;
    const tables = tableRows(parse.revision, parse.parsed);
    const marks: RowMarks = parse.resume === null && kept === null ? new Map() : markRows(tables);
    return { ...session, tables, marks };
  });
  const fresh = built.filter(({ kept }) => kept === null);
  if (fresh.length > 0) {
    await saveRows(engine, {
      revisions: fresh.map(({ parse }) => parse.revision),
      unbegun: fresh.flatMap(({ parse }) => (parse.isBegun ? [] : [parse.revision])),
      tables: fresh.flatMap(({ parse, tables }) => [blockRows(parse.revision, parse.blocks), ...tables]),
    });
  }
  return built.map(({ tables, marks, ...session }) => ({
    ...session,
    marks,
    write: async (tx) => {
      const { kept, parse } = session;
      if (kept === null) return;
      const { unsureBlocks, marks: before } = kept;
      const extension = { tables, before, after: marks, blocks: parse.blocks, unsureBlocks };
      await extendRevision(engine, tx, parse.revision, extension);
    },
  }));
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
      await session.write(tx);
      await swapRevision(tx, session.parse.revision, session.parse.parsed, {
        workspaceId,
        ...livenessOf(session, reports.get(sessionId) ?? null, live),
        ...pricedBy(deps.priceStamp, session.parse.parsed),
        now,
      });
    }
    await deletePrevious(tx, ids);
    await saveOrigins(
      engine,
      tx,
      sessions.map(({ parse, fetched }) => ({ parsed: parse.parsed, lineage: fetched.lineage })),
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
  for (const { fetched, parse } of sessions) {
    const isForeign = fetched.deviceId !== device.id;
    const folder = isForeign ? null : (parse.parsed.facts.cwds[0] ?? directoryOf(fetched.all, decodeFolder));
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
function livenessOf({ fetched, parse }: Understood, lastReport: LastReport | null, live: LiveSigns) {
  const { sessionId } = fetched.claim;
  const isOpen = live.sessions.has(sessionId);
  const quietSinceMs = live.quietSinceMs(sessionId);
  const signs = { lastWriteMs: lastWriteMs(fetched.all), lastReport, isOpen, quietSinceMs };
  const reportedStart = lastReport === null ? null : timeOf(lastReport.atMs);
  // Files may be copied at any time: without a timestamp in a line or a report, their times do not show that it is
  // running.
  const isUndated = parse.parsed.facts.startedAt === null && reportedStart === null;
  return { ...inferLiveness(isUndated ? { ...signs, lastWriteMs: 0, isOpen: false } : signs), reportedStart };
}

function pricedBy({ id, ratesOf }: PriceStamp, { messages }: ParsedSession) {
  const models = messages.flatMap(({ usage, model }) => (usage === null || model === null ? [] : [model]));
  return { priceBook: id, priceRates: ratesOf(models) };
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
