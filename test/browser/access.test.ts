import { expect, test } from 'vitest';
import type { BrowserKeys } from '../../src/app/access-keys.ts';
import { FuelError } from '../../src/domain/errors.ts';
import { MAX_TOKEN_FAILURES } from '../../src/server/limits.ts';
import { listen } from '../../src/server/listen.ts';
import { loopbackHosts } from '../../src/server/security.ts';
import { until } from '../support/until.ts';
import { makeTalk, TALK_ID } from './support/conversation.ts';
import { createEmptyCommands } from './support/empty-commands.ts';
import { withQueries } from './support/empty-data.ts';
import { makeApp, TOKEN } from './support/make-app.ts';
import { createMemoryData } from './support/memory-data.ts';
import { createMemoryKeys } from './support/memory-keys.ts';
import { isOverflowing } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';
import { openTab } from './support/tabs.ts';

const { serve, visit, files } = useBrowser();

function talkData() {
  const { session, messages } = makeTalk();
  return createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) });
}

const LOCKED = 'This browser has no access';
const STORED =
  "Object.entries({ ...localStorage, ...sessionStorage }).filter(([name]) => name !== 'fuel-code-entries').map(([, value]) => value).join()";

test('H5: the token leaves the address bar and is exchanged for a key; no cookie is set', async () => {
  const server = await serve(talkData());
  const tab = await visit(server);
  await until(() => expect(tab.page.url()).toBe(server.url));
  expect(await tab.page.evaluate('document.cookie')).toBe('');
  const stored = await tab.page.evaluate(STORED);
  expect(stored).toMatch(/^brw_/);
  expect(stored).not.toContain(TOKEN);
  expect(tab.requests.filter((url) => url.includes(TOKEN.slice(0, 12)))).toEqual([]);
  await tab.page.goBack();
  expect(tab.page.url()).not.toContain(TOKEN);
  expectClean(tab, server);
});

test('a new tab, a bookmark and a link to a message work without the token', async () => {
  const server = await serve(talkData());
  await visit(server);
  const { page: other } = await openTab();
  await other.goto(`${server.url}session/${TALK_ID}?at=1`);
  await other.locator('[data-item=prompt]').first().waitFor();
  const { page: bookmark } = await openTab();
  await bookmark.goto(`${server.url}search?q=timetable`);
  await bookmark.locator('[data-hit]').first().waitFor();
  expect(await bookmark.getByText(LOCKED).count()).toBe(0);
});

test('the printed URL does not create a second key in a browser that has one', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server);
  const before = await page.evaluate(STORED);
  await page.goto('about:blank');
  await page.goto(server.address);
  await page.getByRole('grid').waitFor();
  expect(await page.evaluate(STORED)).toBe(before);
});

test('H9: the printed URL gives access after too many requests with a revoked key', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server);
  await page.evaluate("localStorage.setItem('fuel-code-key', 'brw_0000000000000000_revoked')");
  await page.evaluate(`Promise.all(Array.from({ length: ${MAX_TOKEN_FAILURES + 1} }, () =>
    fetch('/api/sessions', { headers: { authorization: 'Bearer wrong' } })))`);
  await page.goto('about:blank');
  await page.goto(server.address);
  await page.getByRole('grid').waitFor();
  expect(await page.evaluate(STORED)).toMatch(/^brw_(?!.*revoked)/);
});

test('the key survives a restart of the server', async () => {
  const keys = createMemoryKeys();
  const data = withQueries(talkData(), keys.queries);
  const commands = { ...createEmptyCommands(data), ...keys.commands };
  const server = await serve(data, { commands, browserKeys: keys.lookup });
  const { page } = await visit(server);
  await page.getByRole('grid').waitFor();
  await server.close();
  const hosts = () => loopbackHosts(server.port);
  const { app } = makeApp({
    token: 'f'.repeat(64),
    files: files(),
    data,
    commands,
    browserKeys: keys.lookup,
    hosts,
  });
  const again = await listen(app, { host: '127.0.0.1', port: server.port });
  try {
    await page.goto(`${server.url}session/${TALK_ID}`);
    await page.getByRole('feed').waitFor();
    expect(await page.getByText(LOCKED).count()).toBe(0);
  } finally {
    await page.close();
    await again.close();
  }
});

test('another browser can be revoked in the dialog, and this one locks itself', async () => {
  const server = await serve(talkData());
  const { page } = await visit(server);
  const stranger = await visit(server, { isStranger: true });
  await page.getByRole('button', { name: 'Browsers with access' }).click();
  const dialog = page.getByRole('dialog', { name: 'Browsers with access' });
  const own = dialog.getByRole('listitem').filter({ hasText: 'this browser' });
  const others = dialog.getByRole('listitem').filter({ hasNotText: 'this browser' });
  await others.getByRole('button').click();
  await others.waitFor({ state: 'detached' });
  await stranger.page.reload();
  await stranger.page.getByText(LOCKED).waitFor();
  await until(async () => expect(await stranger.page.getByRole('alert').textContent()).toContain('it was revoked'));
  await own.getByRole('button').click();
  await page.getByText(LOCKED).waitFor();
  expect(await page.textContent('body')).not.toContain('ferry');
  // Opening the printed URL in a new tab unlocks the others.
  const { page: fresh } = await openTab();
  await fresh.goto(server.address);
  await fresh.getByRole('grid').waitFor();
  await page.getByRole('grid').waitFor();
});

test.each([
  ['none', ''],
  ['a wrong one', '#token=0000'],
])('without a token (%s) the page says how to get access', async (_, fragment) => {
  const server = await serve(talkData());
  const tab = await openTab({ width: 360 });
  await tab.page.goto(server.url + fragment);
  await tab.page.getByText(LOCKED).waitFor();
  expect(await tab.page.textContent('body')).toContain('Run fuel-code in your terminal');
  expect(await tab.page.textContent('body')).not.toContain('ferry');
  expect(await isOverflowing(tab.page)).toBe(false);
});

test('while the store cannot issue a key, the token stays in the tab and works', async () => {
  const keys = createMemoryKeys();
  let isAway = true;
  const unavailable = () => new FuelError('store_unavailable', 'The database is not responding.');
  const data = withQueries(talkData(), keys.queries);
  const commands = {
    ...createEmptyCommands(data),
    ...keys.commands,
    'POST /browser-keys': (input: Parameters<(typeof keys.commands)['POST /browser-keys']>[0]) =>
      isAway ? Promise.reject(unavailable()) : keys.commands['POST /browser-keys'](input),
  };
  const lookup: BrowserKeys = keys.lookup;
  const server = await serve(data, { commands, browserKeys: lookup });
  const { page } = await visit(server);
  await page.getByRole('grid').waitFor();
  expect(await page.evaluate(STORED)).toBe(TOKEN);
  isAway = false;
  await page.reload();
  await page.getByRole('grid').waitFor();
  expect(await page.evaluate(STORED)).toMatch(/^brw_/);
});
