import { vi } from 'vitest';

/** A limit for conditions that never come true, generous enough for any busy machine. */
export const PATIENCE_MS = 10 * 60_000;

/** Waits until a condition is true, however slow the machine is. */
export function until<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 10 });
}
