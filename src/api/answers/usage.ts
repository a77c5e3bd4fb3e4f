import { z } from 'zod';
import { COST_GROUPS, type CostReport } from '../../domain/cost.ts';
import { USAGE_GROUPS, type UsageReport } from '../../domain/query.ts';
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

export const usageReport: z.ZodType<UsageReport> = shape(
  'UsageReport',
  z.strictObject({
    total: sums,
    rows: z.array(sums.extend({ group: z.partialRecord(z.enum(USAGE_GROUPS), z.string()) })).readonly(),
  }),
);

const sumsOrNull = sums.extend({ cost_nanos: countOrNull });

const costSums = sumsOrNull.extend({
  cache_write_1h_tokens: count,
  cost_usd: z.number().nullable(),
  subagent_cost_nanos: count,
  subagent_cost_usd: z.number(),
});

const clientComparison = z.strictObject({
  sessions: count,
  client_cost_nanos: count,
  client_cost_usd: z.number(),
  our_cost_nanos: count,
  our_cost_usd: z.number(),
});

export const costReport: z.ZodType<CostReport> = shape(
  'CostReport',
  z.strictObject({
    by: z.enum(COST_GROUPS),
    timezone: text,
    since: textOrNull,
    until: textOrNull,
    source: z.enum(['store', 'transcripts']),
    rows: z.array(costSums.extend({ key: text, label: text, sessions: count, models: texts })).readonly(),
    total: costSums.extend({ sessions: count }),
    unknown_models: z.array(z.strictObject({ model: text, messages: count, tokens: count })).readonly(),
    prices: z.strictObject({ book_date: text, sources: texts, user_file: textOrNull }),
    client: clientComparison.nullable(),
    unreadable: count,
  }),
);

export const sessionUsage = shape(
  'SessionUsage',
  z.strictObject({ total: sumsOrNull, models: z.array(sumsOrNull.extend({ model: textOrNull })).readonly() }),
);
