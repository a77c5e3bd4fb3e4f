import { expect, test } from 'vitest';
import type { Queries } from '../../src/app/queries.ts';
import { CONTEXT_PARTS } from '../../src/domain/context-parts.ts';
import { makeOutline } from '../support/make-outline.ts';
import { until } from '../support/until.ts';
import { withQueries } from './support/empty-data.ts';
import { PAYLOADS } from './support/hostile.ts';
import { makeMessage, makeSession } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { isOverflowing } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();
const ID = '11111111-0000-4000-8000-000000000001';
const HOSTILE = PAYLOADS[0] ?? '';
const SMALL = { width: 360, height: 700, colorScheme: 'dark' } as const;

const TURNS = [
  { ordinal: 0, excerpt: 'Cheap' },
  { ordinal: 4, excerpt: HOSTILE },
  { ordinal: 8, agent: 0, parent: -1 },
];
const OUTLINE = makeOutline({
  items: [
    { kind: 'prompt', ordinal: 0, turn: 0 },
    { kind: 'compaction', ordinal: 3, turn: 0 },
    { kind: 'prompt', ordinal: 4, turn: 1 },
    { kind: 'agent', ordinal: 5, turn: 1, spawned: 0 },
    { kind: 'prompt', ordinal: 8, turn: 2, agent: 0 },
  ],
  turns: TURNS,
  agents: [{ agent_id: 'a', agent_type: 'Explore', description: 'Look around' }],
});

function dataOf(queries: Partial<Queries>) {
  const data = createMemoryData({
    sessions: [makeSession({ id: ID, title: 'Depth', unknown_models: [] })],
    messages: new Map([[ID, [makeMessage({ ordinal: 0 })]]]),
  });
  return withQueries(data, {
    'GET /sessions/:id/outline': async () => OUTLINE,
    ...queries,
  });
}

const COMPACTION = { id: 'c', ordinal: 3, kind: 'full', trigger: 'auto', pre_tokens: 150_000, post_tokens: 9_000 };
const CONTEXT: Partial<Queries> = {
  'GET /sessions/:id/context': async () => ({
    agent_id: null,
    model: 'claude-opus-4-5',
    window: 200_000,
    most_tokens: 150_000,
    parts: [...CONTEXT_PARTS],
    points: {
      ordinal: [1, 2, 5],
      turn: [0, 0, 1],
      total: [40_000, 150_000, 30_000],
      by_part: CONTEXT_PARTS.map((part) =>
        part === 'system' ? [20_000, 20_000, 20_000] : part === 'tool_output' ? [20_000, 130_000, 10_000] : [0, 0, 0],
      ),
    },
    compactions: [{ ...COMPACTION, point: 2 }],
  }),
  'GET /sessions/:id/compactions/:compaction_id/diff': async () => ({
    ...COMPACTION,
    summary: `We fixed the timetable. ${HOSTILE}`,
    summary_ordinal: 4,
    items: [
      {
        kind: 'prompt',
        ordinal: 0,
        is_kept: false,
        parts: [
          { text: 'Fix the timetable.', is_kept: true },
          { text: `Never skip a test. ${HOSTILE}`, is_kept: false },
        ],
      },
      { kind: 'file', ordinal: 1, is_kept: true, parts: [{ text: '/src/a.ts', is_kept: true }] },
    ],
    kept: 1,
    lost: 1,
    is_complete: true,
  }),
};

test('the context over time, and what a compaction lost', async () => {
  const server = await serve(dataOf(CONTEXT));
  const tab = await visit(server, { path: `/session/${ID}`, ...SMALL });
  const { page } = tab;
  await page.getByRole('link', { name: 'Context' }).waitFor();
  await page.keyboard.press('c');
  await page.getByRole('heading', { name: '30.0k of 200k tokens (15%) at the end' }).waitFor();
  expect(await page.locator('path[data-part]').count()).toBe(CONTEXT_PARTS.length);
  expect(await page.getByRole('table').textContent()).toContain('150,000');
  await page.keyboard.press('ArrowLeft');
  await page.getByText('150,000 tokens').waitFor();
  await page.getByRole('button', { name: /Compaction 1 at 150k → 9.0k/ }).click();
  await page.getByRole('heading', { name: /1 item lost, 1 kept/ }).waitFor();
  expect(await page.locator('del').allTextContents()).toEqual([`Never skip a test. ${HOSTILE} `]);
  await page.getByRole('searchbox', { name: 'Find in the previous context' }).fill('skip');
  await until(async () => expect(await page.getByText('/src/a.ts').count()).toBe(0));
  expect(await isOverflowing(page)).toBe(false);
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  await page.getByRole('link', { name: /Never skip a test/ }).click();
  await page.waitForURL(`**/session/${ID}?at=0`);
  expectClean(tab, server);
});

