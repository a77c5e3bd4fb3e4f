import { expect, test } from 'vitest';
import { PAGE_PATHS } from '../../src/domain/page-paths.ts';
import { until } from '../support/until.ts';
import { makeTalk, TALK_ID } from './support/conversation.ts';
import { createMemoryData } from './support/memory-data.ts';
import { expectClean, useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();

function talkData() {
  const { session, messages } = makeTalk();
  return createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) });
}

const serveTalk = () => serve(talkData(), { openDemo: async () => talkData() });

test('every address of the page has a screen', async () => {
  const server = await serveTalk();
  const tab = await visit(server);
  for (const path of PAGE_PATHS) {
    await tab.page.goto(server.url.slice(0, -1) + path.replaceAll(/:(?:id|a|b)\b/g, TALK_ID));
    await tab.page.waitForSelector('main');
    expect(await tab.page.getByText('Page not found').count()).toBe(0);
  }
  expectClean(tab, server);
});

test('Back and Forward go through the screens', async () => {
  const server = await serveTalk();
  const { page } = await visit(server);
  await page.getByText('Fix the ferry timetable').click();
  await page.waitForURL(`**/session/${TALK_ID}`);
  await page.goBack();
  await page.getByRole('grid').waitFor();
  await page.getByRole('link', { name: 'Search', exact: true }).click();
  await page.keyboard.type('timetable');
  await page.waitForURL('**/search?q=timetable');
  await page.locator('[data-hit] a').first().click();
  await page.waitForURL(`**/session/${TALK_ID}?at=*`);
  await page.goBack();
  await page.waitForURL('**/search?q=timetable');
  await until(async () =>
    expect(await page.getByRole('combobox', { name: 'Search all sessions' }).inputValue()).toBe('timetable'),
  );
  await page.goForward();
  await page.waitForURL(`**/session/${TALK_ID}?at=*`);
});

test.each([
  ['#/', ''],
  [`#/session/${TALK_ID}?at=1`, `session/${TALK_ID}?at=1`],
  ['#/search?q=the%20ferry', 'search?q=the+ferry'],
  [`#/demo/session/${TALK_ID}`, `demo/session/${TALK_ID}`],
  ['#/demo/', 'demo'],
])('the old address %s leads to the new one', async (old, address) => {
  const server = await serveTalk();
  const { page } = await visit(server);
  await page.goto('about:blank');
  await page.goto(server.url + old);
  await page.waitForURL(server.url + address);
  await page.waitForSelector('main');
  expect(await page.getByText('Page not found').count()).toBe(0);
});

test('an old address that is pasted over an open page works too', async () => {
  const server = await serveTalk();
  const { page } = await visit(server);
  await page.evaluate(`location.hash = '#/session/${TALK_ID}'`);
  await page.waitForURL(`${server.url}session/${TALK_ID}`);
  await page.getByRole('feed').waitFor();
  expect(page.url()).not.toContain('#');
});
