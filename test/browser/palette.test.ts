import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { makeTalk, TALK_ID } from './support/conversation.ts';
import { makeSession } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { expectClean, useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();

const OTHER_ID = '33333333-0000-4000-8000-000000000001';

function talkData() {
  const { session, messages } = makeTalk();
  const other = makeSession({ id: OTHER_ID, title: 'Paint the harbour wall' });
  return createMemoryData({ sessions: [session, other], messages: new Map([[TALK_ID, messages]]) });
}

test('goes to a session by its title, from every screen', async () => {
  const server = await serve(talkData());
  const tab = await visit(server, { path: `/session/${TALK_ID}` });
  const { page } = tab;
  await page.keyboard.press('Control+k');
  const input = page.getByRole('combobox', { name: 'Session, search or command' });
  await input.fill('harbour wall');
  const option = page.getByRole('option', { name: 'Paint the harbour wall' });
  await option.waitFor();
  await page.getByRole('option', { name: 'Fix the ferry timetable' }).waitFor({ state: 'detached' });
  await until(async () =>
    expect(await input.getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id')),
  );
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/session/${OTHER_ID}`);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expectClean(tab, server);
});

test('keys pressed right after Ctrl-K are not lost, even while the code of the palette is still loading', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/palette-.*\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.reload();
  await page.waitForSelector('main');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('harboor');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('ur');
  release();
  const input = page.getByRole('combobox', { name: 'Session, search or command' });
  await until(async () => expect(await input.inputValue()).toBe('harbour'));
  await page.getByRole('option', { name: 'Paint the harbour wall' }).waitFor();
});

test('keys pressed right after it was closed are not lost, although its field may still have the focus', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server);
  await page.getByRole('grid').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  await page.evaluate(`{
    const dialog = document.querySelector('dialog');
    dialog.close();
    dialog.querySelector('input').dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }));
  }`);
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(1);
});

test('runs a search', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Session, search or command' }).fill('sub-agent');
  await page.getByRole('option', { name: 'Search all sessions for “sub-agent”' }).click();
  await page.waitForURL('**/search?q=sub-agent');
  await page.getByText('Said inside the').first().waitFor();
  await until(async () =>
    expect(await page.getByRole('combobox', { name: 'Search all sessions' }).inputValue()).toBe('sub-agent'),
  );
});

test('finds a pasted error, opens it in its session, and lists the filter', async () => {
  const server = await serve(talkData());
  const tab = await visit(server);
  const { page } = tab;
  await page.keyboard.press('Control+k');
  const input = page.getByRole('combobox', { name: 'Session, search or command' });
  await input.fill('inside the sub-agent');
  const match = page.getByRole('option', { name: /Said inside the sub-agent/ });
  await match.waitFor();
  expect(await match.innerText()).toMatch(/Yesterday, .* · Prompt · /);
  await match.click();
  await page.waitForURL((url) => url.searchParams.get('q') === 'inside the sub-agent');
  await page.getByText('Said inside the sub-agent.').waitFor();
  await page.keyboard.press('Control+k');
  await input.fill('has:commit');
  await page.getByRole('option', { name: 'List the sessions with has:commit' }).click();
  await page.waitForURL((url) => url.pathname === '/' && url.searchParams.get('q') === 'has:commit');
  expectClean(tab, server);
});

test('switches the theme and shows the keys', async () => {
  const server = await serve(talkData());
  const tab = await visit(server);
  const { page } = tab;
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Session, search or command' }).fill('theme: dark');
  await page.getByRole('option', { name: 'Theme: dark', exact: true }).click();
  await until(async () => expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark'));
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Session, search or command' }).fill('keyboard');
  await page.getByRole('option', { name: 'Keyboard shortcuts', exact: true }).click();
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  expectClean(tab, server);
});

test('the arrow keys wrap around, and Escape closes it', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server);
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Paint the harbour wall' }).waitFor();
  await page.keyboard.press('ArrowUp');
  const selected = page.locator('[role=option][aria-selected=true]');
  await until(async () => expect(await selected.textContent()).toBe('Deleted sessions'));
  await page.keyboard.press('ArrowDown');
  await until(async () => expect(await selected.textContent()).toContain('Fix the ferry timetable'));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the name of a command comes before a search for it', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Session, search or command' }).fill('deleted');
  await page.getByRole('option', { name: 'Fix the ferry timetable' }).waitFor({ state: 'detached' });
  const first = page.getByRole('dialog').getByRole('option').first();
  await until(async () => expect(await first.textContent()).toBe('Deleted sessions'));
});
