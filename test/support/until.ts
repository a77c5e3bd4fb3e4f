import { setTimeout as sleep } from 'node:timers/promises';

/** A limit for what never happens, generous enough for any busy machine. */
export const PATIENCE_MS = 10 * 60_000;
const SHORTEST_PAUSE_MS = 10;
/** Pauses are so many times as long as the check, so that a costly check does not slow down what it waits for. */
const PAUSE_FACTOR = 3;

/** Waits until a check succeeds, however slow the machine is, and returns its result. */
export async function until<T>(check: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const startedAt = performance.now();
    try {
      return await inTime(
        (async () => check())(),
        () => `the check ${check.toString().slice(0, 200)}`,
        deadline - startedAt,
      );
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await sleep(Math.max(SHORTEST_PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedAt)));
  }
}

/** Waits for work that has no limit of its own; the error says what it waited for. */
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
