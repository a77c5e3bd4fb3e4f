import type { FileStorer } from '../archive/archive-together.ts';
import { claimFor, countResult, type RunDeps, runOnClaims } from './run.ts';
import {
  type Bulk,
  type Indexing,
  type PipelineDeps,
  type PipelineTally,
  SESSION_STEPS,
  type TextWriter,
} from './steps.ts';
import type { SessionBuilder } from './understand-session.ts';

/** Threads that read, store and parse sessions while this one writes rows. */
export interface ImportThreads extends AsyncDisposable {
  /** A thread for one batch; null when none is left. */
  open(): BatchThread | null;
}

/** Stores the files of a batch and builds its sessions, from the same bytes or from the archive. Errors: ThreadDied. */
export interface BatchThread extends FileStorer, SessionBuilder {
  /** Lets the thread forget the bytes. */
  release(): void;
}

/** Starts threads; each decides whether this many bytes to parse are worth it. */
export interface BulkStarters {
  readonly startThreads?: ((bytes: number) => Promise<ImportThreads | null>) | undefined;
  readonly startTextWriter?: ((bytes: number) => Promise<(TextWriter & AsyncDisposable) | null>) | undefined;
}

/** Batches that are parsed by threads or written by this one. */
const BATCHES_AT_ONCE = 2;

/** The threads of one run. They end with it; those that parse may end earlier. */
export function openBulk(deps: RunDeps & BulkStarters, tally: PipelineTally): Bulk & AsyncDisposable {
  let threads: ImportThreads | null = null;
  let texts: Awaited<ReturnType<typeof startTexts>> = null;
  const startTexts = async (bytes: number) => {
    const writer = deps.rowsOnly ? null : ((await deps.startTextWriter?.(bytes)) ?? null);
    return writer === null ? null : { writer, indexing: startIndexing({ ...deps, bulk }, tally) };
  };
  const endParsing = async () => {
    texts?.indexing.rowsAreComplete();
    await threads?.[Symbol.asyncDispose]();
    threads = null;
  };
  const bulk: Bulk & AsyncDisposable = {
    expect: async (bytes) => {
      threads ??= (await deps.startThreads?.(bytes)) ?? null;
      texts ??= await startTexts(bytes);
    },
    batchesAtOnce: () => (threads === null ? 1 : BATCHES_AT_ONCE),
    openThread: () => threads?.open() ?? null,
    endParsing,
    textWriter: () => texts?.writer ?? null,
    indexing: () => texts?.indexing ?? null,
    [Symbol.asyncDispose]: async () => {
      await endParsing();
      await texts?.indexing[Symbol.asyncDispose]();
      await texts?.writer[Symbol.asyncDispose]();
    },
  };
  return bulk;
}

/** Indexes sessions while the rows of others are written, or other steps follow. The step itself indexes the rest. */
function startIndexing(deps: PipelineDeps, tally: PipelineTally): Indexing {
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
