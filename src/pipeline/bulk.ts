import type { FileStorer } from '../archive/archive-together.ts';
import { startIndexing } from './indexing.ts';
import type { RunDeps } from './run.ts';
import type { Bulk, PipelineTally, TextWriter } from './steps.ts';
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
