import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, FuelError } from '../domain/errors.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { Log } from '../lib/log.ts';
import { isAway } from '../pipeline/step-log.ts';

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
  return error instanceof FuelError && isAway(error) && !NOT_WAITED_FOR.has(error.code);
}
