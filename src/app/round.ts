import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportProgress } from '../api/server.ts';
import { type ErrorCode, FuelError } from '../domain/errors.ts';
import type { Log } from '../lib/log.ts';
import { backoffMs } from '../lib/timing.ts';
import { isUnavailable } from '../pipeline/claimed-session.ts';
import type { ImportReport } from './import.ts';
import type { App } from './open-app.ts';

export interface RoundOptions {
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** `busy`: another process is importing; the next round finishes what it leaves undone. */
export type RoundOutcome = 'worked' | 'quiet' | 'busy';

/** One round of background work: hook events, new files, unfinished sessions, uploads, expired shares, deleted sessions. */
export async function runRound(app: App, options: RoundOptions): Promise<RoundOutcome> {
  const { log, signal } = options;
  await app.drainHooks();
  const report = await importUnlessBusy(app, options);
  for (const { path, error } of report?.failed ?? []) {
    log.warn('a file or session could not be imported', { path, error });
  }
  const shipped = await app.ship(signal);
  await app.sweep();
  if (report === null) return 'busy';
  const hasShipped = shipped !== null && shipped.files + shipped.events + shipped.git > 0;
  return hasShipped || report.files_changed > 0 || report.sessions_parsed > 0 ? 'worked' : 'quiet';
}

async function importUnlessBusy(app: App, { signal, onProgress }: RoundOptions): Promise<ImportReport | null> {
  try {
    return await app.importNew({ signal, ...(onProgress === undefined ? {} : { onProgress }) });
  } catch (error) {
    if (error instanceof FuelError && error.code === 'busy') return null;
    throw error;
  }
}

const PAUSES = { firstMs: 500, maxMs: 30_000 };
/** About ten minutes; the next wake-up starts over. */
const MAX_TRIES = 25;

export interface RetryOptions {
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called after every failed attempt. */
  readonly onUnavailable?: (error: Error) => void;
}

/**
 * F4: retries work while the store or the archive is unavailable. Null if aborted.
 */
export async function whenReachable<T>(work: () => Promise<T>, options: RetryOptions): Promise<T | null> {
  const { log, signal, onUnavailable = () => {} } = options;
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted && isRetryable(error)) return null;
      if (!isRetryable(error) || tries === MAX_TRIES) throw error;
      const pauseMs = backoffMs(tries, PAUSES);
      log.warn('the database or archive is unavailable; retrying', { error: error.message, in_ms: pauseMs });
      onUnavailable(error);
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** Not retried: another process does the same work, or the data folder was replaced. */
const NOT_RETRIED: ReadonlySet<ErrorCode> = new Set(['busy', 'data_folder_moved']);

function isRetryable(error: unknown): error is FuelError {
  return error instanceof FuelError && isUnavailable(error) && !NOT_RETRIED.has(error.code);
}
