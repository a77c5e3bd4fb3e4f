import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/durations.ts';
import { backoffMs } from '../lib/backoff.ts';

/** Delays before retries. Those of single requests have jitter, so that many do not return at once. */

const RETRIES = { firstMs: MINUTE_MS, maxMs: 6 * HOUR_MS };
/** Consecutive failures after which the whole service is paused. */
const BREAKER_FAILURES = 3;
const BREAKS = { firstMs: MINUTE_MS, maxMs: HOUR_MS };

type Random = () => number;

/** Delay before retrying one request: a minute, two, four, …; never shorter than the service requested. */
export function retryMs(attempts: number, retryAfterMs: number | null, random: Random): number {
  return Math.max(retryAfterMs ?? 0, backoffMs(attempts, RETRIES, random));
}

/**
 * Pause of the whole service after consecutive failures: at once if it requests one, otherwise from the third failure
 * on.
 */
export function breakMs(failures: number, retryAfterMs: number | null): number {
  const ownMs = failures < BREAKER_FAILURES ? 0 : backoffMs(failures - BREAKER_FAILURES + 1, BREAKS);
  return Math.max(retryAfterMs ?? 0, ownMs);
}

/** G13: a rejected key is retried once an hour, in case the service was at fault. */
export const REFUSED_PAUSE_MS = HOUR_MS;

/** Milliseconds until the next UTC day. */
export function msUntilTomorrow(nowMs: number): number {
  return DAY_MS - (nowMs % DAY_MS);
}
