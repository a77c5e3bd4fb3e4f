export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Doubled by default. */
  readonly factor?: number;
}

/** The pause after so many failures in a row. With `random`, between half and all of it, so that callers spread out. */
export function backoffMs(failures: number, { firstMs, maxMs, factor = 2 }: Backoff, random?: () => number): number {
  // Large exponents give Infinity, which the maximum cuts.
  const pauseMs = Math.min(maxMs, firstMs * factor ** Math.max(0, failures - 1));
  return random === undefined ? pauseMs : Math.round(pauseMs / 2 + (pauseMs / 2) * random());
}
