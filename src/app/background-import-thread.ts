import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import type { ImportProgress } from '../api/server.ts';
import { projectFolders } from '../capture/homes.ts';
import type { Config } from '../config.ts';
import { FuelError, toFuelError } from '../domain/errors.ts';
import { follow } from '../lib/follow.ts';
import { createLog } from '../lib/log.ts';
import { systemClock } from '../lib/timing.ts';
import { IDLE } from './import-tally.ts';
import { type App, openApp } from './open-app.ts';
import { createLogCleaner } from './outbound.ts';
import { type RoundOutcome, runRound, whenReachable } from './round.ts';

/** Imports in a separate thread, so that the server stays responsive: once, then after every change and periodically. */
export type FromImportThread =
  | { readonly kind: 'progress'; readonly progress: ImportProgress }
  | { readonly kind: 'round-done' }
  | { readonly kind: 'log'; readonly line: string };

export type ToImportThread = 'wake' | 'stop';

export interface BackgroundImportData {
  readonly config: Config;
  readonly isDemo: boolean;
  /** Maximum time between two scans. */
  readonly rescanMs?: number | undefined;
}

const RESCAN_MS = 30_000;
const PROGRESS_MS = 100;
const BUSY_RETRY_MS = 1_000;

const { config, isDemo, rescanMs = RESCAN_MS } = workerData as BackgroundImportData;
const stop = new AbortController();
const send = (message: FromImportThread) => parentPort?.postMessage(message);
const log = createLog({
  level: config.logLevel,
  clock: systemClock,
  write: (line) => send({ kind: 'log', line }),
  speaker: { by: 'server', pid: process.pid },
  clean: createLogCleaner(config),
});

/** A wake during a round is remembered, because its cause may have come after the scan. */
let isWoken = false;
let wake = () => {};
parentPort?.on('message', (message: ToImportThread) => {
  if (message === 'stop') return stop.abort();
  isWoken = true;
  wake();
});

// An unhandled rejection ends the thread with an error event, which its owner handles.
void importUntilStopped();

async function importUntilStopped(): Promise<void> {
  await using app = await openApp({ config, clock: systemClock, log, isDemo, isBackground: true });
  // Watched so that output of running sessions appears immediately, not half a minute later.
  const follower = follow(() => projectFolders(config), stop.signal);
  // Only one wait at a time: a second one would consume the change that the first is waiting for.
  let change: Promise<unknown> | null = null;
  while (!stop.signal.aborted) {
    isWoken = false;
    const outcome = await importOnce(app);
    send({ kind: 'round-done' });
    const woken = new Promise<void>((resolve) => (wake = resolve));
    if (isWoken) continue;
    // Retry soon if another process is importing: it may have scanned before a device uploaded something.
    const retry = outcome === 'busy' ? [pause(BUSY_RETRY_MS)] : [];
    change ??= follower.next(rescanMs).finally(() => (change = null));
    await Promise.race([change, woken, ...retry]);
  }
  follower.close();
  parentPort?.close();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

async function importOnce(app: App): Promise<RoundOutcome> {
  let lastSentMs = Number.NEGATIVE_INFINITY;
  const onProgress = (progress: ImportProgress) => {
    const nowMs = systemClock.monotonicMs();
    if (progress.phase !== 'idle' && nowMs - lastSentMs < PROGRESS_MS) return;
    lastSentMs = nowMs;
    send({ kind: 'progress', progress });
  };
  const reportFailure = ({ message }: Error) =>
    send({ kind: 'progress', progress: { ...IDLE, phase: 'failed', error: message } });
  const { signal } = stop;
  const round = () => runRound(app, { log, signal, onProgress });
  try {
    return (await whenReachable(round, { log, signal, onUnavailable: reportFailure })) ?? 'quiet';
  } catch (error) {
    if (error instanceof FuelError && error.code === 'busy') return 'busy';
    // The server detects this itself and exits.
    if (error instanceof FuelError && error.code === 'data_folder_moved') {
      stop.abort();
      return 'quiet';
    }
    log.error('the import stopped', { error: toFuelError(error).message });
    reportFailure(toFuelError(error));
    return 'quiet';
  }
}
