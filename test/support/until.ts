import { setTimeout as sleep } from 'node:timers/promises';

/** A limit for conditions that never become true, long enough for any busy machine. */
export const PATIENCE_MS = 10 * 60_000;
const SHORTEST_PAUSE_MS = 10;
/**
 * Each pause is this many times as long as the last check, so that an expensive check does not slow down what it waits for.
 */
const PAUSE_FACTOR = 3;

/** Waits until a check succeeds, however slow the machine is, and returns its result. Fails with the check's own error. */
export async function until<T>(check: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const startedAt = performance.now();
    const what = () => `the check ${check.toString().slice(0, 200)}`;
    try {
      return await inTime((async () => check())(), what, PATIENCE_MS);
    } catch (error) {
      const pauseMs = Math.max(SHORTEST_PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedAt));
      if (performance.now() + pauseMs >= deadline) throw error;
      await sleep(pauseMs);
    }
  }
}

/** Waits for work without its own timeout; the error names what it waited for. */
export async function inTime<T>(work: Promise<T>, what: () => string, limitMs = PATIENCE_MS): Promise<T> {
  const late = Promise.withResolvers<never>();
  const giveUp = () => late.reject(new Error(`Waited ${Math.round(limitMs / 1000)} s in vain for ${what()}.`));
  const timer = setTimeout(giveUp, limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
