import { toFuelError } from '../domain/errors.ts';
import type { Claim } from '../domain/pipeline.ts';
import type { Clock } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import {
  CLAIM_MS,
  ClaimLost,
  failParsing,
  giveUpParsing,
  holdClaim,
  releaseClaim,
} from '../store/queries/claims/claims.ts';
import { saveSteps } from '../store/queries/sessions/session-steps.ts';
import { createStepLog, isAway, type StepLog } from './step-log.ts';

export interface WorkDeps {
  readonly engine: Engine;
  readonly clock: Clock;
  /** Aborted when the program is to end. */
  readonly signal: AbortSignal;
}

/** How the work on one session ended. Losing it to another process is an answer, not an error. */
export type WorkResult =
  | { readonly sessionId: string; readonly outcome: 'done' | 'lost' | 'stopped' }
  | { readonly sessionId: string; readonly outcome: 'failed'; readonly error: Error };

/** F16: work in progress may take this long when the program is told to stop; then the session is given back unchanged. */
const GRACE_MS = 300;
const HEARTBEAT_MS = CLAIM_MS / 3;

/**
 * Runs the steps of a claimed session, keeps the lease alive meanwhile, and writes down how they went. Whatever happens,
 * the session can be claimed again. Errors: store_unavailable, blob_unavailable when the rest cannot go on either.
 */
export async function workOnSession(
  deps: WorkDeps,
  claim: Claim,
  steps: (log: StepLog, checkpoint: () => void) => Promise<void>,
): Promise<WorkResult> {
  const { sessionId } = claim;
  const log = createStepLog(deps.clock);
  const watch = watchClaim(deps, claim);
  try {
    await steps(log, watch.checkpoint);
    await finish(deps, [claim], log);
    return { sessionId, outcome: 'done' };
  } catch (error) {
    if (error instanceof ClaimLost) return { sessionId, outcome: 'lost' };
    if (error instanceof Stopped) return await giveBack(deps, claim);
    await fail(deps, claim, log, error);
    return { sessionId, outcome: 'failed', error: toFuelError(error) };
  } finally {
    watch.stop();
  }
}

async function giveBack(deps: WorkDeps, claim: Claim): Promise<WorkResult> {
  await giveUpParsing(deps.engine.kysely, claim, nowOf(deps));
  await releaseClaim(deps.engine.kysely, claim);
  return { sessionId: claim.sessionId, outcome: 'stopped' };
}

async function finish(deps: WorkDeps, claims: readonly Claim[], log: StepLog): Promise<void> {
  const { engine } = deps;
  await engine.transaction(async (tx) => {
    for (const claim of claims) {
      if (await releaseClaim(tx, claim)) await saveSteps(engine, tx, claim.sessionId, log.reports(), nowOf(deps));
    }
  });
}

/** When the store itself is unavailable, nothing can be recorded: the lease expires, and the next holder starts over. */
async function fail(deps: WorkDeps, claim: Claim, log: StepLog, error: unknown): Promise<void> {
  const { engine } = deps;
  const { code, message } = toFuelError(error);
  if (code === 'store_unavailable') throw error;
  if (isAway(error)) {
    await giveBackUnharmed(deps, [claim], log);
    throw error;
  }
  const isParse = log.reports().some(({ step, outcome }) => PARSE_STEPS.has(step) && outcome !== 'done');
  if (isParse) await failParsing(engine, claim, message, nowOf(deps));
  await finish(deps, [claim], log);
}

/**
 * Gives sessions back without counting an attempt against them. On a full disk that small write may fail as well; it is
 * tried again after the engine has made room. If it still fails, the caller's own error matters more.
 */
async function giveBackUnharmed(deps: WorkDeps, claims: readonly Claim[], log: StepLog): Promise<void> {
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
    if (!isAway(error)) throw error;
  }
}

const PARSE_STEPS: ReadonlySet<string> = new Set(['fetch', 'parse', 'persist', 'price']);

function nowOf({ clock }: WorkDeps): string {
  return clock.now().toISOString();
}

/** The same for several sessions at once: what fails together is then tried one by one. Gives those that were lost. */
export async function workOnSessions(
  deps: WorkDeps,
  claims: readonly Claim[],
  step: (claims: readonly Claim[], log: StepLog, checkpoint: () => void) => Promise<void>,
): Promise<readonly WorkResult[]> {
  const log = createStepLog(deps.clock);
  const watches = claims.map((claim) => watchClaim(deps, claim));
  try {
    await step(claims, log, () => {
      for (const watch of watches) watch.checkpoint();
    });
    await finish(deps, claims, log);
    return claims.map(({ sessionId }) => ({ sessionId, outcome: 'done' }));
  } catch (error) {
    if (isAway(error) && !(error instanceof ClaimLost)) {
      if (toFuelError(error).code !== 'store_unavailable') await giveBackUnharmed(deps, claims, log);
      throw error;
    }
    const results: WorkResult[] = [];
    for (const claim of claims) {
      if (error instanceof Stopped) results.push(await giveBack(deps, claim));
      else results.push(await workOnSession(deps, claim, (own, checkpoint) => step([claim], own, checkpoint)));
    }
    return results;
  } finally {
    for (const watch of watches) watch.stop();
  }
}

class Stopped extends Error {}

/** Prolongs the lease while the steps run. `checkpoint` ends them when it was lost, or when the time to end is over. */
function watchClaim({ engine, signal, clock }: WorkDeps, claim: Claim) {
  let lost: ClaimLost | null = null;
  let stopAtMs = signal.aborted ? clock.monotonicMs() + GRACE_MS : Number.POSITIVE_INFINITY;
  const onAbort = () => {
    stopAtMs = clock.monotonicMs() + GRACE_MS;
  };
  signal.addEventListener('abort', onAbort);
  const beat = async () => {
    try {
      await holdClaim(engine, engine.kysely, claim);
    } catch (error) {
      // Any other failure is not the end: the lease runs out by itself, and the next write tells.
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
