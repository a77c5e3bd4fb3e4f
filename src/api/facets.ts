import { z } from 'zod';
import { FACET_FIELDS } from '../domain/facets.ts';
import { queryEndpoint, shape } from './endpoint.ts';
import { sessionFilters } from './sessions.ts';
import { count, text, wholeNumber } from './values.ts';

export const facet = z.strictObject({
  field: z.enum(FACET_FIELDS),
  values: z
    .array(
      z.strictObject({
        value: text.meta({ description: 'The value as a filter takes it: `field:value` finds these sessions.' }),
        label: text,
        sessions: count,
      }),
    )
    .readonly(),
  /** Number of further values. */
  more: count,
});
export type Facet = z.infer<typeof facet>;

const facetReport = shape(
  'FacetReport',
  z.strictObject({ sessions: count, cost_nanos: count, facets: z.array(facet).readonly() }),
);
export type FacetReport = z.infer<typeof facetReport>;

const sessionDay = z.strictObject({ day: text, sessions: count, cost_nanos: count });
export type SessionDay = z.infer<typeof sessionDay>;

const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

/** What the filtered sessions have in common, and when they started. */
export const facetEndpoints = {
  'GET /facets': queryEndpoint({
    about:
      'How many of the filtered sessions have each value of the main fields, most frequent first, and what they cost together.',
    query: z.strictObject(sessionFilters),
    answer: facetReport,
  }),
  'GET /session-days': queryEndpoint({
    about: 'The filtered sessions by the day they started: their number and cost, for each of the last days.',
    query: z.strictObject({
      days: wholeNumber(1, MAX_DAYS)
        .default(DEFAULT_DAYS)
        .meta({ default: DEFAULT_DAYS, description: `Number of days up to today (default ${DEFAULT_DAYS}).` }),
      ...sessionFilters,
    }),
    answer: z.strictObject({ days: z.array(sessionDay).readonly() }),
  }),
};
