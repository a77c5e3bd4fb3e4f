import { z } from 'zod';
import { COST_GROUPS } from '../domain/cost.ts';
import { USAGE_GROUPS } from '../domain/usage-sum.ts';
import { costReport, usageReport } from './answers/usage.ts';
import { type CheckedQuery, queryEndpoint } from './endpoint.ts';
import { MAX_QUERY_CHARS } from './limits.ts';
import { sessionFilters } from './sessions.ts';
import { date, plainText, words, zone } from './values.ts';

const { all: _all, zone: _zone, ...usageFilters } = sessionFilters;

export const usageEndpoints = {
  'GET /usage': queryEndpoint({
    about: 'Tokens and cost of all sessions, grouped as requested. No message is counted twice.',
    query: z.strictObject({
      by: words(USAGE_GROUPS).optional(),
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
      zone: zone.default('UTC').meta({ description: 'Time zone for days (default UTC).' }),
      since: date.optional().meta({ description: 'First day.' }),
      until: date.optional().meta({ description: 'Last day, inclusive.' }),
    }),
    answer: costReport,
  }),
};

export type UsageQuery = CheckedQuery<(typeof usageEndpoints)['GET /usage']>;
