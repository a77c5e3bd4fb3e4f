import type { CostSums } from '../api/usage.ts';
import { addSafely } from './usage.ts';

export const COST_GROUPS = ['day', 'week', 'month', 'model', 'workspace', 'session', 'device', 'branch', 'pr'] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

export interface CostQuery {
  readonly by: CostGroup;
  /** Whose days are meant. */
  readonly timezone: string;
  /** First and last day, both included; null is open. */
  readonly since: string | null;
  readonly until: string | null;
}

/** What one session used in one quarter of an hour, of one model, on one branch, itself or in its sub-agents. */
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

/** What the store knows of a session that usage is grouped by. */
export interface CostSession {
  readonly title: string | null;
  readonly workspace: Named;
  readonly device: Named;
  readonly pullRequests: readonly string[];
}

/** Identifies a price book and the part of it that applies to a session. */
export interface PriceStamp {
  readonly id: string;
  /** The day of our own book beneath the person's prices. */
  readonly date: string;
  /** A mark of all rates of these models: the same marks give the same costs. */
  ratesOf(models: readonly string[]): string;
}

type Tokens = Pick<CostSums, 'tokens_in' | 'tokens_out' | 'cache_read_tokens' | 'cache_write_tokens'>;

export function allTokens(sums: Tokens): number {
  const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = sums;
  return [tokens_in, tokens_out, cache_read_tokens, cache_write_tokens].reduce(addSafely);
}

/** The part of the input that came out of the cache; null without input. */
export function cachedShare({ tokens_in, cache_read_tokens, cache_write_tokens }: Tokens): number | null {
  const input = tokens_in + cache_read_tokens + cache_write_tokens;
  return input === 0 ? null : cache_read_tokens / input;
}
