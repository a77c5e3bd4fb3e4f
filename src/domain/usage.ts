/** Token counts and money. Money is integer nano-dollars: list prices are whole nano-dollars per token, floats drift. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** Cache writes kept 5 minutes; also where the client does not say which tier. */
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

/** What one API message was billed for, as the client recorded it. */
export interface Usage extends TokenCounts {
  readonly webSearches: number;
  readonly webFetches: number;
  readonly thinkingTokens: number | null;
  readonly serviceTier: string | null;
  readonly speed: string | null;
  readonly inferenceGeo: string | null;
}

export const NO_TOKENS: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

export function addTokens(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
  };
}

/** Usage is summed up by quarters of an hour: every time zone's days are made of whole ones. */
export const SLOT_MS = 15 * 60_000;

export function timeSlot(time: string): number {
  return Math.floor(Date.parse(time) / SLOT_MS);
}

export const NANOS_PER_DOLLAR = 1_000_000_000;

/** Nano-dollars as dollars, for showing and for JSON; never calculate with the result. */
export function dollars(nanos: number): number {
  return nanos / NANOS_PER_DOLLAR;
}
