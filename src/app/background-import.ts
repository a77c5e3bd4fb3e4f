import { Worker } from 'node:worker_threads';
import { IDLE } from './import-tally.ts';
import type { ImportProgress } from '../api/server.ts';
import type { FromImportWorker, ImportWorkerData, ToImportWorker } from './import-worker.ts';
import { noteInterrupted } from '../lib/data-folder.ts';

export interface BackgroundImport {
  progress(): ImportProgress;
  /** Settles when the first round is through; rejects when the thread dies before. */
  readonly firstRound: Promise<void>;
  /** Looks again now rather than later. */
  wake(): void;
  /** `cut_off`: the thread took too long and was ended in the middle of its work. */
  stop(): Promise<'in_order' | 'cut_off'>;
}

export interface BackgroundOptions extends ImportWorkerData {
  readonly onProgress: (progress: ImportProgress) => void;
  readonly onLog: (line: string) => void;
}

/** The worker is beside this file, both in the sources and in the build. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './import-worker.ts' : './import-worker.cjs', import.meta.url);

/** Time for the import to give back its session; then its thread is ended. Nothing is lost by that, as after a crash. */
const STOP_MS = 700;

export function startBackgroundImport({ onProgress, onLog, ...data }: BackgroundOptions): BackgroundImport {
  // Not idle before the first round: a reader must know that more is coming.
  let latest: ImportProgress = { ...IDLE, phase: 'scanning' };
  const worker = new Worker(WORKER, { workerData: data satisfies ImportWorkerData });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const firstRound = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.on('message', (message: FromImportWorker) => {
      if (message.kind === 'round-done') resolve();
      else if (message.kind === 'log') onLog(message.line);
      else {
        latest = message.progress;
        onProgress(message.progress);
      }
    });
  });
  // Callers that wait get the error; the others must not be killed by an unhandled rejection.
  firstRound.catch(() => {});
  return {
    progress: () => latest,
    firstRound,
    wake: () => worker.postMessage('wake' satisfies ToImportWorker),
    stop: async () => {
      worker.postMessage('stop' satisfies ToImportWorker);
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
