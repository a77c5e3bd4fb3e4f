import { MINUTE_MS } from '../../domain/durations.ts';
import { backoffMs } from '../../lib/backoff.ts';

/** B9: however long a server has been unreachable, it is tried again at least this often. */
export const MAX_WAIT_MS = 15 * MINUTE_MS;
const PAUSES = { firstMs: 2_000, maxMs: MAX_WAIT_MS };

/** When to try again after so many failures in a row; never earlier than the server asked for. */
export function nextTryMs(nowMs: number, failures: number, toldMs: number, random: () => number): number {
  return Math.ceil(nowMs + Math.max(toldMs, backoffMs(failures, PAUSES, random)));
}
