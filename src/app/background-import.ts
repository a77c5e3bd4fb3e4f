import { Worker } from 'node:worker_threads';
import type { ImportProgress } from '../api/server.ts';
import { noteInterrupted } from '../lib/data-folder.ts';
import { threadUrl } from '../lib/thread.ts';
import type { BackgroundImportData, FromImportThread, ToImportThread } from './background-import-thread.ts';
import { IDLE } from './import-tally.ts';

export interface BackgroundImport {
  progress(): ImportProgress;
  /** Settles after the first round; rejects if the thread ends before that. */
  readonly firstRound: Promise<void>;
  /** Starts the next round now. */
  wake(): void;
  /** `cut_off`: the thread took too long and was terminated. */
  stop(): Promise<'in_order' | 'cut_off'>;
}

export interface BackgroundOptions extends BackgroundImportData {
  readonly onProgress: (progress: ImportProgress) => void;
  readonly onLog: (line: string) => void;
}

const THREAD = threadUrl(import.meta.url, 'background-import-thread');

/** A larger young generation would hardly save time: few bytes survive a collection. */
const LIMITS = { maxYoungGenerationSizeMb: 24 };

/** Time for the import to release its session before its thread is terminated. As after a crash, nothing is lost. */
const STOP_MS = 700;

/** Used if the data folder cannot be written. */
export const NO_IMPORT: BackgroundImport = {
  progress: () => IDLE,
  firstRound: Promise.resolve(),
  wake: () => {},
  stop: () => Promise.resolve('in_order'),
};

export function startBackgroundImport({ onProgress, onLog, ...data }: BackgroundOptions): BackgroundImport {
  // Not idle before the first round, so that clients know that more is coming.
  let latest: ImportProgress = { ...IDLE, phase: 'scanning' };
  const worker = new Worker(THREAD, { workerData: data satisfies BackgroundImportData, resourceLimits: LIMITS });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const firstRound = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.on('message', (message: FromImportThread) => {
      if (message.kind === 'round-done') resolve();
      else if (message.kind === 'log') onLog(message.line);
      else {
        latest = message.progress;
        onProgress(message.progress);
      }
    });
  });
  // Callers that wait get the error; otherwise it must not end the process as an unhandled rejection.
  firstRound.catch(() => {});
  return {
    progress: () => latest,
    firstRound,
    wake: () => worker.postMessage('wake' satisfies ToImportThread),
    stop: async () => {
      worker.postMessage('stop' satisfies ToImportThread);
      let outcome: 'in_order' | 'cut_off' = 'in_order';
      const overdue = setTimeout(() => {
        outcome = 'cut_off';
        noteInterrupted();
        void worker.terminate();
      }, STOP_MS);
      await exited;
      clearTimeout(overdue);
      return outcome;
    },
  };
}
