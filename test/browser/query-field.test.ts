import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { makeTalk, TALK_ID } from './support/conversation.ts';
import { withQueries } from './support/empty-data.ts';
import { createMemoryData } from './support/memory-data.ts';
import { isOverflowing } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();

const HOSTILE = '<img src=x onerror=alert(1)> (main)';

function grammarData() {
  const { session, messages } = makeTalk();
  const values = {
    model: [
      { value: 'claude-opus-5-5', sessions: 12 },
      { value: 'claude-sonnet-5', sessions: 3 },
    ],
    branch: [{ value: HOSTILE, sessions: 1 }],
  } as const;
  return withQueries(createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) }), {
    'GET /search/values': async ({ query: { field, contains = '' } }) => ({
      field,
      values: (field === 'model' || field === 'branch' ? values[field] : []).filter(({ value }) =>
        value.includes(contains),
      ),
      has_more: false,
    }),
  });
}

const selected = '[role=option][aria-selected=true]';

test('completes names and values with the keyboard, and shows finished filters as chips', async () => {
  const server = await serve(grammarData());
  const tab = await visit(server, { path: '/search?q=' });
  const { page } = tab;
  const field = page.getByRole('combobox', { name: 'Search all sessions' });
  await field.focus();
  await page.keyboard.type('mod');
  await page.getByRole('option', { name: /^model:/ }).waitFor();
  expect(await field.getAttribute('aria-activedescendant')).toBeNull();
  await page.keyboard.press('Tab');
  await until(async () => expect(await field.inputValue()).toBe('model:'));
  await page.keyboard.type('son');
  await page.getByRole('option', { name: 'claude-sonnet-5 3' }).waitFor();
  await page.getByRole('option', { name: /opus/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowDown');
  await until(async () =>
    expect(await page.locator(selected).getAttribute('id')).toBe(await field.getAttribute('aria-activedescendant')),
  );
  // The search runs once the field is complete.
  expect(new URL(page.url()).searchParams.get('q')).toBe('');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove model:claude-sonnet-5' }).waitFor();
  await until(async () => expect(await field.inputValue()).toBe(''));
  await page.keyboard.type('timetable');
  await page.waitForURL((url) => url.searchParams.get('q') === 'model:claude-sonnet-5 timetable');
  // Escape closes the suggestions first; Backspace at the start makes the last chip text again.
  await page.keyboard.press('Home');
  await page.keyboard.press('Backspace');
  await until(async () => expect(await field.inputValue()).toBe('model:claude-sonnet-5 timetable'));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove model:claude-sonnet-5' }).click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'timetable');
  expectClean(tab, server);
});

test('Back and a link replace what is typed; a search with operators stays text', async () => {
  const server = await serve(grammarData());
  const { page } = await visit(server, { path: '/search?q=is:live%20ferry' });
  const field = page.getByRole('combobox', { name: 'Search all sessions' });
  await page.getByRole('button', { name: 'Remove is:live' }).waitFor();
  await until(async () => expect(await field.inputValue()).toBe('ferry'));
  await field.fill('ferry OR boat');
  await page.waitForURL((url) => url.searchParams.get('q') === 'is:live ferry OR boat');
  await until(async () => expect(await field.inputValue()).toBe('is:live ferry OR boat'));
  expect(await page.getByRole('list', { name: 'Filters' }).count()).toBe(0);
});

test('values of sessions are shown as text and quoted if necessary, also at 360 px', async () => {
  const server = await serve(grammarData());
  const tab = await visit(server, { path: '/search?q=', width: 360, height: 700 });
  const { page } = tab;
  await page.getByRole('combobox', { name: 'Search all sessions' }).focus();
  await page.keyboard.type('branch:');
  await page.getByRole('option', { name: /onerror/ }).click();
  await page.waitForURL((url) => url.searchParams.get('q') === `branch:"${HOSTILE}"`);
  expect(await page.locator('img').count()).toBe(0);
  expect(await isOverflowing(page)).toBe(false);
  expectClean(tab, server);
});
