import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/durations.ts';
import { NOW } from '../support/fixed-clock.ts';
import { until } from '../support/until.ts';
import { EMPTY_DASHBOARDS } from './support/empty-dashboards.ts';
import { withQueries } from './support/empty-data.ts';
import { NO_COST_SUMS } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { isOverflowing } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();

const HOSTILE = '<img src=x onerror=alert(1)>';
const TODAY = NOW.toISOString().slice(0, 10);

function dashboardData() {
  const none = createMemoryData({ sessions: [], messages: new Map() });
  const sums = {
    ...NO_COST_SUMS,
    messages: 3,
    tokens_in: 10,
    tokens_out: 20,
    cache_read_tokens: 900,
    cache_write_tokens: 90,
    cost_nanos: 4_200_000_000,
    cost_usd: 4.2,
    sessions: 1,
  };
  return withQueries(none, {
    'GET /cost/breakdown': async (input) => ({
      ...(await EMPTY_DASHBOARDS['GET /cost/breakdown'](input)),
      total: sums,
      days: [{ ...sums, day: TODAY, model: 'claude-opus-5-5' }],
      places: [{ ...sums, workspace_key: HOSTILE, workspace: HOSTILE, branch: HOSTILE }],
      cache: { saved_nanos: 1_500_000_000, saved_usd: 1.5, unknown_messages: 0 },
      rates: [{ model: 'claude-opus-5-5', rate_id: 'claude-opus-5-5', messages: 3, cost_nanos: 4_200_000_000 }],
    }),
    'GET /cost': async ({ query: { by, zone } }) => ({
      ...(await none.queries['GET /cost']({ params: {}, body: null, query: { by, zone } })),
      active_block: {
        starts_at: `${TODAY}T13:00:00.000Z`,
        ends_at: `${TODAY}T18:00:00.000Z`,
        minutes_left: 130,
        total: sums,
        tokens: 1_020,
        tokens_per_minute: 6,
        cost_usd_per_hour: 1.5,
        projected_tokens: 1_800,
        projected_cost_nanos: 7_500_000_000,
        projected_cost_usd: 7.5,
      },
    }),
    'GET /budgets': async ({ query: { zone } }) => ({
      timezone: zone,
      budgets: [
        {
          id: 'b1',
          period: 'day',
          workspace_key: HOSTILE,
          workspace: HOSTILE,
          first_day: TODAY,
          last_day: TODAY,
          amount_nanos: 4_000_000_000,
          amount_usd: 4,
          spent_nanos: 4_200_000_000,
          spent_usd: 4.2,
          left_usd: -0.2,
          state: 'exceeded',
          unpriced_messages: 0,
        },
      ],
    }),
    'GET /cost/sessions': async () => ({
      sessions: [{ ...sums, session_id: '6f1d2c3b-0000-4000-8000-000000000001', title: HOSTILE }],
    }),
    'GET /tools': async () => ({
      tools: [
        {
          name: HOSTILE,
          calls: 4,
          sessions: 2,
          errors: 1,
          denied: 0,
          total_ms: 900,
          median_ms: 120,
          p95_ms: 500,
          longest_ms: 500,
        },
      ],
    }),
    'GET /files': async () => ({
      files: [
        { path: `/w/${HOSTILE}`, sessions: 1, reads: 1, writes: 2, lines_added: 3, lines_removed: 1, last_at: TODAY },
      ],
    }),
  });
}

const SCREENS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  cost: (page) => page.getByText('The cache saved').waitFor(),
  timeline: (page) => page.getByText('No activity yet.').waitFor(),
  tools: (page) => page.getByRole('link', { name: '1 (25%)' }).waitFor(),
  files: (page) => page.getByRole('region', { name: 'Files' }).waitFor(),
  health: (page) => page.getByText('No transcripts found.').waitFor(),
};

