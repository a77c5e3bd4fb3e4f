import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DataSource } from '../../src/app/data-source.ts';
import type { SearchIndex } from '../../src/domain/search.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { makeTalk, TALK_ID } from './support/conversation.ts';
import { withQueries } from './support/empty-data.ts';
import { createLiveStub } from './support/live-stub.ts';
import { makeBlock, makeMessage, makeSession, makeStatus, makeSubagent } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { drawn, isOverflowing, type PageServer } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';
import { type Watched, type WatchOptions } from './support/tabs.ts';
import { makeTempFolder } from './support/temp-folder.ts';

const BIG_ID = '22222222-0000-4000-8000-000000000002';
const BIG_MESSAGES = 500;
const FRESH_ID = '44444444-0000-4000-8000-000000000004';
const LIST_SESSIONS = 450;
const EMPTY_INDEX: SearchIndex = {
  resolveNames: async (node) => node,
  findPlacesOf: async () => [],
  findPlaces: async () => ({ places: [], lookedTo: null }),
  countPlaces: async () => null,
  listPlaces: async () => [],
  readTexts: async () => new Map(),
  readCalls: async () => new Map(),
  findSessions: async () => [],
  countSessions: async () => 0,
  readSessions: async () => new Map(),
};

const suite = useBrowser();
/** FUEL_CODE_SHOTS names a folder for screenshots. */
const shots = process.env['FUEL_CODE_SHOTS'] ?? makeTempFolder('shots');

function talkData(): DataSource {
  const { session, messages } = makeTalk();
  const long = 'x'.repeat(300);
  const big = makeSession({
    id: BIG_ID,
    title: `Many messages ${long}`,
    git_branch: long,
    total_messages: BIG_MESSAGES,
    started_at: '2026-11-01T08:00:00.000Z',
  });
  const bigMessages = Array.from({ length: BIG_MESSAGES }, (_, ordinal) =>
    makeMessage({
      ordinal,
      content_blocks: [
        makeBlock({ block_type: 'text', content_text: `Line ${ordinal} of many. ${ordinal % 9 === 0 ? long : ''}` }),
      ],
    }),
  );
  const others = Array.from({ length: LIST_SESSIONS }, (_, index) =>
    makeSession({
      id: `33333333-0000-4000-8000-${String(index).padStart(12, '0')}`,
      title: `Older session ${index}`,
      started_at: new Date(Date.UTC(2026, 9, 1) - index * 3_600_000).toISOString(),
    }),
  );
  return createMemoryData({
    parts: { subagents: [makeSubagent({ agent_id: 'a0123456789abcdef', spawning_tool_use_id: 'call-3' })] },
    sessions: [session, big, ...others],
    messages: new Map([
      [TALK_ID, messages],
      [BIG_ID, bigMessages],
    ]),
  });
}

const serve = (data: DataSource, openDemo?: () => Promise<DataSource>) =>
  suite.serve(data, openDemo === undefined ? {} : { openDemo });

/** Opens the printed URL and returns the tab once the first view is visible. */
async function visit(server: PageServer, options: WatchOptions = {}, path = ''): Promise<Watched> {
  const tab = await suite.visit(server, { ...options, path });
  if (path === '') await tab.page.waitForSelector('[role=grid], .notice-card');
  return tab;
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  await until(() => expect(isTrue()).toBe(true));
}

