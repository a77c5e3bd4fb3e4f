import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENCE_MS, until } from '../support/until.ts';
import { type ListedSession, type ListProgram, openListProgram } from './support/list-program.ts';
import { isOverflowing, type PageServer } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();
const idOf = (number: number) => `${String(number).padStart(8, '0')}-1111-4111-8111-111111111111`;

const HARBOUR = '/home/ada/harbour';
const SESSIONS: readonly ListedSession[] = [
  {
    id: idOf(1),
    prompt: 'Repair the clock',
    daysAgo: 1,
    minute: 0,
    tokens: 2_000_000,
    file: '/home/ada/shop/clock.ts',
  },
  {
    id: idOf(2),
    prompt: 'Paint the pier',
    daysAgo: 1,
    minute: 5,
    cwd: HARBOUR,
    tokens: 500_000,
    file: '/home/ada/pier.ts',
  },
  ...[3, 4, 5].map((number) => ({ id: idOf(number), prompt: 'Warm up', daysAgo: 1, minute: 10 + number })),
  { id: idOf(6), prompt: 'Count the boats', daysAgo: 3, minute: 0, cwd: HARBOUR, file: '/home/ada/pier.ts' },
  { id: idOf(7), prompt: 'An old story', daysAgo: 90, minute: 0 },
];

let program: ListProgram;
let server: PageServer;
beforeAll(async () => {
  program = await openListProgram(SESSIONS);
  server = await serve(program.app, program.deps);
});
afterAll(async () => program?.[Symbol.asyncDispose]());

/** Titles in the order of the list. */
const titles = (page: Page) => page.getByRole('grid').locator('[role=row][id] [class*=title]').allTextContents();

async function waitForTitles(page: Page, expected: readonly string[]): Promise<void> {
  await expect.poll(() => titles(page), { timeout: PATIENCE_MS }).toEqual(expected);
}

const ALL = ['Repair the clock', 'Paint the pier', 'Warm up', 'Count the boats', 'An old story'];

test('filters, sorts, groups and folds; the address contains it all, and Back undoes it', async () => {
  const tab = await visit(server);
  const { page } = tab;
  await waitForTitles(page, ALL);
  const fold = page.getByRole('row').filter({ hasText: '× 3' });
  await fold.getByRole('button', { name: 'Warm up' }).click();
  await waitForTitles(page, [...ALL.slice(0, 3), 'Warm up', 'Warm up', 'Warm up', ...ALL.slice(3)]);
  await fold.getByRole('button', { name: 'Warm up' }).click();

  await page.getByRole('combobox', { name: 'Sort by' }).selectOption('cost');
  await waitForTitles(page, ['Repair the clock', 'Paint the pier', 'Count the boats', 'Warm up', 'An old story']);
  await until(() => expect(page.url()).toContain('sort=cost'));
  await page.getByRole('button', { name: 'Order: descending' }).click();
  await expect.poll(async () => (await titles(page)).at(-1), { timeout: PATIENCE_MS }).toBe('Repair the clock');
  await page.getByRole('combobox', { name: 'Group' }).selectOption('workspace');
  await waitForTitles(page, ['Paint the pier', 'Count the boats', 'Repair the clock', 'Warm up', 'An old story']);
  await until(async () =>
    expect(await page.getByRole('row').filter({ hasText: 'harbour' }).first().textContent()).toContain('2 sessions'),
  );
  // There is no day heading, so the row shows the day.
  await until(async () => {
    const old = await page.getByRole('row').filter({ hasText: 'An old story' }).textContent();
    expect(old).toMatch(/\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)/);
  });
  for (const part of ['order=asc', 'sort=cost', '']) {
    await page.goBack();
    await expect.poll(() => page.url(), { timeout: PATIENCE_MS }).toContain(part);
  }
  await waitForTitles(page, ALL);

  await page.getByRole('button', { name: 'Filters by value' }).click();
  const facets = page.getByRole('complementary', { name: 'Filters by value' });
  await facets.getByRole('button', { name: 'harbour 2' }).click();
  await waitForTitles(page, ['Paint the pier', 'Count the boats']);
  await until(() => expect(new URL(page.url()).searchParams.get('q')).toBe('workspace:harbour'));
  await facets.getByText('2 sessions').waitFor();
  await page.getByRole('button', { name: 'Remove workspace:harbour' }).click();
  await waitForTitles(page, ALL);
  await page.getByRole('button', { name: 'Filters by value' }).click();
  expectClean(tab, server);
});

