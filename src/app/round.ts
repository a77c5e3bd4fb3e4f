import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportProgress } from '../api/server.ts';
import { type ErrorCode, FuelError } from '../domain/errors.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { Log } from '../lib/log.ts';
import { isUnavailable } from '../pipeline/claimed-session.ts';
import type { ImportReport } from './import.ts';
import type { App } from './open-app.ts';

export interface RoundOptions {
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** `busy`: another process is importing; what it leaves undone is for the next round. */
export type RoundOutcome = 'worked' | 'quiet' | 'busy';

/** One round of the background work: events of hooks, new files and unfinished sessions, shipping, expired shares. */
export async function runRound(app: App, options: RoundOptions): Promise<RoundOutcome> {
  const { log, signal } = options;
  await app.drainHooks();
  const report = await importUnlessBusy(app, options);
  for (const { path, error } of report?.failed ?? []) {
    log.warn('a file or session could not be imported', { path, error });
  }
  const shipped = await app.ship(signal);
  await app.sweepShares();
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
/** About ten minutes. After that the next wake-up starts over. */
const MAX_TRIES = 25;

export interface Patience {
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called after every failed attempt. */
  readonly onAway?: (error: Error) => void;
}

/**
 * F4: work that stopped because the store or the archive is away is done again when they are back; what is to be done
 * follows from what is stored. Null when the program is to end meanwhile.
 */
export async function whenReachable<T>(work: () => Promise<T>, patience: Patience): Promise<T | null> {
  const { log, signal, onAway = () => {} } = patience;
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted && isGone(error)) return null;
      if (!isGone(error) || tries === MAX_TRIES) throw error;
      const pauseMs = backoffMs(tries, PAUSES);
      log.warn('the database or archive is unavailable; retrying', { error: error.message, in_ms: pauseMs });
      onAway(error);
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** No reason to wait: another process does the same work, or the data folder is not the one we opened. */
const NOT_WAITED_FOR: ReadonlySet<ErrorCode> = new Set(['busy', 'data_folder_moved']);

function isGone(error: unknown): error is FuelError {
  return error instanceof FuelError && isUnavailable(error) && !NOT_WAITED_FOR.has(error.code);
}
