import { parentPort, workerData } from 'node:worker_threads';
import process from 'node:process';
import { type App, openApp } from './open-app.ts';
import { follow } from '../lib/follow.ts';
import { projectFolders } from '../capture/homes.ts';
import type { Config } from '../config.ts';
import { FuelError, toFuelError } from '../domain/errors.ts';
import { IDLE } from './import-tally.ts';
import type { ImportProgress } from '../api/server.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { type RoundOutcome, runRound, whenReachable } from './round.ts';

/** Imports in a thread of its own, so that the server answers meanwhile; then again when something changes, and now and then. */
export type FromImportWorker =
  | { readonly kind: 'progress'; readonly progress: ImportProgress }
  | { readonly kind: 'round-done' }
  | { readonly kind: 'log'; readonly line: string };

export type ToImportWorker = 'wake' | 'stop';

export interface ImportWorkerData {
  readonly config: Config;
  readonly isDemo: boolean;
  /** Look again after so long, whatever happens. */
  readonly rescanMs?: number | undefined;
}

const RESCAN_MS = 30_000;
const PROGRESS_MS = 100;
const BUSY_RETRY_MS = 1_000;

const { config, isDemo, rescanMs = RESCAN_MS } = workerData as ImportWorkerData;
const stop = new AbortController();
const tell = (message: FromImportWorker) => parentPort?.postMessage(message);
const log = createLog({
  level: config.logLevel,
  clock: systemClock,
  write: (line) => tell({ kind: 'log', line }),
  speaker: { by: 'server', pid: process.pid },
});

/** A wake during a round counts as well: what it is about may have come after the round looked. */
let isWoken = false;
let wake = () => {};
parentPort?.on('message', (message: ToImportWorker) => {
  if (message === 'stop') return stop.abort();
  isWoken = true;
  wake();
});

// An unhandled rejection ends the thread with an error event, which its owner handles.
void importUntilStopped();

async function importUntilStopped(): Promise<void> {
  await using app = await openApp({ config, clock: systemClock, log, isDemo });
  // What a running session writes is shown while somebody looks at it, not half a minute later.
  const follower = follow(() => projectFolders(config), stop.signal);
  // One wait at a time: a second one would take the news of a change away from the first.
  let change: Promise<unknown> | null = null;
  while (!stop.signal.aborted) {
    isWoken = false;
    const outcome = await importOnce(app);
    tell({ kind: 'round-done' });
    const woken = new Promise<void>((resolve) => (wake = resolve));
    if (isWoken) continue;
    change ??= follower.next(rescanMs).finally(() => (change = null));
    await Promise.race([change, woken, ...(outcome === 'busy' ? [pause(BUSY_RETRY_MS)] : [])]);
  }
  follower.close();
  parentPort?.close();
}

/** The process that imports for us may have looked before a device shipped something. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

async function importOnce(app: App): Promise<RoundOutcome> {
  let toldMs = Number.NEGATIVE_INFINITY;
  const onProgress = (progress: ImportProgress) => {
    const nowMs = systemClock.monotonicMs();
    if (progress.phase !== 'idle' && nowMs - toldMs < PROGRESS_MS) return;
    toldMs = nowMs;
    tell({ kind: 'progress', progress });
  };
  const tellFailed = ({ message }: Error) =>
    tell({ kind: 'progress', progress: { ...IDLE, phase: 'failed', error: message } });
  const { signal } = stop;
  const round = () => runRound(app, { log, signal, onProgress });
  try {
    return (await whenReachable(round, { log, signal, onAway: tellFailed })) ?? 'quiet';
  } catch (error) {
    if (error instanceof FuelError && error.code === 'busy') return 'busy';
    // The server notices by itself and ends.
    if (error instanceof FuelError && error.code === 'data_folder_moved') {
      stop.abort();
      return 'quiet';
    }
    log.error('the import stopped', { error: toFuelError(error).message });
    tellFailed(toFuelError(error));
    return 'quiet';
  }
}
