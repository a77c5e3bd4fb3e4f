/** How long to wait after what; every wait is spread, so that many askers do not come back at once. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MAX_BACKOFF_MS = 6 * HOUR_MS;
/** Failures in a row after which the whole service is left alone. */
const BREAKER_FAILURES = 3;
const MAX_BREAK_MS = HOUR_MS;

type Random = () => number;

/** One question again: a minute, two, four, …; never earlier than the service asked for. */
export function retryMs(attempts: number, retryAfterMs: number | null, random: Random): number {
  const backoff = Math.min(MAX_BACKOFF_MS, MINUTE_MS * 2 ** Math.min(attempts - 1, 20));
  return Math.max(retryAfterMs ?? 0, Math.round(backoff / 2 + (random() * backoff) / 2));
}

/** The whole service after so many failures in a row: at once when it says how long, else from the third on. */
export function breakMs(failures: number, retryAfterMs: number | null): number {
  const isOpen = failures >= BREAKER_FAILURES;
  const backoff = isOpen ? Math.min(MAX_BREAK_MS, MINUTE_MS * 2 ** Math.min(failures - BREAKER_FAILURES, 20)) : 0;
  return Math.max(retryAfterMs ?? 0, backoff);
}

/** G13: a key that is refused is tried again once an hour, in case it was the service's mistake. */
export const REFUSED_PAUSE_MS = HOUR_MS;

/** The first moment of the next UTC day. */
export function msUntilTomorrow(nowMs: number): number {
  const DAY_MS = 24 * HOUR_MS;
  return DAY_MS - (nowMs % DAY_MS);
}
