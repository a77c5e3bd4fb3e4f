const FIRST_WAIT_MS = 2_000;
/** B9: however long a server is gone, it is asked again so often. */
export const MAX_WAIT_MS = 15 * 60_000;
const MAX_DOUBLINGS = 12;

/**
 * When to try again after so many failures in a row. Never earlier than the server told; what we choose ourselves is
 * jittered, so that many devices do not come back at the same moment.
 */
export function nextTryMs(nowMs: number, failures: number, toldMs: number, random: () => number): number {
  const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, MAX_DOUBLINGS));
  const jittered = wait / 2 + (wait / 2) * random();
  return Math.ceil(nowMs + Math.max(toldMs, jittered));
}