describe('the list', () => {
  test('shows a session with its columns, pages on while scrolling, and keeps few rows in the document', async () => {
    const server = await serve(talkData());
    const tab = await visit(server);
    const row = tab.page.getByRole('row').filter({ hasText: 'Fix the ferry timetable' });
    for (const text of ['harbour', 'fix/winter-times', 'opus 5.5', '42m', '$0.18']) {
      await until(async () => expect(await row.textContent()).toContain(text));
    }
    await tab.page.screenshot({ path: join(shots, 'list-light.png') });
    const last = tab.page.getByText(`Older session ${LIST_SESSIONS - 1}`, { exact: true });
    await expect
      .poll(
        async () => {
          await tab.page.keyboard.press('End');
          return last.isVisible();
        },
        { timeout: PATIENCE_MS },
      )
      .toBe(true);
    expect(await tab.page.locator('.virtual-row').count()).toBeLessThan(80);
    expectClean(tab, server);
  });

  test('shows the progress of an import without polling', async () => {
    const live = createLiveStub();
    const server = await serve({ ...talkData(), live: live.source });
    const tab = await visit(server);
    await waitUntil(() => live.followers() === 1);
    live.notifyProgress({
      ...makeStatus().import,
      phase: 'importing',
      files_total: 353,
      files_done: 120,
      bytes_total: 42_000_000,
      bytes_done: 14_000_000,
    });
    // The status endpoint always reports idle, so this can only come from the stream.
    await tab.page.getByText('Importing: 120 of 353 files · 14.0 MB of 42.0 MB').waitFor();
    expect(tab.requests.filter((url) => url.endsWith('/api/status')).length).toBeLessThanOrEqual(2);
    expectClean(tab, server);
  });

  test('shows a new session without a reload', async () => {
    const live = createLiveStub();
    let data = talkData();
    const changing = withQueries(data, { 'GET /sessions': (input) => data.queries['GET /sessions'](input) });
    const server = await serve({ ...changing, live: live.source });
    const tab = await visit(server);
    await waitUntil(() => live.followers() === 1);
    const fresh = makeSession({ id: FRESH_ID, title: 'Just begun', started_at: '2026-11-14T23:00:00.000Z' });
    data = createMemoryData({ sessions: [fresh], messages: new Map() });
    live.tellChange(fresh);
    await tab.page.getByText('Just begun').waitFor();
    expectClean(tab, server);
  });

  test('works with the keyboard: j and k, Enter, Escape, slash', async () => {
    const server = await serve(talkData());
    const { page } = await visit(server);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await until(async () =>
      expect(await page.locator('[role=row][data-current]').textContent()).toContain('Fix the ferry timetable'),
    );
    await page.keyboard.press('Enter');
    await page.getByRole('feed').waitFor();
    await until(() => expect(page.url()).toContain(`/session/${TALK_ID}`));
    await page.keyboard.press('Escape');
    await page.getByRole('grid').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('sub-agent');
    await page.getByText('Said inside the').first().waitFor();
    await until(() => expect(page.url()).toContain('/search?q=sub-agent'));
  });
});

describe('a session', () => {
  test('an invalid search shows the position of the error below the search field', async () => {
    const server = await serve(
      withQueries(talkData(), { 'GET /search': ({ query }) => searchSessions(EMPTY_INDEX, query, fixedClock) }),
    );
    const { page } = await visit(server, {}, '/search?q=ferry%20(times');
    await page.getByRole('alert').waitFor();
    await until(async () => expect(await page.getByRole('alert').textContent()).toContain('at character 7'));
    await until(async () => expect(await page.locator('.bad-query code').textContent()).toBe('ferry (times'));
    await until(async () => expect(await page.locator('.bad-query mark').textContent()).toBe('('));
    await page.getByRole('combobox', { name: 'Search all sessions' }).fill('ferry times');
    await page.getByText('No results').waitFor();
  });

  test('a search hit opens the session at its message, even inside a sub-agent', async () => {
    const server = await serve(talkData());
    const tab = await visit(server, {}, '/search?q=Line%20377%20of');
    await tab.page.locator('[data-hit] a').first().click();
    await tab.page.locator('[data-current]').filter({ hasText: 'Line 377 of many.' }).waitFor();
    await tab.page.goto(`${server.url}search?q=inside+the`);
    await tab.page.locator('[data-hit] a').first().click();
    await tab.page.getByText('Said inside the sub-agent.').waitFor();
    expectClean(tab, server);
  });
});

describe('the frame', () => {
  test('is there while the demo is prepared, and at an unknown address', async () => {
    let finish: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (finish = resolve));
    const server = await serve(talkData(), async () => {
      await ready;
      return talkData();
    });
    const { page } = await visit(server);
    await page.goto(`${server.url}demo`);
    await page.getByText('Preparing the demo').waitFor();
    expect(await page.getByRole('link', { name: 'Health' }).count()).toBe(1);
    finish();
    await page.getByRole('note').getByText('You are viewing demo data').waitFor();
    await page.goto(`${server.url}nothing-here`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Health' }).waitFor();
  });

  test('says that a server has only demo data', async () => {
    const { session, messages } = makeTalk();
    const status = makeStatus({ sessions: 1, is_demo: true });
    const data = createMemoryData({ sessions: [session], messages: new Map([[session.id, messages]]), status });
    const { page } = await visit(await serve(data));
    await page.getByRole('note').getByText('You are viewing demo data').waitFor();
    expect(await page.getByRole('link', { name: 'Back to my sessions' }).count()).toBe(0);
    expect(await page.getByLabel('Dismiss').count()).toBe(0);
  });
});

