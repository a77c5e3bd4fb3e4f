import type { CostSums } from '../api/usage.ts';
import { addSafely, type TokenCounts } from './usage.ts';

export const COST_GROUPS = [
  'day',
  'week',
  'month',
  'block',
  'model',
  'workspace',
  'session',
  'device',
  'branch',
  'pr',
] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

/** Groups of usage by its time; oldest first. */
export const TIME_GROUPS: ReadonlySet<CostGroup> = new Set(['day', 'week', 'month', 'block']);

export interface CostQuery {
  readonly by: CostGroup;
  /** Time zone of the days. */
  readonly timezone: string;
  /** First and last day, both inclusive; null is unlimited. */
  readonly since: string | null;
  readonly until: string | null;
  /** Also the figures of each model in a row. */
  readonly breakdown?: boolean;
}

/** Usage of one session in one quarter of an hour, by model and branch, by itself or its sub-agents. */
export interface UsageCell {
  readonly sessionId: string;
  /** Null when the messages have no time. */
  readonly slot: number | null;
  readonly model: string;
  readonly branch: string;
  readonly isSubagent: boolean;
  readonly messages: number;
  readonly unpricedMessages: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly costNanos: number;
}

export interface Named {
  readonly key: string;
  readonly label: string;
}

/** The facts about a session that usage can be grouped by. */
export interface CostSession {
  readonly title: string | null;
  readonly workspace: Named;
  readonly device: Named;
  readonly pullRequests: readonly string[];
}

/** Identifies a price book and the part of it that applies to a session. */
export interface PriceStamp {
  readonly id: string;
  /** The date of the built-in prices beneath the user's own. */
  readonly date: string;
  /** Identifies all rates of these models: the same value gives the same costs. */
  ratesOf(models: readonly string[]): string;
}

type Tokens = Pick<CostSums, 'tokens_in' | 'tokens_out' | 'cache_read_tokens' | 'cache_write_tokens'>;

export function allTokens(sums: Tokens): number {
  const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = sums;
  return [tokens_in, tokens_out, cache_read_tokens, cache_write_tokens].reduce(addSafely);
}

/** The share of the input that was read from the cache; null without input. */
export function cachedShare({ tokens_in, cache_read_tokens, cache_write_tokens }: Tokens): number | null {
  const input = tokens_in + cache_read_tokens + cache_write_tokens;
  return input === 0 ? null : cache_read_tokens / input;
}

/**
 * What the cache saved at these rates per token: the price of the cached input without a cache, minus what reading it
 * from the cache and writing it there cost. Negative when more was written than was ever read.
 */
export function cacheSavedNanos(
  { cacheRead, cacheWrite5m, cacheWrite1h }: Omit<TokenCounts, 'input' | 'output'>,
  rates: Omit<TokenCounts, 'output'>,
): number {
  return (
    cacheRead * (rates.input - rates.cacheRead) +
    cacheWrite5m * (rates.input - rates.cacheWrite5m) +
    cacheWrite1h * (rates.input - rates.cacheWrite1h)
  );
}
