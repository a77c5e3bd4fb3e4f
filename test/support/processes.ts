import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The most processes that a test may have at once: more of them only wait for a core and make other tests wait. */
const MAX_PROCESSES = 4 * availableParallelism();

/** The sources as Node.js compiled them for an earlier process: starting the program from source takes half the time. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/fuel-code-compiled', import.meta.url));

/** The environment of a process that runs our sources: nothing of ours but what it needs to start. */
export function childEnv(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: COMPILED, ...env };
}

/** How many processes a test that wants a crowd can have at once on this machine. */
export function crowd(wanted: number): number {
  return Math.min(wanted, MAX_PROCESSES);
}

/** Starts a process for each item, as many at once as a test may have, and returns the results in order. */
export async function inCrowd<T, R>(items: readonly T[], start: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [at, item] of waiting) results[at] = await start(item);
  };
  await Promise.all(Array.from({ length: crowd(items.length) }, work));
  return results;
}
