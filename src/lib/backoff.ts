export interface Backoff {
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
