import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/durations.ts';
import { backoffMs } from '../lib/backoff.ts';

/** How long to wait after what; every wait is spread, so that many askers do not come back at once. */

const RETRIES = { firstMs: MINUTE_MS, maxMs: 6 * HOUR_MS };
/** Failures in a row after which the whole service is left alone. */
const BREAKER_FAILURES = 3;
const BREAKS = { firstMs: MINUTE_MS, maxMs: HOUR_MS };

type Random = () => number;

/** One question again: a minute, two, four, …; never earlier than the service asked for. */
export function retryMs(attempts: number, retryAfterMs: number | null, random: Random): number {
  return Math.max(retryAfterMs ?? 0, backoffMs(attempts, RETRIES, random));
}

/** The whole service after so many failures in a row: at once when it says how long, else from the third on. */
export function breakMs(failures: number, retryAfterMs: number | null): number {
  const ownMs = failures < BREAKER_FAILURES ? 0 : backoffMs(failures - BREAKER_FAILURES + 1, BREAKS);
  return Math.max(retryAfterMs ?? 0, ownMs);
}

/** G13: a key that is refused is tried again once an hour, in case it was the service's mistake. */
export const REFUSED_PAUSE_MS = HOUR_MS;

/** The first moment of the next UTC day. */
export function msUntilTomorrow(nowMs: number): number {
  return DAY_MS - (nowMs % DAY_MS);
}
