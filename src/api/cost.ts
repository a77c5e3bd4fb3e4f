import { z } from 'zod';
import { queryEndpoint, shape } from './endpoint.ts';
import { costSums, priceFacts, unknownModel } from './usage.ts';
import { count, days, dayZone, plainText, text, textOrNull, texts } from './values.ts';

const total = costSums.extend({ sessions: count });
const range = { since: text, until: text, total };

/** Today, the last 7 and the last 30 days, each with the days before it. */
const costPeriods = shape(
  'CostPeriods',
  z.strictObject({
    timezone: text,
    periods: z.array(z.strictObject({ days: count, ...range, before: z.strictObject(range) })).readonly(),
  }),
);
export type CostPeriods = z.infer<typeof costPeriods>;

const costBreakdown = shape(
  'CostBreakdown',
  z.strictObject({
    timezone: text,
    since: textOrNull,
    until: textOrNull,
    total,
    days: z
      .array(total.extend({ day: text.meta({ description: 'Empty for usage without a time.' }), model: text }))
      .readonly(),
    places: z.array(total.extend({ workspace_key: text, workspace: text, branch: text })).readonly(),
    cache: z.strictObject({
      saved_nanos: count.meta({ description: 'Price of the cached input without a cache, minus what it cost.' }),
      saved_usd: z.number(),
      unknown_messages: count.meta({ description: 'Messages left out because their rate was not stored.' }),
    }),
    rates: z
      .array(
        z.strictObject({
          model: text,
          rate_id: text.meta({ description: 'Row of the price book, with the marks of surcharges and discounts.' }),
          messages: count,
          cost_nanos: count,
        }),
      )
      .readonly(),
    unknown_models: z.array(unknownModel).readonly(),
    prices: priceFacts,
  }),
);
export type CostBreakdown = z.infer<typeof costBreakdown>;

const costSessions = shape(
  'CostSessions',
  z.strictObject({ sessions: z.array(costSums.extend({ session_id: text, title: textOrNull })).readonly() }),
);
export type CostSessions = z.infer<typeof costSessions>;

const usdPerMillion = z.strictObject({
  input: z.number(),
  output: z.number(),
  cache_read: z.number(),
  cache_write_5m: z.number(),
  cache_write_1h: z.number(),
});

const priceBook = shape(
  'PriceBook',
  z.strictObject({
    ...priceFacts.shape,
    web_search_usd: z.number(),
    rows: z
      .array(
        z.strictObject({
          id: text,
          models: texts,
          from: textOrNull,
          until: textOrNull,
          usd_per_million: usdPerMillion,
          long_context: z.strictObject({ over_input_tokens: count, usd_per_million: usdPerMillion }).nullable(),
          fast_multiplier: count,
          source: text,
          source_date: textOrNull,
          remark: textOrNull,
        }),
      )
      .readonly(),
  }),
);
export type PriceBookAnswer = z.infer<typeof priceBook>;

/** Cost for the dashboard: the figures of `GET /cost`, several groupings at once. */
export const costEndpoints = {
  'GET /cost/periods': queryEndpoint({
    about: 'Cost of today, the last 7 and the last 30 days, each with the same number of days before it.',
    query: z.strictObject({ zone: dayZone }),
    answer: costPeriods,
  }),
  'GET /cost/breakdown': queryEndpoint({
    about: 'Cost of a period by day and model, by workspace and branch, and by rate, with the savings of the cache.',
    query: z.strictObject(days),
    answer: costBreakdown,
  }),
  'GET /cost/sessions': queryEndpoint({
    about: 'Cost of the sessions of one workspace and branch, most expensive first.',
    query: z.strictObject({
      ...days,
      workspace: plainText(1_000).meta({ description: '`workspace_key` of the breakdown.' }),
      branch: z.string().max(1_000).meta({ description: '`branch` of the breakdown; may be empty.' }),
    }),
    answer: costSessions,
  }),
  'GET /prices': queryEndpoint({
    about: 'The price book: list prices by model and day, in dollars per million tokens.',
    answer: priceBook,
  }),
};
