/** The model name that the client writes where no model answered. */
export const SYNTHETIC_MODEL = '<synthetic>';

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

/**
 * The most tokens one count of an API message can plausibly have; larger counts are errors in the transcript and are cut
 * to this. Ten times the largest context window, and small enough that sums of thousands of cut counts stay exact.
 */
export const MAX_TOKENS = 10_000_000;

/** A sum that stops at the largest exact integer instead of losing digits or failing a check later. */
export function addSafely(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}

/** The figures by which copies of one API message are compared. */
export interface ComparedUsage extends TokenCounts {
  readonly webSearches: number;
  readonly isFast: boolean;
  readonly isBatch: boolean;
  readonly isUsOnly: boolean;
}

/**
 * Above 0 when `a` saw more of a message than `b`: more output, since that grows while a message streams, then more of
 * the rest. A total order, so that neither the order of lines nor that of files changes which copy counts.
 */
export function compareUsage(a: ComparedUsage, b: ComparedUsage): number {
  return (
    a.output - b.output ||
    restOf(a) - restOf(b) ||
    a.input - b.input ||
    a.cacheRead - b.cacheRead ||
    a.cacheWrite1h - b.cacheWrite1h ||
    a.webSearches - b.webSearches ||
    Number(a.isFast) - Number(b.isFast) ||
    Number(b.isBatch) - Number(a.isBatch) ||
    Number(a.isUsOnly) - Number(b.isUsOnly)
  );
}

function restOf({ input, cacheRead, cacheWrite5m, cacheWrite1h, webSearches }: ComparedUsage): number {
  return input + cacheRead + cacheWrite5m + cacheWrite1h + webSearches;
}

export const NO_TOKENS: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

export function addTokens(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    input: addSafely(a.input, b.input),
    output: addSafely(a.output, b.output),
    cacheRead: addSafely(a.cacheRead, b.cacheRead),
    cacheWrite5m: addSafely(a.cacheWrite5m, b.cacheWrite5m),
    cacheWrite1h: addSafely(a.cacheWrite1h, b.cacheWrite1h),
  };
}

/** Usage is summed up by quarters of an hour: every time zone's days are made of whole ones. */
export const SLOT_MS = 15 * 60_000;

/** The quarter of messages without a usable time: they are in no day and no range, and in every sum of all. */
export const NO_SLOT = -1;

export function timeSlot(time: string): number {
  return Math.floor(Date.parse(time) / SLOT_MS);
}

export const NANOS_PER_DOLLAR = 1_000_000_000;

/** Nano-dollars as dollars, for showing and for JSON; never calculate with the result. */
export function dollars(nanos: number): number {
  return nanos / NANOS_PER_DOLLAR;
}
