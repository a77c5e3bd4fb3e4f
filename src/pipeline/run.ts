import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from '../domain/pipeline.ts';
import { mapConcurrently } from '../lib/timing.ts';
import { type ClaimOptions, claimSome, findDue } from '../store/queries/claims/claims.ts';
import { freeFirst } from './batches.ts';
import { type ClaimedResult, runClaimed } from './claimed-session.ts';
import {
  dueOptions,
  eachAlone,
  PIPELINE,
  type PipelineDeps,
  type PipelineTally,
  SESSION_STEPS,
  type SessionStep,
  type SessionStepName,
} from './steps.ts';

export interface RunDeps extends PipelineDeps {
  /** Skips summaries and the full-text index, because the caller only needs a list. */
  readonly rowsOnly: boolean;
  /** Maximum number of sessions per step. */
  readonly limit?: number;
}

const SESSIONS_PER_QUERY = 200;

/** Runs every step on every session that needs it: new bytes, an interrupted run, a newer parser, a session that ended. */
export async function runPipeline(deps: RunDeps, tally: PipelineTally): Promise<void> {
  const steps = PIPELINE.filter(({ isForTexts }) => !deps.rowsOnly || isForTexts !== true);
  const parallel: Promise<void>[] = [];
  try {
    for (const step of steps) {
      if (!('runOnce' in step)) await runSessionStep(deps, step, tally);
      else if (step.isParallel === true) parallel.push(step.runOnce(deps, tally));
      else await step.runOnce(deps, tally);
      // Its error is reported when the others are done.
      for (const running of parallel) running.catch(() => {});
    }
  } finally {
    await Promise.all(parallel);
  }
}

/**
 * Runs a step on sessions that can share their transactions. There is no result for a session that does not need it, or
 * that another process is working on.
 */
export async function runStep(
  deps: PipelineDeps,
  name: SessionStepName,
  sessionIds: readonly string[],
): Promise<readonly ClaimedResult[]> {
  const step = SESSION_STEPS[name];
  await deps.bulk?.indexing()?.free(sessionIds);
  const claims = await claimFor(deps, step, { count: sessionIds.length, sessionIds });
  const results = claims.length === 0 ? [] : await runOnClaims(deps, step, claims);
  const done = results.flatMap((one) => (one.outcome === 'done' ? [one.sessionId] : []));
  if (name === 'parse') deps.bulk?.indexing()?.offer(done);
  if (claims.length > 1) await deps.engine.refreshStatistics();
  return results;
}

/** Counts the result. A failed session is named in the report and retried later; other sessions are not affected. */
export function countResult(tally: PipelineTally, name: SessionStepName, result: ClaimedResult): void {
  const { label, onDone } = SESSION_STEPS[name];
  if (result.outcome === 'done') onDone?.(tally, result.sessionId);
  if (result.outcome === 'failed') tally.fail(`${label}${result.sessionId}`, result.error);
}

async function runSessionStep(deps: RunDeps, step: SessionStep, tally: PipelineTally): Promise<void> {
  await step.onStart?.(deps, tally);
  const count = (result: ClaimedResult) => countResult(tally, step.name, result);
  if (step.batchSize !== undefined) {
    await runInBatches(deps, step, step.batchSize, count);
    return step.onEnd?.(deps);
  }
  await runOnEach(deps, step, count);
  const countFailed = (result: ClaimedResult) => {
    if (result.outcome === 'failed') count(result);
  };
  const { most, between } = step.repeats ?? { most: 0, between: async () => {} };
  await between(deps);
  for (let pass = 0; pass < most && (await runOnEach(deps, step, countFailed)); pass += 1) await between(deps);
  await step.onEnd?.(deps);
}

/** Runs each session at most once; what is still due afterwards waits for the next run. True if there was any. */
async function runOnEach(deps: RunDeps, step: SessionStep, count: (result: ClaimedResult) => void): Promise<boolean> {
  const seen = new Set<string>();
  for (;;) {
    const found = await step.due(deps, seen.size + SESSIONS_PER_QUERY);
    const next = found.filter((id) => !seen.has(id)).slice(0, (deps.limit ?? Number.POSITIVE_INFINITY) - seen.size);
    if (next.length === 0) return seen.size > 0;
    for (const sessionId of next) seen.add(sessionId);
    const { harmless, suspects } = (await step.toBatches?.(deps, next)) ?? eachAlone(next);
    const run = async (batch: readonly string[]) => (deps.signal.aborted ? [] : runStep(deps, step.name, batch));
    const atOnce = (await step.atOnce?.(deps)) ?? 1;
    const isBusy = (batch: readonly string[]) => deps.bulk?.indexing()?.isBusyWith(batch) === true;
    for await (const results of mapConcurrently(freeFirst(harmless, isBusy), atOnce, run)) results.forEach(count);
    for (const id of suspects) (await run([id])).forEach(count);
    if (deps.signal.aborted) return true;
  }
}

async function runInBatches(
  deps: RunDeps,
  step: SessionStep,
  size: number,
  count: (result: ClaimedResult) => void,
): Promise<void> {
  for (let left = deps.limit ?? Number.POSITIVE_INFINITY; left > 0 && !deps.signal.aborted; ) {
    const claims = await claimBatch(deps, step, Math.min(left, size));
    if (claims.length === 0) return;
    left -= claims.length;
    (await runOnClaims(deps, step, claims)).forEach(count);
  }
}

const MAX_CLAIM_ATTEMPTS = 5;
const CLAIM_PAUSE_MS = 20;

/**
 * F9: a session that crashed a process is run last and alone, so that a second crash cannot be blamed on others. F3: a
 * claim skips rows that another process has locked for a moment, so it is repeated while unclaimed sessions are left.
 */
export async function claimBatch(
  deps: PipelineDeps,
  step: SessionStep,
  count: number,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<readonly Claim[]> {
  for (let attempt = 1; ; attempt += 1) {
    const harmless = await claimFor(deps, step, { count, isHarmless: true });
    const claims = harmless.length > 0 ? harmless : await claimFor(deps, step, { count: 1 });
    if (claims.length > 0 || attempt === MAX_CLAIM_ATTEMPTS) return claims;
    const left = await findDue(deps.engine, step.name, dueOptions(deps, step.name), 1);
    if (left.length === 0) return [];
    await pause(CLAIM_PAUSE_MS * attempt);
  }
}

export function claimFor(
  deps: PipelineDeps,
  { name }: SessionStep,
  { count, ...which }: { readonly count: number } & Pick<ClaimOptions, 'sessionIds' | 'isHarmless' | 'isSettled'>,
): Promise<readonly Claim[]> {
  return claimSome(deps.engine, name, { holder: deps.holder, ...dueOptions(deps, name), ...which }, count);
}

export function runOnClaims(
  deps: PipelineDeps,
  { run, recordFailure }: SessionStep,
  claims: readonly Claim[],
): Promise<readonly ClaimedResult[]> {
  return runClaimed(deps, claims, {
    ...(recordFailure === undefined ? {} : { recordFailure }),
    run: (some, log, checkpoint) => run(deps, some, log, checkpoint),
  });
}
