/** The ratio between the sizes of the larger and the smaller input. */
const FACTOR = 8;
const ATTEMPTS = 3;

/**
 * The ratio between the processor time for 8 n and for n: about 8 if linear, 64 if quadratic. It uses only the time of
 * this process and two figures of the same run, so a busy or slow machine does not matter.
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

/** Linear, with room for garbage collection and caches; quadratic growth is far above. */
export const LINEAR = FACTOR * 3;

/** Below this, clock resolution and garbage collection dominate. */
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
