/** How many times as large the larger of two inputs is. */
const FACTOR = 8;
const ATTEMPTS = 3;

/**
 * How many times as much processor time 8 n takes as n: about 8 for what is linear, 64 for what is quadratic. Time of
 * this process only and two figures of the same run, so a busy or slow machine changes nothing.
 */
export function growthOf<T>(n: number, makeInput: (n: number) => T, work: (input: T) => unknown): number {
  const [small, large] = [makeInput(n), makeInput(n * FACTOR)];
  work(small);
  return (
    cpuMicros(() => work(large)) /
    Math.max(
      cpuMicros(() => work(small)),
      SHORTEST_MICROS,
    )
  );
}

/** Linear with room for collections and caches; what is quadratic is far above. */
export const LINEAR = FACTOR * 3;

/** Below this the clock and the collector say more than the work. */
const SHORTEST_MICROS = 500;

function cpuMicros(work: () => unknown): number {
  const runs = Array.from({ length: ATTEMPTS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...runs);
}
