import { z } from 'zod';
import { COST_GROUPS } from '../domain/cost.ts';
import { DEFAULT_WORK_ROWS, MAX_WORK_ROWS } from '../domain/requests.ts';
import { USAGE_GROUPS } from '../domain/usage.ts';
import { budgetStatus } from './budgets.ts';
import { type CheckedQuery, queryEndpoint, shape } from './endpoint.ts';
import { sessionFilters } from './sessions.ts';
import {
  choices,
  count,
  countOrNull,
  date,
  days,
  flag,
  limit,
  MAX_QUERY_CHARS,
  plainText,
  text,
  textOrNull,
  texts,
  zone,
} from './values.ts';

export const tokenSums = {
  tokens_in: count,
  tokens_out: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
};

export const usageSums = z.strictObject({ messages: count, unpriced_messages: count, ...tokenSums, cost_nanos: count });

/** `group` identifies the row: one entry for each grouping key, in the order of the keys. */
const usageRow = usageSums.extend({ group: z.partialRecord(z.enum(USAGE_GROUPS), z.string()) });
export type UsageRow = z.infer<typeof usageRow>;

const usageReport = shape('UsageReport', z.strictObject({ total: usageSums, rows: z.array(usageRow).readonly() }));

export type UsageReport = z.infer<typeof usageReport>;

const sumsOrNull = usageSums.extend({ cost_nanos: countOrNull });

export const costSums = sumsOrNull.extend({
  /** The part of `cache_write_tokens` that is cached for an hour. */
  cache_write_1h_tokens: count,
  cost_usd: z.number().nullable(),
  /** The part of the cost caused by sub-agents. */
  subagent_cost_nanos: count,
  subagent_cost_usd: z.number(),
});

export type CostSums = z.infer<typeof costSums>;

const costRow = costSums.extend({
  /** Day, Monday of a week, month, start of a block, or id, depending on the grouping; empty for rows without one. */
  key: text,
  label: text,
  sessions: count,
  models: texts,
  /** The figures of each model, most expensive first; only with `breakdown`. */
  by_model: z
    .array(costSums.extend({ model: text }))
    .readonly()
    .optional(),
});
export type CostRow = z.infer<typeof costRow>;

export const priceFacts = z.strictObject({
  /** The day on which the newest price was checked. */
  book_date: text,
  sources: texts,
  /** The user's own price file, which takes precedence over the price book. */
  user_file: textOrNull,
});
export type PriceFacts = z.infer<typeof priceFacts>;

export const unknownModel = z.strictObject({ model: text, messages: count, tokens: count });
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

/** The current block of five hours; all of it, whatever the range. */
const activeBlock = z.strictObject({
  starts_at: text,
  ends_at: text,
  minutes_left: count,
  total: costSums.extend({ sessions: count }),
  tokens: count,
  tokens_per_minute: z.number(),
  /** Null without a price, like all costs. */
  cost_usd_per_hour: z.number().nullable(),
  /** At the end of the block, if usage goes on at this rate. */
  projected_tokens: count,
  projected_cost_nanos: countOrNull,
  projected_cost_usd: z.number().nullable(),
});
export type ActiveBlock = z.infer<typeof activeBlock>;

const costReport = shape(
  'CostReport',
  z.strictObject({
    by: z.enum(COST_GROUPS),
    timezone: text,
    since: textOrNull,
    until: textOrNull,
    /** `store`: the rollups. `transcripts`: files read for this request, plus usage found only in the store. */
    source: z.enum(['store', 'transcripts']),
    rows: z.array(costRow).readonly(),
    total: costSums.extend({ sessions: count }),
    unknown_models: z.array(unknownModel).readonly(),
    prices: priceFacts,
    client: clientComparison.nullable(),
    active_block: activeBlock
      .nullable()
      .meta({ description: 'The current block of five hours; only when grouped by block and if there is one.' }),
    budgets: z
      .array(budgetStatus)
      .readonly()
      .meta({ description: 'Budgets in their current period, whatever the range.' }),
    /** Sessions or files that could not be read; their usage is missing from the figures. */
    unreadable: count,
    /** Sessions whose usage is gone because they were deleted. */
    deleted_sessions: count,
  }),
);
export type CostReport = z.infer<typeof costReport>;

