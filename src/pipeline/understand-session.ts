import type { PriceStamp } from '../domain/cost.ts';
import { FuelError } from '../domain/errors.ts';
import { type Claim, MAX_ATTEMPTS } from '../domain/pipeline.ts';
import type { ArchiveJournal, Clock } from '../domain/ports.ts';
import { inferLiveness } from '../domain/session.ts';
import type { ParsedSession } from '../domain/transcript.ts';
import { toJournal } from '../domain/workspace-note.ts';
import type { ResolvedWorkspace } from '../domain/workspace.ts';
import type { Engine, Tx } from '../store/engine.ts';
import type { SourceFile } from '../store/queries/archive/archive.ts';
import { holdClaim, hasNoAttemptsLeft } from '../store/queries/claims/claims.ts';
import { countParsed, readFormerLinks } from '../store/queries/lineage/count-once.ts';
import { type Device, loadSessionOwner } from '../store/queries/devices/devices.ts';
import { linkEvents, placeEvents } from '../store/queries/events/events.ts';
import {
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
import { assignWorkspace } from '../store/queries/workspaces/workspaces.ts';
import { besideOf, fits, type GrowingSessions, type KeptParse } from './growing-sessions.ts';
import { type Fetched, fetchFiles, type ParseDeps, type Parsed, parseFiles } from './parse-files.ts';
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
 * Turns a claimed session's archived bytes into rows: a new revision beside the current one, made current in one
 * transaction with the state and counts of the session and of related sessions. For a session that has only grown, only
 * new bytes are read and changed rows written. Nothing is visible before that transaction, and nothing is lost after a
 * crash.
 */
export async function understandSession(
  deps: UnderstandDeps,
  claim: Claim,
  live: LiveSigns,
  { log, checkpoint }: { readonly log: StepLog; readonly checkpoint: () => void },
): Promise<void> {
  const { sessionId } = claim;
  const fetched = await log.run('fetch', async () => {
    await refuseDeadly(deps.engine, sessionId);
    return fetchFiles(deps, sessionId);
  });
  const remembered = deps.growing.take(sessionId);
  const kept = remembered !== null && fits(remembered, fetched) ? remembered : null;
  const isGrowing = live.sessions.has(sessionId) || lastWriteMs(fetched.all) >= live.quietSinceMs(sessionId);
  const parsed = await log.run('parse', () => parseFiles(deps, claim, fetched, { checkpoint, kept, isGrowing }));
  const rows = await log.run('persist', () => persistRows(deps, parsed, kept));
  await log.run('publish', () => makeCurrent(deps, parsed, fetched, live, rows.write));
  if (parsed.resume === null) return;
  deps.growing.keep(sessionId, {
    ...parsed.resume,
    revision: parsed.revision.number,
    parsedVersion: fetched.capturedVersion,
    beside: besideOf(fetched),
    marks: rows.marks,
  });
}

/** F9: a crashed process cannot record its failure; give up after MAX_ATTEMPTS crashes. */
async function refuseDeadly(engine: Engine, sessionId: string): Promise<void> {
  if (!(await hasNoAttemptsLeft(engine.kysely, sessionId))) return;
  throw new FuelError(
    'internal',
    `Parsing was started ${MAX_ATTEMPTS} times and never finished: the process was killed or ran out of memory.`,
    { hint: 'Its data is kept. Run `fuel-code reparse` to try again.' },
  );
}

/** Writes the next revision without making it current, to compare it with the current one. */
export async function rewriteBeside(deps: UnderstandDeps, claim: Claim, checkpoint: () => void): Promise<Revision> {
  const fetched = await fetchFiles(deps, claim.sessionId);
  const parsed = await parseFiles(deps, claim, fetched, { checkpoint, kept: null, isGrowing: false });
  await persistRows(deps, parsed, null);
  return parsed.revision;
}

interface PersistedRows {
  readonly marks: RowMarks;
  /** Writes the remaining rows in the transaction that updates the session. */
  write(tx: Tx): Promise<void>;
}

/**
 * Rows of a new revision are written beside the current ones; those of a grown session wait for the swap transaction.
 */
async function persistRows(
  { engine }: UnderstandDeps,
  { revision, parsed, blocks, resume }: Parsed,
  kept: KeptParse | null,
): Promise<PersistedRows> {
  const tables = tableRows(revision, parsed);
  const marks: RowMarks = resume === null ? new Map() : markRows(tables);
  if (kept !== null) {
    const { unsureBlocks, marks: before } = kept;
    const after = resume === null ? markRows(tables) : marks;
    return {
      marks,
      write: (tx) => extendRevision(engine, tx, revision, { tables, before, after, blocks, unsureBlocks }),
    };
  }
  await saveRows(engine, revision, [blockRows(revision, blocks), ...tables]);
  return { marks, write: async () => {} };
}

async function makeCurrent(
  { engine, clock, device, workspaces, journal, decodeFolder, priceStamp }: UnderstandDeps,
  { revision, parsed }: Parsed,
  { all: files, lineage }: Fetched,
  live: LiveSigns,
  writeRest: PersistedRows['write'],
): Promise<void> {
  const { sessionId } = revision;
  const now = clock.now().toISOString();
  const owner = await loadSessionOwner(engine.kysely, sessionId);
  const isForeign = owner !== null && owner.deviceId !== device.id;
  const folder = isForeign ? null : (parsed.facts.cwds[0] ?? directoryOf(files, decodeFolder));
  const workspace = await workspaces.resolve(folder);
  await engine.transaction(async (tx) => {
    // Taken first: waiting for this lock while holding a session row could deadlock with the process that holds it.
    await engine.oneAtATime(tx, 'counting');
    await holdClaim(engine, tx, revision.claim);
    const { workspaceId, notes } = await assignWorkspace(tx, { sessionId, deviceId: device.id, workspace }, now);
    await linkEvents(tx, sessionId);
    await placeEvents(tx, sessionId, workspaceId);
    await refreshSource(tx, sessionId);
    const lastReport = await readLastReport(tx, sessionId);
    const formerTies = await readFormerLinks(tx, sessionId);
    const formerMoments = await readClearMoments(tx, sessionId);
    const isOpen = live.sessions.has(sessionId);
    const signs = { lastWriteMs: lastWriteMs(files), lastReport, isOpen, quietSinceMs: live.quietSinceMs(sessionId) };
    const reportedStart = lastReport === null ? null : timeOf(lastReport.atMs);
    // Files may be copied at any time: without a timestamp in a line or a report, their times do not show that it is
    // running.
    const isUndated = parsed.facts.startedAt === null && reportedStart === null;
    await writeRest(tx);
    await swapRevision(tx, revision, parsed, {
      workspaceId,
      ...inferLiveness(isUndated ? { ...signs, lastWriteMs: 0, isOpen: false } : signs),
      ...pricedBy(priceStamp, parsed),
      reportedStart,
      now,
    });
    await saveOrigins(tx, parsed, lineage);
    await settleSiblingTitles(tx, sessionId, now);
    await countParsed(tx, sessionId, formerTies);
    await settleClears(tx, sessionId, formerMoments);
    // Inside the transaction: the store must never contain facts that it could not be rebuilt from.
    for (const note of notes) await journal.append(toJournal(note));
  });
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
