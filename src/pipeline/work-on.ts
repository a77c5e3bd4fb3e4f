import type { Claim } from '../domain/pipeline.ts';
import type { Tx } from '../store/engine.ts';
import { claimSome, findDue, holdClaim, type Work } from '../store/queries/claims/claims.ts';
import { noteChange } from '../store/queries/sessions/changes.ts';
import { markCorrelated } from '../store/queries/git/git-input.ts';
import { readParseState } from '../store/queries/transcript/save-revision.ts';
import { PARSER_VERSION } from '../transcript/parser-version.ts';
import { indexSessions, refreshIndexedTexts } from './index-session.ts';
import type { StepLog } from './step-log.ts';
import { type SummariseDeps, summariseSession } from './summarise-session.ts';
import { type LiveSigns, understandSession, type UnderstandDeps } from './understand-session.ts';
import { type WorkDeps, workOnSession, workOnSessions, type WorkResult } from './work-on-session.ts';

export interface LineDeps extends UnderstandDeps, WorkDeps, SummariseDeps {
  /** Names this process, and what in it works on sessions. */
  readonly holder: string;
  readonly liveSigns: () => LiveSigns;
  /** The book by which sessions are priced anew; undefined while that of another device counts. */
  readonly priceBook?: string | undefined;
  /** Reads what happened in the repositories of a session. Whatever it writes begins with `hold`. */
  readonly collectGit: (sessionId: string, hold: (tx: Tx) => Promise<void>) => Promise<void>;
  /** Reads what is new in the repositories that sessions of this machine worked in. */
  readonly collectRepositories: (signal: AbortSignal) => Promise<void>;
}

/** Archiving is asked for by a person; everything else follows from what is stored. */
export type LineWork = Exclude<Work, 'archive'>;

type Steps = (deps: LineDeps, claim: Claim, log: StepLog, checkpoint: () => void) => Promise<void>;

/** What there is to do on a session, each with its own claim: what one of them could not do is tried again alone. */
const STEPS_OF: Readonly<Record<LineWork, Steps>> = {
  parse: async (deps, claim, log, checkpoint) => {
    await understandSession(deps, claim, deps.liveSigns(), { log, checkpoint });
  },
  correlate: async (deps, claim, log) => {
    const { engine } = deps;
    const hold = (tx: Tx) => holdClaim(engine, tx, claim);
    const state = await readParseState(engine.kysely, claim.sessionId);
    await log.run('correlate', () => deps.collectGit(claim.sessionId, hold));
    await engine.transaction(async (tx) => {
      await hold(tx);
      await markCorrelated(tx, claim.sessionId, state);
    });
    await log.run('announce', () => noteChange(engine.kysely, claim.sessionId));
  },
  summarise: (deps, claim, log) =>
    log.run('summarise', async () => {
      await summariseSession(deps, claim.sessionId);
      await refreshIndexedTexts(deps.engine, claim.sessionId);
    }),
  index: (deps, claim, log, checkpoint) => indexClaimed(deps, [claim], log, checkpoint),
};

/** Wants the disk of the machine that the session ran on, unless that one only ships. */
const NEEDS_OWN_DISK: ReadonlySet<LineWork> = new Set(['correlate']);

function indexClaimed(
  { engine }: LineDeps,
  claims: readonly Claim[],
  log: StepLog,
  checkpoint: () => void,
): Promise<void> {
  return log.run('index', () => indexSessions(engine, claims, checkpoint));
}

/** Does this work on a session; null when it does not need it, or somebody else is at it. */
export async function workOn(deps: LineDeps, work: LineWork, sessionId: string): Promise<WorkResult | null> {
  const [claim] = await claimFor(deps, work, { count: 1, sessionId });
  if (claim === undefined) return null;
  return workOnSession(deps, claim, (log, checkpoint) => STEPS_OF[work](deps, claim, log, checkpoint));
}

function claimFor(
  deps: LineDeps,
  work: LineWork,
  { count, ...which }: { readonly count: number; readonly sessionId?: string; readonly isHarmless?: boolean },
): Promise<readonly Claim[]> {
  return claimSome(deps.engine, work, { holder: deps.holder, ...dueOptions(deps, work), ...which }, count);
}

/** Sessions that need this work, newest first. To claim them one by one is quicker than to look for each. */
export function findWork(deps: LineDeps, limit: number, work: LineWork): Promise<readonly string[]> {
  return findDue(deps.engine, work, dueOptions(deps, work), limit);
}

function dueOptions({ priceBook, device }: LineDeps, work: LineWork) {
  const versions = { parserVersion: PARSER_VERSION, priceBook };
  return NEEDS_OWN_DISK.has(work) ? { ...versions, deviceId: device.id } : versions;
}

/** Sessions that are indexed at a time: an index likes to be written in large pieces. */
const INDEXED_AT_ONCE = 50;

/** F9: what somebody has died of comes last and alone: of the others in its company nobody could tell it apart. */
async function claimToIndex(deps: LineDeps, count: number): Promise<readonly Claim[]> {
  const harmless = await claimFor(deps, 'index', { count, isHarmless: true });
  return harmless.length > 0 ? harmless : claimFor(deps, 'index', { count: 1 });
}

/** Puts the texts of every session that needs it into the index. */
export async function indexThrough(
  deps: LineDeps & { readonly limit?: number },
  tell: (result: WorkResult) => void,
): Promise<void> {
  for (let left = deps.limit ?? Number.POSITIVE_INFINITY; left > 0 && !deps.signal.aborted; ) {
    const claims = await claimToIndex(deps, Math.min(left, INDEXED_AT_ONCE));
    if (claims.length === 0) return;
    left -= claims.length;
    const results = await workOnSessions(deps, claims, (some, log, checkpoint) =>
      indexClaimed(deps, some, log, checkpoint),
    );
    results.forEach(tell);
  }
}
