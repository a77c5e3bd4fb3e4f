import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { makeTalk, TALK_ID } from './support/conversation.ts';
import { createMemoryData } from './support/memory-data.ts';
import { expectClean, useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();

function talkData() {
  const { session, messages } = makeTalk();
  return createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) });
}

const BACKGROUND = 'getComputedStyle(document.body).backgroundColor';
const LIGHT = 'rgb(251, 250, 247)';
const DARK = 'rgb(23, 24, 26)';

test('the theme follows the system until one is chosen, and the choice is kept', async () => {
  const server = await serve(talkData());
  const tab = await visit(server, { colorScheme: 'dark' });
  const { page } = tab;
  await until(async () => expect(await page.evaluate(BACKGROUND)).toBe(DARK));
  await page.getByRole('button', { name: 'Theme: system' }).click();
  await until(async () => expect(await page.evaluate(BACKGROUND)).toBe(LIGHT));
  await page.reload();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  await until(async () => expect(await page.evaluate(BACKGROUND)).toBe(DARK));
  await page.getByRole('button', { name: 'Theme: dark' }).click();
  await page.emulateMedia({ colorScheme: 'light' });
  await until(async () => expect(await page.evaluate(BACKGROUND)).toBe(LIGHT));
  expectClean(tab, server);
});

test('the chosen theme is there before the page itself is loaded', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server, { colorScheme: 'light' });
  await page.evaluate(`localStorage.setItem('fuel-code-theme', 'dark')`);
  await page.route(/\/assets\/index-.*\.js$/, (route) => route.abort());
  await page.reload();
  await until(async () => expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark'));
});

test('? lists the keys of the screen, and Escape restores the focus', async () => {
  const server = await serve(talkData());
  const tab = await visit(server);
  const { page } = tab;
  await page.getByRole('grid').focus();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByText('Open the session').waitFor();
  expect(await dialog.getByText('Open the result').count()).toBe(0);
  await page.keyboard.press('j');
  await until(async () => expect(await page.locator('[data-current]').count()).toBe(0));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  await until(async () => expect(await page.locator('[data-current]').count()).toBe(1));
  await page.goto(`${server.url}search?q=timetable`);
  await page.locator('[data-hit]').first().waitFor();
  await page.keyboard.press('?');
  await dialog.getByText('Open the result').waitFor();
  expectClean(tab, server);
});

test('? in a text field is a question mark', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server);
  await page.getByRole('combobox', { name: 'Search all sessions' }).focus();
  await page.keyboard.type('why?');
  await until(async () =>
    expect(await page.getByRole('combobox', { name: 'Search all sessions' }).inputValue()).toBe('why?'),
  );
  await until(async () => expect(await page.getByRole('dialog').count()).toBe(0));
});

test('the first Tab offers to skip to the content', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await until(async () => expect(await page.evaluate('document.activeElement.localName')).toBe('main'));
});

test('labels of the rail appear with the pointer and with the focus', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server);
  const link = page.getByRole('link', { name: 'Search', exact: true });
  const label = link.getByText('Search');
  expect(await label.isVisible()).toBe(false);
  await link.hover();
  await label.waitFor({ state: 'visible' });
  await page.mouse.move(600, 400);
  await label.waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: 'Sessions', exact: true }).focus();
  await page.keyboard.press('Tab');
  await label.waitFor({ state: 'visible' });
});

test('at 360 px the rail is a bar at the lower edge', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server, { width: 360, height: 700 });
  const box = await page.getByRole('navigation', { name: 'fuel-code' }).boundingBox();
  expect(box).toMatchObject({ x: 0, width: 360 });
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(700);
});
