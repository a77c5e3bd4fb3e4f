import { setTimeout as sleep } from 'node:timers/promises';

/** A limit for conditions that never come true, generous enough for any busy machine. */
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
      return await inTime(check, deadline);
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await sleep(Math.max(SHORTEST_PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedAt)));
  }
}

async function inTime<T>(check: () => T | Promise<T>, deadline: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const error = new Error(`A check has not finished after ${PATIENCE_MS / 60_000} minutes.`);
  const timer = setTimeout(() => late.reject(error), deadline - performance.now());
  try {
    return await Promise.race([check(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