test('a filter is typed, saved as a view, opened again and removed; a bad one is explained', async () => {
  const tab = await visit(server);
  const { page } = tab;
  const field = page.getByRole('combobox', { name: 'Filter sessions' });
  await field.fill('cost>1 ');
  await waitForTitles(page, ['Repair the clock', 'Paint the pier']);
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('textbox', { name: 'Name of the view' }).fill('Dear ones');
  await page.keyboard.press('Enter');
  const tabs = page.getByRole('navigation', { name: 'Views' });
  await tabs.getByRole('link', { name: 'Dear ones' }).waitFor();
  await tabs.getByRole('link', { name: 'All' }).click();
  await waitForTitles(page, ALL);
  await field.fill('pier ');
  await waitForTitles(page, ['Paint the pier']);
  await field.fill('has:nothing ');
  await page.getByRole('alert').filter({ hasText: 'nothing' }).waitFor();
  await tabs.getByRole('link', { name: 'Dear ones' }).click();
  await waitForTitles(page, ['Repair the clock', 'Paint the pier']);
  await until(async () =>
    expect(await tabs.getByRole('link', { name: 'Dear ones' }).getAttribute('aria-current')).toBe('page'),
  );
  await page.getByRole('button', { name: 'Remove the view Dear ones' }).click();
  await waitForTitles(page, ALL);
  expect((await program.app.get('/views')).views).toEqual([]);
});

test('the strip filters by days, with the pointer and with the keyboard', async () => {
  const { page } = await visit(server);
  const strip = page.getByRole('toolbar', { name: 'Cost of the last 30 days' });
  await strip.waitFor();
  const bars = strip.getByRole('button');
  await until(async () => expect(await bars.count()).toBe(30));
  const { days } = await program.app.get('/session-days', { query: { days: 30 } });
  const busiest = days.findIndex(({ cost_nanos }) => cost_nanos === Math.max(...days.map((day) => day.cost_nanos)));
  const label = (await bars.nth(busiest).getAttribute('aria-label')) ?? '';
  expect(label).toContain(`${days[busiest]?.sessions} session`);
  const box = await strip.boundingBox();
  const at = (day: number) => (box?.x ?? 0) + ((box?.width ?? 0) * (day + 0.5)) / 30;
  const y = (box?.y ?? 0) + 20;
  await page.mouse.move(at(20), y);
  await page.mouse.down();
  await page.mouse.move(at(29), y, { steps: 3 });
  await page.getByText(/^\d+ \w+ – \d+ \w+: 6 sessions, \$/).waitFor();
  await page.mouse.up();
  await waitForTitles(page, ALL.slice(0, 4));
  await until(() => expect(new URL(page.url()).searchParams.get('q')).toContain(`after:${days[20]?.day}`));
  await bars.nth(29).focus();
  await page.keyboard.press('Escape');
  await waitForTitles(page, ALL);
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.press('Enter');
  await waitForTitles(page, ALL.slice(0, 4));
});

test('the strip is left out where it would be empty', async () => {
  const { page } = await visit(server);
  const strip = page.getByRole('toolbar', { name: 'Cost of the last 30 days' });
  await strip.waitFor();
  await page.goto(`${server.url}?q=${encodeURIComponent('old after:2020-01-01 before:2020-02-01')}`);
  await page.getByText('No sessions match.').waitFor();
  await until(async () => expect(await strip.count()).toBe(0));
});

test('keys move through, preview and select sessions; several are tagged and pinned at once', async () => {
  const tab = await visit(server);
  const { page } = tab;
  await waitForTitles(page, ALL);
  await page.keyboard.press('j');
  await page.keyboard.press(' ');
  const peek = page.getByRole('complementary', { name: 'Session preview' });
  await peek.getByRole('heading', { name: 'Repair the clock' }).waitFor();
  await peek.getByRole('link', { name: 'Repair the clock' }).waitFor();
  await peek.getByTitle('clock.ts', { exact: true }).waitFor();
  await page.keyboard.press('j');
  await peek.getByRole('heading', { name: 'Paint the pier' }).waitFor();
  await page.keyboard.press('Escape');
  await peek.waitFor({ state: 'detached' });
  await page.keyboard.press('x');
  await page.keyboard.press('k');
  await page.keyboard.press('x');
  const bar = page.getByRole('toolbar', { name: 'Selected sessions' });
  await bar.getByText('2 sessions selected').waitFor();
  await bar.getByRole('textbox', { name: 'Add tags' }).fill('Winter');
  await page.keyboard.press('Enter');
  await bar.getByRole('button', { name: 'Pin', exact: true }).click();
  await expect
    .poll(
      async () =>
        (await program.app.get('/sessions', { query: { limit: 9, q: 'is:pinned tag:winter' } })).sessions.length,
      {
        timeout: PATIENCE_MS,
      },
    )
    .toBe(2);
  await page.getByRole('row').filter({ hasText: 'Paint the pier' }).getByText('winter').waitFor();
  await page.getByRole('row').filter({ hasText: 'Paint the pier' }).getByRole('img', { name: 'Pinned' }).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press(' ');
  await peek.waitFor();
  // The preview does not cover the bar.
  await bar.getByRole('link', { name: 'Compare' }).click();
  await page.getByRole('heading', { name: 'Figures' }).waitFor();
  expectClean(tab, server);
});

