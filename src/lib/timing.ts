import type { Clock } from '../domain/ports.ts';

interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Growth factor, 2 by default. */
  readonly factor?: number;
}

/** The pause after this many consecutive failures. With `random`, between half and all of it, to spread callers out. */
export function backoffMs(failures: number, { firstMs, maxMs, factor = 2 }: Backoff, random?: () => number): number {
  // Large exponents give Infinity, which is limited by the maximum.
  const pauseMs = Math.min(maxMs, firstMs * factor ** Math.max(0, failures - 1));
  return random === undefined ? pauseMs : Math.round(pauseMs / 2 + (pauseMs / 2) * random());
}

/**
 * Yields results in the order of the items, with at most `limit` running at a time; leaving the loop early waits for
 * the running ones.
 */
export async function* mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  run: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  let next = 0;
  const start = () => {
    const result = run(items[next++] as T);
    // The consumer sees a rejection when it reaches this item; until then it must not count as unhandled.
    result.catch(() => {});
    running.push(result);
  };
  try {
    while (next < items.length && running.length < limit) start();
    while (running.length > 0) {
      const result = await running.shift();
      if (next < items.length) start();
      yield result as R;
    }
  } finally {
    await Promise.allSettled(running);
  }
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