const START_MS = Date.UTC(2026, 0, 5, 12);
const WATERFALL: Partial<Queries> = {
  'GET /sessions/:id/waterfall': async () => ({
    agents: ['a'],
    calls: {
      ordinal: [1, 5, 9],
      block: [0, 0, 2],
      name: ['Bash', 'Agent', 'Grep'],
      subject: [HOSTILE, 'Look around', 'ferry'],
      agent: [-1, -1, 0],
      turn_id: ['message-0', 'message-4', 'message-8'],
      started_ms: [START_MS, START_MS + 60_000, START_MS + 65_000],
      waiting_ms: [20_000, 0, 0],
      duration_ms: [30_000, 40_000, 10_000],
      status: ['error', 'ok', 'ok'],
    },
  }),
};

test('calls over time: waiting separate from running, agents as spans, turn by turn', async () => {
  const server = await serve(dataOf(WATERFALL));
  const tab = await visit(server, { path: `/session/${ID}?view=waterfall`, ...SMALL });
  const { page } = tab;
  await page.getByRole('heading', { name: '3 calls: ran 1m, waited 20s' }).waitFor();
  const bars = page.locator('[data-call]');
  await until(async () => expect(await bars.count()).toBe(3));
  expect(await bars.first().locator('rect').count()).toBe(2);
  expect(await page.locator('[data-failed]').count()).toBe(1);
  expect(await page.getByText('Explore · Look').count()).toBe(1);
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: /^1 call: ran 30s/ }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: /^2 calls: ran 50s/ }).waitFor();
  expect(await isOverflowing(page)).toBe(false);
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  await page.getByRole('link', { name: /Grep ferry.*ran 10s/ }).click();
  await page.waitForURL(`**/session/${ID}?at=9&block=2`);
  expectClean(tab, server);
});

const USAGE = { messages: 1, tokens_in: 1, tokens_out: 1, cache_read_tokens: 1, cache_write_tokens: 1 };
const PRICED = { ...USAGE, unpriced_messages: 0 };
const COSTS: Partial<Queries> = {
  'GET /sessions/:id/costs': async () => ({
    total: { ...PRICED, cost_nanos: 19_000_000_000 },
    rows: [
      { ...PRICED, turn_id: 'message-0', agent_id: null, cost_nanos: 1_000_000_000 },
      { ...PRICED, turn_id: 'message-4', agent_id: null, cost_nanos: 6_000_000_000 },
      { ...PRICED, turn_id: 'message-8', agent_id: 'a', cost_nanos: 12_000_000_000 },
    ],
    files: [{ path: 'C:\\harbour\\src\\timetable.ts', reads: 9, tokens: 12_345, ordinal: 5, block: 1 }],
  }),
};

test('why a session cost what it did: one click to the most expensive turn', async () => {
  const server = await serve(dataOf(COSTS));
  const tab = await visit(server, { path: `/session/${ID}?view=cost`, ...SMALL });
  const { page } = tab;
  await page.getByRole('heading', { name: 'Why $19.00?' }).waitFor();
  const rows = page.locator('ol > li');
  expect(await rows.count()).toBe(2);
  expect(await rows.first().textContent()).toContain('$18.00');
  expect(await rows.first().textContent()).toContain('95%');
  expect(await rows.first().textContent()).toContain('Explore · Look around');
  expect(await page.locator('header p').nth(1).textContent()).toContain('. timetable.ts was read 9 times');
  expect(await page.getByRole('row', { name: /timetable.ts 9 12.3k/ }).count()).toBe(1);
  expect(await isOverflowing(page)).toBe(false);
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  await page.keyboard.press('o');
  await page.waitForURL(`**/session/${ID}?at=4`);
  expectClean(tab, server);
});
