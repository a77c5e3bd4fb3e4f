import { findSegments, generationKey } from '../archive/archive-bytes.ts';
import type { DeviceIdentity } from '../capture/device.ts';
import type { Config } from '../config.ts';
import type { HeldFolder } from '../lib/data-folder.ts';
import { keepHeapsSmall } from '../lib/small-heaps.ts';
import { startThread, type Thread, threadUrl, unpackError } from '../lib/thread.ts';
import { MAX_BATCH_BYTES } from '../pipeline/batches.ts';
import type { BuildInput } from '../pipeline/build-session.ts';
import type { BatchThread, ImportThreads } from '../pipeline/bulk.ts';
import type { Engine } from '../store/engine.ts';
import type { PriceBook } from '../transcript/price/book.ts';
import type { ImportThreadAnswers, ImportThreadData } from './import-thread.ts';

export interface ThreadsDeps {
  readonly config: Config;
  /** Knows where the archive has the bytes. */
  readonly engine: Engine;
  readonly folder: HeldFolder;
  readonly device: DeviceIdentity;
  readonly book: PriceBook;
  readonly concurrency: number;
  /** Ends the threads immediately. */
  readonly signal: AbortSignal;
}

/** Memory of a thread. A session that needs more is parsed by the main thread, alone. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 12 };

export function startImportThreads(deps: ThreadsDeps, count: number): ImportThreads {
  const { config, folder, device, book, concurrency, signal } = deps;
  const data: ImportThreadData = { config, folderId: folder.id, device, book, concurrency };
  const url = threadUrl(import.meta.url, 'import-thread');
  const heaps = keepHeapsSmall();
  const threads = Array.from({ length: count }, () => startThread<ImportThreadAnswers>(url, data, LIMITS));
  const stop = () => Promise.all(threads.map((thread) => thread.stop()));
  const onAbort = () => void stop();
  signal.addEventListener('abort', onAbort);
  let opened = 0;
  return {
    open: () => {
      const alive = threads.filter((thread) => thread.isAlive());
      const thread = alive[opened % alive.length];
      return thread === undefined ? null : openBatch(deps.engine, thread, opened++);
    },
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', onAbort);
      await stop();
      heaps[Symbol.dispose]();
    },
  };
}

function openBatch(engine: Engine, thread: Thread<ImportThreadAnswers>, batch: number): BatchThread {
  const held = new Set<string>();
  const buildOne = async (input: BuildInput) => {
    const elsewhere = input.fetched.all.filter((file) => !held.has(generationKey(file)));
    const segments = elsewhere.length === 0 ? new Map() : await findSegments(engine, elsewhere);
    return thread.ask('build', { batch, input, segments });
  };
  return {
    store: async (changes, done) => {
      const results = await thread.ask('store', { batch, changes });
      for (const [at, change] of changes.entries()) {
        const result = results[at];
        if (result === undefined) continue;
        if ('code' in result) {
          done({ change, error: unpackError(result) });
          continue;
        }
        if (result.capture !== null) held.add(generationKey(result.capture));
        done({ change, ...result });
      }
    },
    build: (inputs) => {
      if (!thread.isAlive() || !inputs.every(canBuild)) return null;
      // One message per session: copying all rows of a batch at once would need too much memory.
      const built = inputs.map(buildOne);
      // The thread drops the bytes; if the batch fails, its sessions are built from the archive.
      for (const { fetched } of inputs) for (const file of fetched.all) held.delete(generationKey(file));
      return Promise.all(built);
    },
    release: () => {
      if (thread.isAlive()) void thread.ask('forget', { batch }).catch(() => {});
    },
  };
}

/** A thread sends all rows at once, so a large session is left to the main thread. */
function canBuild({ kept, fetched }: BuildInput): boolean {
  const bytes = fetched.transcripts.reduce((sum, { archivedBytes }) => sum + archivedBytes, 0);
  return kept === null && bytes <= MAX_BATCH_BYTES;
}
