import type { Queries } from '../../../src/app/queries.ts';
import { NO_COST_SUMS } from './make-rows.ts';

const NO_SUMS = { ...NO_COST_SUMS, sessions: 0 };

const NO_PRICES = { book_date: '2026-01-01', sources: [], user_file: null };
const DAY = '2026-01-01';

/** The dashboards of a store without any activity. */
export const EMPTY_DASHBOARDS = {
  'GET /cost/periods': async ({ query: { zone } }) => ({
    timezone: zone,
    periods: [1, 7, 30].map((days) => {
      const range = { since: DAY, until: DAY, total: NO_SUMS };
      return { days, ...range, before: range };
    }),
  }),
  'GET /cost/breakdown': async ({ query: { zone, since = null, until = null } }) => ({
    timezone: zone,
    since,
    until,
    total: NO_SUMS,
    days: [],
    places: [],
    cache: { saved_nanos: 0, saved_usd: 0, unknown_messages: 0 },
    rates: [],
    unknown_models: [],
    prices: NO_PRICES,
  }),
  'GET /cost/sessions': async () => ({ sessions: [] }),
  'GET /prices': async () => ({ ...NO_PRICES, web_search_usd: 0.01, rows: [] }),
  'GET /checkup': async ({ query }) => ({
    checks: [],
    files: { found: 0, archived: 0, waiting: 0, empty: 0, ignored: 0, skipped: 0 },
    newest_archived_at: null,
    expiring: { files: 0, not_captured: 0, days: 7, next_days_left: null },
    is_full: query.full ?? false,
  }),
  'GET /tools/days': async () => ({ days: [], tools: [] }),
  'GET /tool-calls': async () => ({ calls: [], next_cursor: null }),
  'GET /files/changes': async () => ({ changes: [], next_cursor: null }),
  'GET /activity': async ({ query: { since, until, zone = 'UTC' } }) => ({
    since,
    until,
    timezone: zone,
    sessions: [],
    git_activity: [],
    is_cut: false,
    last_active_at: null,
  }),
} satisfies Partial<Queries>;
