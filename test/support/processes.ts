import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Maximum number of processes per test: more of them would only wait for a core and slow down other tests. */
const MAX_PROCESSES = 4 * availableParallelism();

/** The compile cache of Node.js: with it, starting the program from source takes half the time. */
export const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/fuel-code-compiled', import.meta.url));

/** Workers keep their priority: with their low one, they would hardly run on a busy machine while a test waits for them. */
const NORMAL_PRIORITY = fileURLToPath(new URL('normal-priority.cjs', import.meta.url));

/** The environment that a process needs to start, with the time zone of the tests; no other variables of this machine. */
export function baseEnv(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', TZ: 'UTC', NODE_OPTIONS: `--require ${JSON.stringify(NORMAL_PRIORITY)}` };
}

/** The environment of a process that runs our sources. */
export function childEnv(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...baseEnv(), NODE_COMPILE_CACHE: COMPILED, ...env };
}

/** How many concurrent processes a stress test can start on this machine. */
export function crowd(wanted: number): number {
  return Math.min(wanted, MAX_PROCESSES);
}

/** Starts a process for each item, as many at a time as a test may have, and returns the results in order. */
export async function inCrowd<T, R>(items: readonly T[], start: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [at, item] of waiting) results[at] = await start(item);
  };
  await Promise.all(Array.from({ length: crowd(items.length) }, work));
  return results;
}
