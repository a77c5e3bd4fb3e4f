/** The model name that the client writes where no model answered. */
export const SYNTHETIC_MODEL = '<synthetic>';

/** Token counts and money. Money is integer nano-dollars: list prices are whole nano-dollars per token, floats drift. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** Cache writes kept for 5 minutes, or of an unknown tier. */
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

/** The figures used to compare copies of one API message. */
export interface ComparedUsage extends TokenCounts {
  readonly webSearches: number;
  readonly isFast: boolean;
  readonly isBatch: boolean;
  readonly isUsOnly: boolean;
}

/**
 * Positive when `a` is more complete than `b`: more output, since that grows while a message streams, then more of the
 * rest. A total order, so that the order of lines and files does not matter.
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

export type GrowingTokens = { -readonly [Key in keyof TokenCounts]: TokenCounts[Key] };

/** Changes `sum`: this is done for every message. */
export function addTokens(sum: GrowingTokens, more: TokenCounts): void {
  sum.input = addSafely(sum.input, more.input);
  sum.output = addSafely(sum.output, more.output);
  sum.cacheRead = addSafely(sum.cacheRead, more.cacheRead);
  sum.cacheWrite5m = addSafely(sum.cacheWrite5m, more.cacheWrite5m);
  sum.cacheWrite1h = addSafely(sum.cacheWrite1h, more.cacheWrite1h);
}

/** Usage is summed by quarters of an hour: days in every time zone consist of whole ones. */
export const SLOT_MS = 15 * 60_000;

/** The slot of messages without a usable time: they are in no day or range, but in every total. */
export const NO_SLOT = -1;

export function timeSlot(time: string): number {
  return Math.floor(Date.parse(time) / SLOT_MS);
}

export const NANOS_PER_DOLLAR = 1_000_000_000;

/** Nano-dollars as dollars, for display and JSON only. */
export function dollars(nanos: number): number {
  return nanos / NANOS_PER_DOLLAR;
}

/** What usage can be grouped by. */
export const USAGE_GROUPS = ['day', 'hour', 'model', 'workspace', 'device', 'branch', 'session', 'agent'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Sums over API messages that are counted. */
export interface UsageSum {
  readonly messages: number;
  /** Messages of models without a price: counted, but without cost. */
  readonly unpriced_messages: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_read_tokens: number;
  /** Of either tier. */
  readonly cache_write_tokens: number;
  /** Whole nano-dollars. */
  readonly cost_nanos: number;
}

/** The same, with a null cost unless at least one message has a price. */
export type UsageSumOrNull = Omit<UsageSum, 'cost_nanos'> & { readonly cost_nanos: number | null };

export const NO_USAGE: UsageSum = {
  messages: 0,
  unpriced_messages: 0,
  tokens_in: 0,
  tokens_out: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_nanos: 0,
};

export function addUsage(a: UsageSum, b: UsageSum): UsageSum {
  return {
    messages: addSafely(a.messages, b.messages),
    unpriced_messages: addSafely(a.unpriced_messages, b.unpriced_messages),
    tokens_in: addSafely(a.tokens_in, b.tokens_in),
    tokens_out: addSafely(a.tokens_out, b.tokens_out),
    cache_read_tokens: addSafely(a.cache_read_tokens, b.cache_read_tokens),
    cache_write_tokens: addSafely(a.cache_write_tokens, b.cache_write_tokens),
    cost_nanos: addSafely(a.cost_nanos, b.cost_nanos),
  };
}
