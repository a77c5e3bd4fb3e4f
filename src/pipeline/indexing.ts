import { claimFor, countResult, runOnClaims } from './run.ts';
import { type Indexing, type PipelineDeps, type PipelineTally, SESSION_STEPS } from './steps.ts';

/** Indexes sessions while the rows of others are written, or other steps follow. The step itself indexes the rest. */
export function startIndexing(deps: PipelineDeps, tally: PipelineTally): Indexing {
  const { index } = SESSION_STEPS;
  const waiting: string[] = [];
  let current: { readonly ids: ReadonlySet<string>; readonly done: Promise<void> } | null = null;
  let failure: { readonly error: unknown } | null = null;
  let isOver = false;
  // Building the text index takes longest and follows the rows, so nothing may delay them.
  let isWaiting = deps.engine.supportsTextIndex;
  const indexSome = async (sessionIds: readonly string[]) => {
    // Copies are parsed once more when all sessions are parsed.
    const which = { count: sessionIds.length, sessionIds, isHarmless: true, isSettled: true };
    const claims = await claimFor(deps, index, which);
    if (claims.length === 0) return;
    for (const result of await runOnClaims(deps, index, claims)) countResult(tally, 'index', result);
  };
  const run = async (sessionIds: readonly string[]) => {
    try {
      await indexSome(sessionIds);
    } catch (error) {
      failure ??= { error };
      isOver = true;
    }
    current = null;
    start();
  };
  const start = () => {
    if (current !== null || isWaiting || isOver || deps.signal.aborted || waiting.length === 0) return;
    const sessionIds = waiting.splice(0, index.batchSize);
    current = { ids: new Set(sessionIds), done: run(sessionIds) };
  };
  const isBusyWith = (sessionIds: readonly string[]) => sessionIds.some((id) => current?.ids.has(id) === true);
  return {
    isBusyWith,
    offer: (sessionIds) => {
      waiting.push(...sessionIds);
      start();
    },
    rowsAreComplete: () => {
      isWaiting = false;
      start();
    },
    free: async (sessionIds) => {
      while (isBusyWith(sessionIds)) await current?.done;
    },
    end: async () => {
      isOver = true;
      await current?.done;
      if (failure !== null) throw failure.error;
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await current?.done;
    },
  };
}
