import { z } from 'zod';
import { USAGE_GROUPS, type UsageReport } from '../../domain/query.ts';
import { shape } from '../endpoint.ts';
import { count } from './json.ts';

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
