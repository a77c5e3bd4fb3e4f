import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import type { FoundSession, SearchHit } from '../../src/api/search.ts';
import type { DataSource } from '../../src/app/data-source.ts';
import { until } from '../support/until.ts';
import { human, model, result, TALK_ID } from './support/conversation.ts';
import { withQueries } from './support/empty-data.ts';
import { makeBlock, makeFoundSession, makeHit, makeMessage, makeSession } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { isOverflowing } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();

const OTHER_ID = '55555555-0000-4000-8000-000000000005';
const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)> ferry';
const TURNS = 12;

const mark = (snippet: string): Pick<SearchHit, 'snippet' | 'highlights'> => {
  const at = snippet.indexOf('ferry');
  return { snippet, highlights: at < 0 ? [] : [[at, at + 5]] };
};
const call = (subject: string, status = 'success', exit_code: number | null = null) => ({ subject, status, exit_code });

/** A prompt, a command, its output and an answer in each turn, all about the ferry. */
const messages = Array.from({ length: TURNS }, (_, at) => [
  human(`Question ${at} about the ferry`),
  model([
    makeBlock({
      block_type: 'tool_use',
      tool_name: 'Bash',
      tool_use_id: `call-${at}`,
      tool_input: { command: `grep ferry ${at}` },
    }),
  ]),
  result(`call-${at}`, `boats ${at}`, false),
  model([makeBlock({ block_type: 'text', content_text: `Answer ${at}: Ferries and a ferry. ${'More. '.repeat(80)}` })]),
])
  .flat()
  .map((part, ordinal) => makeMessage({ ...part, ordinal }));

const HITS: readonly SearchHit[] = Array.from({ length: TURNS }, (_, at) => [
  makeHit({ ordinal: at * 4, block: 0, ...mark(`Question ${at} about the ferry`) }),
  makeHit({
    kind: 'input',
    ordinal: at * 4 + 1,
    block: 0,
    tool_name: 'Bash',
    input_field: 'command',
    call: call(`grep ferry ${at}`),
    ...mark(`grep ferry ${at}`),
  }),
  makeHit({ kind: 'answer', ordinal: at * 4 + 3, block: 0, ...mark(`Answer ${at}: Ferries and a ferry.`) }),
]).flat();

const FORMS: readonly SearchHit[] = [
  makeHit({
    kind: 'input',
    ordinal: 1,
    tool_name: 'Edit',
    input_field: 'new_string',
    call: call('/home/mira/harbour/boats.ts'),
    ...mark('const a = 1;\nconst ferry = 2;'),
  }),
  makeHit({
    kind: 'output',
    ordinal: 2,
    tool_name: 'Bash',
    call: call('npm test', 'error', 1),
    ...mark('1 failed\nferry is undefined'),
  }),
  makeHit({ kind: 'answer', ordinal: 3, ...mark(HOSTILE) }),
];

function searchData(asked: string[] = []): DataSource {
  const sessions: FoundSession[] = [
    makeFoundSession({ session_id: TALK_ID, hits: HITS.slice(0, 3), places: HITS.length }),
    makeFoundSession({ session_id: OTHER_ID, title: 'Other boats', hits: FORMS, places: 3 }),
  ];
  const data = createMemoryData({
    sessions: [makeSession({ id: TALK_ID, total_messages: messages.length })],
    messages: new Map([[TALK_ID, messages]]),
  });
  return withQueries(data, {
    'GET /search': async ({ query: { q, sort, cursor } }) => {
      asked.push(`${q} ${sort}`);
      const isFirst = cursor === undefined;
      const shown = q.includes('workspace:') ? sessions.slice(1) : isFirst ? sessions.slice(0, 1) : sessions.slice(1);
      const hasMore = isFirst && !q.includes('workspace:');
      return {
        query: q,
        sessions: shown,
        total: { sessions: 2, places: 39 },
        cut: hasMore ? 'time' : null,
        next_cursor: hasMore ? 'next' : null,
      };
    },
    'GET /search/facets': async ({ query: { q } }) => ({
      sessions: q.includes('workspace:') ? 1 : 2,
      places: 39,
      cost_nanos: 0,
      facets: [{ field: 'workspace', values: [{ value: 'boats', label: 'boats', sessions: 1 }], more: 0 }],
      types: [{ value: 'prompt', places: 12 }],
      tools: [{ value: 'Bash', places: 13 }],
      is_complete: false,
    }),
    'GET /sessions/:id/hits': async ({ query: { q } }) => ({
      query: q,
      terms: [{ kind: 'text', words: ['ferry'], is_prefix: false }],
      hits: HITS,
      total: HITS.length,
      is_complete: true,
    }),
  });
}

