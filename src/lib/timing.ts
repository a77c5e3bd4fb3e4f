import process from 'node:process';
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
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  run: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const running: Promise<{ readonly result: R } | null>[] = [];
  const runNext = async () => {
    const next = await source.next();
    return next.done === true ? null : { result: await run(next.value) };
  };
  const start = () => {
    const one = runNext();
    // The consumer sees a rejection when it reaches this item; until then it must not count as unhandled.
    one.catch(() => {});
    running.push(one);
  };
  try {
    while (running.length < limit) start();
    for (;;) {
      const done = await running.shift();
      if (done === null || done === undefined) return;
      start();
      yield done.result;
    }
  } finally {
    await Promise.allSettled(running);
    await source.return?.();
  }
}

/** Like `performance.now()`, which loads a module of its own when it is first used. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs,
};
