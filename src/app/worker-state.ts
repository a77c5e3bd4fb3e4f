import { POLL_MS } from '../lib/follow.ts';
import { describeWorker, findSentinel, type LiveWorker } from '../capture/worker-lock.ts';

export type { LiveWorker } from '../capture/worker-lock.ts';

/** How often a worker looks for changes where folders cannot be watched. */
export const POLL_SECONDS = POLL_MS / 1_000;

export interface WorkerState {
  /** The worker of this machine; null when none runs. */
  readonly worker: LiveWorker | null;
  /** The process that starts the worker when files change; null when none runs. */
  readonly sentinel: { readonly pid: number } | null;
}

export function readWorkerState(home: string): WorkerState {
  const worker = describeWorker(home);
  return { worker, sentinel: worker === null ? findSentinel(home) : null };
}