test('every match can be reached and opens at its position, and n and N continue from there', async () => {
  const server = await serve(searchData());
  const tab = await visit(server, { path: '/search?q=ferry' });
  const { page } = tab;
  const results = page.locator('[data-hit]');
  await results.first().waitFor();
  await page.getByText('At least 39 matches in 2 sessions').waitFor();
  await until(async () => expect(await results.count()).toBe(3));
  await page.getByRole('button', { name: '33 more matches in this session' }).click();
  await until(async () => expect(await results.count()).toBe(HITS.length));
  // The time limit is shown, and results beyond it can be reached.
  await until(async () =>
    expect(await page.getByText('The search stopped after two seconds').textContent()).toContain('older sessions'),
  );
  await page.getByRole('button', { name: 'Search older sessions' }).click();
  await until(async () => expect(await results.count()).toBe(HITS.length + FORMS.length));
  const fifth = results.nth(16);
  await fifth.scrollIntoViewIfNeeded();
  await fifth.getByRole('link').click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'ferry' && url.searchParams.get('at') === '21');
  const count = page.locator('search output');
  await until(async () => expect(await count.textContent()).toBe(`17 of ${HITS.length}`));
  const current = page.locator('[data-current]');
  await current.getByText('grep ferry 5').first().waitFor();
  await page.keyboard.press('n');
  await current.getByText('Answer 5').waitFor();
  await until(async () => expect(await count.textContent()).toBe(`18 of ${HITS.length}`));
  // The word is marked as the index matched it: not in “Ferries”.
  await until(async () => expect(await page.evaluate(MARKED)).toEqual(['ferry']));
  await page.keyboard.press('N');
  await page.keyboard.press('N');
  await current.getByText('Question 5').waitFor();
  // Back: the same results are open, at the same place.
  await page.goBack();
  await until(async () => expect(await results.count()).toBe(HITS.length + FORMS.length));
  await until(async () => expect(await fifth.isVisible()).toBe(true));
  expectClean(tab, server);
});

test('the preview starts at the match, however long what precedes it is', async () => {
  const data = withQueries(searchData(), {
    'GET /sessions/:id/markdown': async ({ query: { from } }) => {
      const at = from ?? 0;
      const text =
        at % 4 === 3 ? `Answer: a ferry. ${'More.\n\n'.repeat(200)}` : `A ferry before. ${'Less.\n\n'.repeat(200)}`;
      return { text, next_from: null };
    },
  });
  const server = await serve(data);
  const tab = await visit(server, { path: '/search?q=ferry', width: 1_800 });
  const { page } = tab;
  const preview = page.getByRole('complementary', { name: 'Preview of the match' });
  await page.locator('[data-hit]').nth(2).waitFor();
  for (let hit = 0; hit < 3; hit += 1) await page.keyboard.press('j');
  const match = preview.getByText('Answer: a ferry.');
  await until(async () => expect(await isInView(match)).toBe(true));
  expect(await isInView(preview.getByRole('link', { name: 'Open' }))).toBe(true);
  expectClean(tab, server);
});

async function isInView(element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  const size = element.page().viewportSize();
  return box !== null && size !== null && box.y >= 0 && box.y < size.height;
}

/** The distinct texts that are marked in the session. */
const MARKED = `[...new Set([...(CSS.highlights.get('found') ?? [])].map((range) => range.toString()))]`;

test('facets with counts filter through the address, and the order can be changed', async () => {
  const asked: string[] = [];
  const server = await serve(searchData(asked));
  const tab = await visit(server, { path: '/search?q=ferry' });
  const { page } = tab;
  const facet = page.getByRole('complementary', { name: 'Filters' }).getByRole('link', { name: 'boats 1' });
  await facet.click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'ferry workspace:boats');
  await page.getByRole('button', { name: 'Remove workspace:boats' }).waitFor();
  await page.getByRole('heading', { name: 'Other boats' }).waitFor();
  await until(async () => expect(await facet.getAttribute('aria-current')).toBe('true'));
  await until(async () => expect(await page.getByText('Counting stopped').count()).toBe(1));
  await facet.click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'ferry');
  await page.getByRole('link', { name: 'Newest first' }).click();
  await page.waitForURL((url) => url.searchParams.get('sort') === 'time');
  await until(() => expect(asked).toContain('ferry time'));
  expectClean(tab, server);
});

test('a match is shown by its kind, and never becomes markup', async () => {
  const server = await serve(searchData());
  const tab = await visit(server, { path: '/search?q=ferry%20workspace:boats', width: 360, height: 740 });
  const { page } = tab;
  await page.getByRole('heading', { name: 'Other boats' }).waitFor();
  await until(async () =>
    expect(await page.locator('[data-body=added]').textContent()).toBe('const a = 1;const ferry = 2;'),
  );
  await until(async () =>
    expect(await page.locator('[data-form=file]').textContent()).toBe('/home/mira/harbour/boats.ts'),
  );
  await until(async () => expect(await page.locator('[data-form=command]').textContent()).toBe('npm test'));
  await until(async () => expect(await page.getByText('exit 1', { exact: true }).count()).toBe(1));
  await until(async () => expect(await page.locator('[data-body=prose]').textContent()).toBe(HOSTILE));
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(await isOverflowing(page)).toBe(false);
  // Keyboard only.
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await until(async () => expect(await page.locator('[data-hit][data-current]').textContent()).toContain('npm test'));
  await page.keyboard.press('k');
  await until(async () => expect(await page.locator('[data-hit][data-current]').textContent()).toContain('boats.ts'));
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname.includes(OTHER_ID));
  expect(tab.complaints.filter((text) => !text.includes('404'))).toEqual([]);
});