const sessionUsage = shape(
  'SessionUsage',
  z.strictObject({ total: sumsOrNull, models: z.array(sumsOrNull.extend({ model: textOrNull })).readonly() }),
);
export type SessionUsage = z.infer<typeof sessionUsage>;

/** Usage of a tool across sessions. */
const toolStats = shape(
  'ToolStats',
  z.strictObject({
    name: text,
    calls: count,
    sessions: count,
    errors: count,
    denied: count,
    total_ms: countOrNull,
    median_ms: countOrNull.meta({ description: 'Half of the calls with a known duration took at most this long.' }),
    p95_ms: countOrNull.meta({ description: '95% of them took at most this long.' }),
    longest_ms: countOrNull,
  }),
);

export type ToolStats = z.infer<typeof toolStats>;

/** Operations on a file across sessions. */
const fileStats = shape(
  'FileStats',
  z.strictObject({
    path: text,
    sessions: count,
    reads: count,
    writes: count,
    lines_added: count,
    lines_removed: count,
    last_at: text,
  }),
);

export type FileStats = z.infer<typeof fileStats>;

const { all: _all, zone: _zone, ...usageFilters } = sessionFilters;
const workQuery = { limit: limit(MAX_WORK_ROWS, DEFAULT_WORK_ROWS), ...sessionFilters };

/** Reports across sessions: tokens, cost, tools and files. */
export const usageEndpoints = {
  'GET /sessions/:id/usage': queryEndpoint({
    about: 'Tokens and cost of a session by model. Messages counted in another session are not counted again.',
    answer: sessionUsage,
  }),
  'GET /usage': queryEndpoint({
    about: 'Tokens and cost of all sessions, grouped as requested. No message is counted twice.',
    query: z.strictObject({
      by: choices(USAGE_GROUPS).optional(),
      ...usageFilters,
      zone: zone.default('UTC').meta({ description: 'Time zone for dates, days and hours (default UTC).' }),
      after: date.optional().meta({ description: 'Usage at this time or later.' }),
      before: date.optional().meta({ description: 'Usage before this time.' }),
      model: plainText(MAX_QUERY_CHARS).optional().meta({ description: 'Usage of models whose name contains this.' }),
    }),
    answer: usageReport,
  }),
  'GET /cost': queryEndpoint({
    about: 'Token usage and cost, as in `fuel-code cost --json`.',
    query: z.strictObject({
      by: z
        .enum(COST_GROUPS, `must be one of ${COST_GROUPS.join(', ')}`)
        .default('day')
        .meta({ description: `One of ${COST_GROUPS.join(', ')} (default day).` }),
      ...days,
      breakdown: flag.optional().meta({ description: 'Also return the figures of each model in a row (`by_model`).' }),
    }),
    answer: costReport,
  }),
  'GET /tools': queryEndpoint({
    about:
      'Tools, most called first, with failures and durations. Filters apply to the sessions and are combined with AND.',
    query: z.strictObject(workQuery),
    answer: z.strictObject({ tools: z.array(toolStats).readonly() }),
  }),
  'GET /files': queryEndpoint({
    about:
      'Files that tools read and wrote, most written first. Filters apply to the sessions and are combined with AND.',
    query: z.strictObject({
      path: plainText(MAX_QUERY_CHARS).optional().meta({ description: 'Path contains this text.' }),
      ...workQuery,
    }),
    answer: z.strictObject({ files: z.array(fileStats).readonly() }),
  }),
};

export type UsageQuery = CheckedQuery<(typeof usageEndpoints)['GET /usage']>;
export type ToolsQuery = CheckedQuery<(typeof usageEndpoints)['GET /tools']>;
