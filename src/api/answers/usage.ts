import { z } from 'zod';
import { COST_GROUPS } from '../../domain/cost.ts';
import { USAGE_GROUPS } from '../../domain/usage-sum.ts';
import { shape } from '../endpoint.ts';
import { count, countOrNull, text, textOrNull, texts } from './json.ts';

const sums = z.strictObject({
  messages: count,
  unpriced_messages: count,
  tokens_in: count,
  tokens_out: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  cost_nanos: count,
});

/** `group` identifies the row: one entry for each grouping key, in the order of the keys. */
const usageRow = sums.extend({ group: z.partialRecord(z.enum(USAGE_GROUPS), z.string()) });
export type UsageRow = z.infer<typeof usageRow>;

export const usageReport = shape(
  'UsageReport',
  z.strictObject({
    total: sums,
    rows: z.array(usageRow).readonly(),
  }),
);

export type UsageReport = z.infer<typeof usageReport>;

const sumsOrNull = sums.extend({ cost_nanos: countOrNull });

const costSums = sumsOrNull.extend({
  /** The part of `cache_write_tokens` that is cached for an hour. */
  cache_write_1h_tokens: count,
  cost_usd: z.number().nullable(),
  /** The part of the cost caused by sub-agents. */
  subagent_cost_nanos: count,
  subagent_cost_usd: z.number(),
});

export type CostSums = z.infer<typeof costSums>;

const costRow = costSums.extend({
  /** Day, Monday of a week, month, or id, depending on the grouping; empty for rows without one. */
  key: text,
  label: text,
  sessions: count,
  models: texts,
});
export type CostRow = z.infer<typeof costRow>;

const priceFacts = z.strictObject({
  /** The day on which the newest price was checked. */
  book_date: text,
  sources: texts,
  /** The user's own price file, which takes precedence over the price book. */
  user_file: textOrNull,
});
export type PriceFacts = z.infer<typeof priceFacts>;

const unknownModel = z.strictObject({ model: text, messages: count, tokens: count });
export type UnknownModel = z.infer<typeof unknownModel>;

/** The client's own figures beside ours, for sessions that report them and lie entirely within the range. */
const clientComparison = z.strictObject({
  sessions: count,
  client_cost_nanos: count,
  client_cost_usd: z.number(),
  our_cost_nanos: count,
  our_cost_usd: z.number(),
});

export type ClientComparison = z.infer<typeof clientComparison>;

export const costReport = shape(
  'CostReport',
  z.strictObject({
    by: z.enum(COST_GROUPS),
    timezone: text,
    since: textOrNull,
    until: textOrNull,
    /**
     * `store`: the rollups. `transcripts`: the files, read for this request, plus usage that exists only in the store.
     */
    source: z.enum(['store', 'transcripts']),
    rows: z.array(costRow).readonly(),
    total: costSums.extend({ sessions: count }),
    unknown_models: z.array(unknownModel).readonly(),
    prices: priceFacts,
    client: clientComparison.nullable(),
    /** Sessions or files that could not be read; their usage is missing from the figures. */
    unreadable: count,
  }),
);
export type CostReport = z.infer<typeof costReport>;

export const sessionUsage = shape(
  'SessionUsage',
  z.strictObject({ total: sumsOrNull, models: z.array(sumsOrNull.extend({ model: textOrNull })).readonly() }),
);
export type SessionUsage = z.infer<typeof sessionUsage>;
