import { parentPort, workerData } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import { openApp } from './app.ts';
import type { Config } from './config.ts';
import { FuelError, toFuelError } from './domain/errors.ts';
import { IDLE, type ImportProgress } from './domain/query.ts';
import { systemClock } from './lib/clock.ts';
import { createLog } from './lib/log.ts';
import { whenReachable } from './when-reachable.ts';

/** Imports in a thread of its own, so that the server answers meanwhile; then looks again now and then. */
export type FromImportWorker =
  | { readonly kind: 'progress'; readonly progress: ImportProgress }
  | { readonly kind: 'round-done' }
  | { readonly kind: 'log'; readonly line: string };

export interface ImportWorkerData {
  readonly config: Config;
  readonly isDemo: boolean;
}

const RESCAN_MS = 30_000;
const PROGRESS_MS = 100;

const { config, isDemo } = workerData as ImportWorkerData;
const stop = new AbortController();
const tell = (message: FromImportWorker) => parentPort?.postMessage(message);
const log = createLog({ level: config.logLevel, clock: systemClock, write: (line) => tell({ kind: 'log', line }) });

parentPort?.on('message', () => stop.abort());

await using app = await openApp({ config, clock: systemClock, log, isDemo });
while (!stop.signal.aborted) {
  await importOnce();
  tell({ kind: 'round-done' });
  await sleep(RESCAN_MS, undefined, { signal: stop.signal }).catch(() => {});
}
parentPort?.close();

async function importOnce(): Promise<void> {
  let toldMs = Number.NEGATIVE_INFINITY;
  const onProgress = (progress: ImportProgress) => {
    const nowMs = systemClock.monotonicMs();
    if (progress.phase !== 'idle' && nowMs - toldMs < PROGRESS_MS) return;
    toldMs = nowMs;
    tell({ kind: 'progress', progress });
  };
  const tellFailed = ({ message }: Error) =>
    tell({ kind: 'progress', progress: { ...IDLE, phase: 'failed', error: message } });
  const round = async () => {
    await app.drainHooks();
    return app.importNew({ onProgress, signal: stop.signal });
  };
  try {
    const report = await whenReachable(round, { log, signal: stop.signal, onAway: tellFailed });
    for (const { path, error } of report?.failed ?? [])
      log.warn('a file or session could not be imported', { path, error });
  } catch (error) {
    if (error instanceof FuelError && error.code === 'busy') return;
    log.error('the import stopped', { error: toFuelError(error).message });
    tellFailed(toFuelError(error));
  }
}
