import { type ErrorCode, type FuelError, toFuelError } from '../domain/errors.ts';
import type { Claim, StepName, StepOutcome, StepReport } from '../domain/pipeline.ts';
import type { Clock } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { CLAIM_MS, ClaimLost, giveUpParsing, holdClaims, releaseClaims } from '../store/queries/claims/claims.ts';
import { saveSteps } from '../store/queries/sessions/session-steps.ts';

export interface ClaimedDeps {
  readonly engine: Engine;
  readonly clock: Clock;
  /** Aborted when the process is about to exit. */
  readonly signal: AbortSignal;
}

/** The result of working on one session. Losing it to another process is a result, not an error. */
export type ClaimedResult =
  | { readonly sessionId: string; readonly outcome: 'done' | 'lost' | 'stopped' }
  | { readonly sessionId: string; readonly outcome: 'failed'; readonly error: Error };

export interface ClaimedWork {
  readonly run: (claims: readonly Claim[], log: StepLog, checkpoint: () => void) => Promise<void>;
  /** Records a failure in the session itself, with its own count of attempts. Other failures are counted per step. */
  readonly recordFailure?: (engine: Engine, claim: Claim, why: string, now: string) => Promise<void>;
}

/** F16: work in progress gets this long when the process is asked to stop; then the session is released unchanged. */
const GRACE_MS = 300;
const HEARTBEAT_MS = CLAIM_MS / 3;

/**
 * Runs work on claimed sessions, renews their leases meanwhile, and records the result. The sessions can be claimed
 * again in any case. Sessions that fail together are retried one by one. Errors: store_unavailable, blob_unavailable
 * and the like, when work on other sessions would fail as well.
 */
export async function runClaimed(
  deps: ClaimedDeps,
  claims: readonly Claim[],
  work: ClaimedWork,
): Promise<readonly ClaimedResult[]> {
  const log = createStepLog(deps.clock);
  const watches = claims.map((claim) => watchClaim(deps, claim));
  const checkpoint = () => {
    for (const watch of watches) watch.checkpoint();
  };
  try {
    await work.run(claims, log, checkpoint);
    await finish(deps, claims, log);
    return claims.map(({ sessionId }) => ({ sessionId, outcome: 'done' }));
  } catch (error) {
    const [only] = claims;
    if (claims.length === 1 && only !== undefined) return [await endFailed(deps, only, work, log, error)];
    if (isUnavailable(error) && !(error instanceof ClaimLost)) {
      if (toFuelError(error).code !== 'store_unavailable') await releaseUncounted(deps, claims, log);
      throw error;
    }
    const results: ClaimedResult[] = [];
    for (const claim of claims) {
      if (error instanceof Stopped) results.push(await releaseStopped(deps, claim));
      else results.push(...(await runClaimed(deps, [claim], work)));
    }
    return results;
  } finally {
    for (const watch of watches) watch.stop();
  }
}

async function endFailed(
  deps: ClaimedDeps,
  claim: Claim,
  work: ClaimedWork,
  log: StepLog,
  error: unknown,
): Promise<ClaimedResult> {
  const { sessionId } = claim;
  if (error instanceof ClaimLost) return { sessionId, outcome: 'lost' };
  if (error instanceof Stopped) return releaseStopped(deps, claim);
  const fault = toFuelError(error);
  // Nothing can be recorded while the store is unavailable: the lease expires, and the next holder starts over.
  if (fault.code === 'store_unavailable') throw error;
  if (isUnavailable(error)) {
    await releaseUncounted(deps, [claim], log);
    throw error;
  }
  // When all steps are done, only recording the result has failed.
  const isUnfinished = log.reports().some(({ outcome }) => outcome !== 'done');
  if (isUnfinished) await work.recordFailure?.(deps.engine, claim, fault.message, nowOf(deps));
  await finish(deps, [claim], log);
  return { sessionId, outcome: 'failed', error: fault };
}

async function releaseStopped(deps: ClaimedDeps, claim: Claim): Promise<ClaimedResult> {
  await giveUpParsing(deps.engine.kysely, claim, nowOf(deps));
  await releaseClaims(deps.engine.kysely, [claim]);
  return { sessionId: claim.sessionId, outcome: 'stopped' };
}

/** The time that sessions took together is divided among them. */
async function finish(deps: ClaimedDeps, claims: readonly Claim[], log: StepLog): Promise<void> {
  const { engine } = deps;
  const reports = log.reports().map((report) => ({ ...report, durationMs: report.durationMs / claims.length }));
  await engine.transaction(async (tx) => {
    await saveSteps(engine, tx, await releaseClaims(tx, claims), reports, nowOf(deps));
  });
}

/**
 * Releases sessions without counting an attempt. On a full disk this small write may fail as well; it is retried after
 * the engine has made room. If it still fails, the caller's own error matters more.
 */
async function releaseUncounted(deps: ClaimedDeps, claims: readonly Claim[], log: StepLog): Promise<void> {
  const write = async () => {
    for (const claim of claims) await giveUpParsing(deps.engine.kysely, claim, nowOf(deps));
    await finish(deps, claims, log);
  };
  try {
    await write().catch(async () => {
      await deps.engine.makeRoom();
      await write();
    });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
}

function nowOf({ clock }: ClaimedDeps): string {
  return clock.now().toISOString();
}

class Stopped extends Error {}

/**
 * Renews the lease while the work is running. `checkpoint` throws when the lease was lost or the grace period is over.
 */
function watchClaim({ engine, signal, clock }: ClaimedDeps, claim: Claim) {
  let lost: ClaimLost | null = null;
  let stopAtMs = signal.aborted ? clock.monotonicMs() + GRACE_MS : Number.POSITIVE_INFINITY;
  const onAbort = () => {
    stopAtMs = clock.monotonicMs() + GRACE_MS;
  };
  signal.addEventListener('abort', onAbort);
  const beat = async () => {
    try {
      await holdClaims(engine, engine.kysely, [claim]);
    } catch (error) {
      // Other failures need no handling here: the lease expires by itself, and the next write notices.
      if (error instanceof ClaimLost) lost = error;
    }
  };
  const timer = setInterval(() => void beat(), HEARTBEAT_MS);
  return {
    checkpoint: () => {
      if (lost !== null) throw lost;
      if (clock.monotonicMs() > stopAtMs) throw new Stopped('the program ends');
    },
    stop: () => {
      clearInterval(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Runs steps and records the result of each. */
export interface StepLog {
  run<T>(step: StepName, work: () => Promise<T>): Promise<T>;
  reports(): readonly StepReport[];
}

function createStepLog(clock: Clock): StepLog {
  const reports: StepReport[] = [];
  return {
    run: async (step, work) => {
      const startMs = clock.monotonicMs();
      const note = (outcome: StepOutcome, error: FuelError | null) => {
        const durationMs = clock.monotonicMs() - startMs;
        reports.push({ step, outcome, errorCode: error?.code ?? null, error: error?.message ?? null, durationMs });
      };
      try {
        const result = await work();
        note('done', null);
        return result;
      } catch (thrown) {
        note(isUnavailable(thrown) ? 'waits' : 'failed', toFuelError(thrown));
        throw thrown;
      }
    },
    reports: () => reports,
  };
}

const AWAY: ReadonlySet<ErrorCode> = new Set([
  'store_unavailable',
  'blob_unavailable',
  'disk_full',
  'busy',
  'data_folder_moved',
]);

/** The data is not at fault: the store or the archive is unavailable, the disk is full, or another process is busy. */
export function isUnavailable(error: unknown): boolean {
  return AWAY.has(toFuelError(error).code);
}
