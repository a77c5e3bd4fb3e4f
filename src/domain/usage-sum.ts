import { addSafely } from './usage.ts';

/** What usage can be summed up by. */
export const USAGE_GROUPS = ['day', 'hour', 'model', 'workspace', 'device', 'branch', 'session', 'agent'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Sums over API messages that are counted. */
export interface UsageSum {
  readonly messages: number;
  /** Of models without a price: in the counts, in no cost. */
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