describe('a machine without sessions', () => {
  test('a search says that there are no sessions yet', async () => {
    const status = makeStatus({ sessions: 0 });
    const idle = { ...status, import: { ...status.import, phase: 'idle' as const } };
    const server = await serve(createMemoryData({ sessions: [], messages: new Map(), status: idle }));
    const tab = await visit(server, {}, '/search?q=ferry');
    await tab.page.getByRole('heading', { name: 'No sessions' }).waitFor();
    expect(await tab.page.getByText('Fewer words').count()).toBe(0);
    expectClean(tab, server);
  });

  test('says what to do and shows the demo after one click, separate from the user’s data', async () => {
    const empty = createMemoryData({
      sessions: [],
      messages: new Map(),
      status: makeStatus({ sessions: 0, claude_home_exists: false, claude_home: '/home/nobody/.claude' }),
    });
    const server = await serve(empty, async () => talkData());
    const tab = await visit(server, { width: 360, height: 700 });
    const { page } = tab;
    expect(await page.textContent('body')).toContain('/home/nobody/.claude');
    await page.screenshot({ path: join(shots, 'empty-narrow.png') });
    await page.getByRole('link', { name: 'View demo' }).click();
    await page.getByText('Fix the ferry timetable').waitFor();
    await until(async () => expect(await page.getByRole('note').textContent()).toContain('You are viewing demo data'));
    await page.getByText('Fix the ferry timetable').click();
    await page.locator('[data-item=prompt]').first().waitFor();
    expect(await isOverflowing(page)).toBe(false);
    await page.reload();
    await page.getByRole('link', { name: 'Back to my sessions' }).click();
    await page.getByRole('heading', { name: 'No sessions' }).waitFor();
    expect(await isOverflowing(page)).toBe(false);
    expectClean(tab, server);
  });
});

describe('layout', () => {
  test.each([
    ['list', ''],
    ['session', `/session/${TALK_ID}`],
    ['long words', `/session/${BIG_ID}`],
    ['search', '/search?q=many'],
  ])('%s has no horizontal scroll at 360 px', async (name, path) => {
    const server = await serve(talkData());
    const tab = await visit(server, { width: 360, height: 700 }, path);
    await drawn(tab.page);
    await tab.page.screenshot({ path: join(shots, `${name.replace(' ', '-')}-narrow.png`) });
    expect(await isOverflowing(tab.page)).toBe(false);
    expectClean(tab, server);
  });

  test('the heading of a session shows its cost at every width, however long its branch is', async () => {
    const server = await serve(talkData());
    const { page } = await visit(server, {}, `/session/${BIG_ID}`);
    const facts = page.locator('.session-title p');
    await facts.getByRole('link').waitFor();
    for (const width of [360, 700, 1_001, 1_280]) {
      await page.setViewportSize({ width, height: 700 });
      await drawn(page);
      const [line, cost] = await Promise.all([facts.boundingBox(), facts.getByRole('link').boundingBox()]);
      const end = (box: typeof line) => (box === null ? Number.NaN : box.x + box.width);
      expect(end(cost), `${width} px`).toBeLessThanOrEqual(end(line));
    }
  });

  test('follows the dark color scheme', async () => {
    const server = await serve(talkData());
    const background = async (colorScheme: 'light' | 'dark') => {
      const { page } = await visit(server, { colorScheme });
      await page.screenshot({ path: join(shots, `list-${colorScheme}.png`) });
      return page.evaluate('getComputedStyle(document.body).backgroundColor');
    };
    expect(await background('light')).toBe('rgb(251, 250, 247)');
    expect(await background('dark')).toBe('rgb(23, 24, 26)');
  });
});