test.each([
  { width: 360, height: 700, colorScheme: 'dark' },
  { width: 1_280, height: 800, colorScheme: 'light' },
] as const)('every dashboard at $width px, $colorScheme, shows hostile names as text', async (view) => {
  const server = await serve(dashboardData());
  const tab = await visit(server, view);
  for (const [name, isShown] of Object.entries(SCREENS)) {
    await tab.page.goto(`${server.url}${name}`);
    await isShown(tab.page);
    expect([name, await isOverflowing(tab.page)]).toEqual([name, false]);
    expect(await tab.page.locator('img').count()).toBe(0);
  }
  expectClean(tab, server);
});

test('a figure leads to its sessions, and a workspace opens to branches and sessions', async () => {
  const server = await serve(dashboardData());
  const { page } = await visit(server);
  await page.goto(`${server.url}cost`);
  const day = page.getByRole('link', { name: `${TODAY}: $4.20` });
  await day.waitFor();
  const search = decodeURIComponent((await day.getAttribute('href')) ?? '').replaceAll('+', ' ');
  expect(search).toContain(`used_after:${TODAY} used_before:`);
  const places = page.getByRole('region', { name: 'By workspace, branch and session' });
  await places.getByRole('button', { name: HOSTILE }).click();
  await places.getByRole('button', { name: HOSTILE }).nth(1).click();
  await page.getByRole('link', { name: HOSTILE }).waitFor();
  await page.keyboard.press('4');
  await page.waitForURL(/days=all/);
});

test('workspaces of the same name are told apart by their folder', async () => {
  const data = dashboardData();
  const read = data.queries['GET /cost/breakdown'];
  const shared = withQueries(data, {
    'GET /cost/breakdown': async (input) => {
      const breakdown = await read(input);
      const [place] = breakdown.places;
      const at = (key: string) => ({ ...(place as NonNullable<typeof place>), workspace_key: key, workspace: 'cli' });
      return { ...breakdown, places: [at('folder:d1:/home/ada/work/cli'), at('folder:d1:/home/ada/play/cli')] };
    },
  });
  const server = await serve(shared);
  const { page } = await visit(server);
  await page.goto(`${server.url}cost`);
  const places = page.getByRole('region', { name: 'By workspace, branch and session' });
  await until(async () => expect(await places.getByRole('button', { name: 'cli (work)' }).count()).toBe(1));
  await until(async () => expect(await places.getByRole('button', { name: 'cli (play)' }).count()).toBe(1));
});

test('the cost page shows the current block with its burn rate, and budgets that link to their sessions', async () => {
  const server = await serve(dashboardData());
  const { page } = await visit(server);
  await page.goto(`${server.url}cost`);
  const block = page.getByRole('article', { name: 'Current 5-hour block' });
  await block.waitFor();
  const text = (await block.innerText()).replaceAll(/\s+/g, ' ');
  expect(text).toContain('$4.20 2h 10m left · $1.50/h and 6 tokens/min $7.50 and 1.8k tokens expected at its end');
  const budget = page.getByRole('row', { name: `Today in ${HOSTILE}` });
  expect((await budget.innerText()).replaceAll(/\s+/g, ' ')).toContain('$4.20 of $4.00 (105%) $0.20 over');
  const link = decodeURIComponent((await budget.getByRole('link').getAttribute('href')) ?? '').replaceAll('+', ' ');
  expect(link).toContain(`used_after:${TODAY} used_before:`);
});

test.each([
  { height: 800, days: 14 },
  { height: 1_300, days: 28 },
])('the timeline shows $days days on a screen of $height px', async ({ height, days }) => {
  const server = await serve(dashboardData());
  const { requests } = await visit(server, { path: '/timeline', height });
  const activity = () => requests.find((url) => url.includes('/activity?'));
  await until(() => expect(activity()).toBeDefined());
  const { searchParams } = new URL(activity() ?? '');
  const [since, last] = ['since', 'until'].map((name) => Date.parse(searchParams.get(name) ?? ''));
  expect(((last ?? 0) - (since ?? 0)) / DAY_MS + 1).toBe(days);
});
