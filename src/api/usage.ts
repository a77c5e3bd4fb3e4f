import { z } from 'zod';
import { isDay } from '../domain/calendar.ts';
import { COST_GROUPS } from '../domain/cost.ts';
import { USAGE_GROUPS } from '../domain/usage-sum.ts';
import { costReport, usageReport } from './answers/usage.ts';
import { type CheckedQuery, queryEndpoint } from './endpoint.ts';
import { MAX_ID_CHARS } from './limits.ts';
import { plainText, time, words } from './values.ts';

const MAX_ZONE_CHARS = 64;
const name = plainText(MAX_ID_CHARS).optional();

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const zone = plainText(MAX_ZONE_CHARS).refine(isZone, 'must be a time zone such as Europe/Berlin').default('UTC');
const day = z.string().refine(isDay, 'must be a day like 2026-11-15').optional();

export const usageEndpoints = {
  'GET /usage': queryEndpoint({
    about: 'Tokens and cost of all sessions, grouped as requested. No message is counted twice.',
    query: z.strictObject({
      by: words(USAGE_GROUPS).optional(),
      zone: zone.meta({ description: 'Time zone for days and hours (default UTC).' }),
      after: time.optional().meta({ description: 'At this time or later.' }),
      before: time.optional().meta({ description: 'Before this time.' }),
      workspace_id: name.meta({ description: 'Only this workspace: id, canonical id, name or unique prefix.' }),
      device_id: name.meta({ description: 'Only this device: id, name or unique prefix.' }),
      model: name.meta({ description: 'Only models whose name starts with this.' }),
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
      zone: zone.meta({ description: 'Time zone for days (default UTC).' }),
      since: day.meta({ description: 'First day.' }),
      until: day.meta({ description: 'Last day, inclusive.' }),
    }),
    answer: costReport,
  }),
};

export type UsageQuery = CheckedQuery<(typeof usageEndpoints)['GET /usage']>;