test('two sessions are compared', async () => {
  const tab = await visit(server, { path: `/compare/${idOf(2)}/${idOf(6)}` });
  const { page } = tab;
  await page.getByRole('heading', { name: 'Figures' }).waitFor();
  const row = (name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
  await until(async () => expect(await row('Workspace').textContent()).toBe('Workspaceharbourharboursame'));
  await until(async () => expect(await row('Cost').textContent()).toMatch(/^Cost\$5\.\d\d\$0\.\d\d<?−\d\d%$/));
  await page.getByRole('heading', { name: 'In both: 1 file' }).waitFor();
  await page.keyboard.press('s');
  await expect.poll(() => page.url(), { timeout: PATIENCE_MS }).toContain(`/compare/${idOf(6)}/${idOf(2)}`);
  expectClean(tab, server);
});

test('title, summary, tags, notes and pin are edited in place, in the list and in the session', async () => {
  const tab = await visit(server, { width: 1_700 });
  const { page } = tab;
  await page
    .getByRole('row')
    .filter({ hasText: 'Count the boats' })
    .click({ position: { x: 300, y: 40 } });
  const peek = page.getByRole('complementary', { name: 'Session preview' });
  await peek.getByRole('heading', { name: 'Count the boats' }).waitFor();
  await peek.getByRole('button', { name: 'Edit title' }).click();
  await peek.getByRole('textbox', { name: 'title' }).fill('Forty boats');
  await page.keyboard.press('Enter');
  await page.getByRole('row').filter({ hasText: 'Forty boats' }).waitFor();
  await peek.getByRole('button', { name: 'Edit summary' }).click();
  await peek.getByRole('textbox', { name: 'summary' }).fill('There are forty.');
  await peek.getByRole('button', { name: 'Save' }).click();
  await peek.getByText('There are forty.').waitFor();
  await peek.getByRole('textbox', { name: 'Add tags' }).fill('boats');
  await page.keyboard.press('Enter');
  await peek.getByRole('button', { name: 'Remove tag boats' }).waitFor();
  await peek.getByRole('button', { name: 'Add a note' }).click();
  await peek.getByRole('textbox', { name: 'New note' }).fill('Ask Mira.');
  await peek.getByRole('button', { name: 'Save' }).click();
  await peek.getByText('Ask Mira.').waitFor();
  await peek.getByRole('link', { name: 'Open session' }).click();
  await page.waitForURL(/\/session\//);
  await peek.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Forty boats' }).waitFor();
  await page.getByRole('button', { name: 'Pinned', exact: true }).click();
  await expect
    .poll(async () => (await program.app.get('/sessions/:id', { params: { id: idOf(6) } })).is_pinned, {
      timeout: PATIENCE_MS,
    })
    .toBe(true);
  expect(await program.app.get('/sessions/:id', { params: { id: idOf(6) } })).toMatchObject({
    title: 'Forty boats',
    summary: 'There are forty.',
    tags: ['boats'],
    notes: [{ text: 'Ask Mira.' }],
  });
  await page.getByRole('button', { name: 'Edit title' }).click();
  await page.getByRole('textbox', { name: 'title' }).fill('');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Count the boats' }).waitFor();
  expectClean(tab, server);
});

test('a short window, as at 200% zoom, shows sessions', async () => {
  const { page } = await visit(server, { width: 640, height: 400 });
  await page.getByRole('row').filter({ hasText: 'Paint the pier' }).waitFor();
  const grid = await page.getByRole('grid').boundingBox();
  expect(grid?.height).toBeGreaterThan(150);
  expect(await isOverflowing(page)).toBe(false);
});

test('at 360 px nothing is wider than the window, and the preview covers the list', async () => {
  const tab = await visit(server, { width: 360, height: 700 });
  const { page } = tab;
  await page.getByRole('row').filter({ hasText: 'Paint the pier' }).waitFor();
  expect(await isOverflowing(page)).toBe(false);
  await page.keyboard.press('j');
  await page.keyboard.press(' ');
  const peek = page.getByRole('complementary', { name: 'Session preview' });
  await peek.getByRole('heading', { name: 'Repair the clock' }).waitFor();
  expect((await peek.boundingBox())?.width).toBe(360);
  expect(await isOverflowing(page)).toBe(false);
  await peek.getByRole('button', { name: 'Close preview' }).click();
  await page.goto(`${server.url}compare/${idOf(1)}/${idOf(2)}`);
  await page.getByRole('heading', { name: 'Figures' }).waitFor();
  expect(await isOverflowing(page)).toBe(false);
  expectClean(tab, server);
});
