import { expect, test } from 'vitest';
import { listen } from '../../src/server/listen.ts';
import { loopbackHosts } from '../../src/server/security.ts';
import { until } from '../support/until.ts';
import { makeTalk, TALK_ID } from './support/conversation.ts';
import { createEmptyCommands } from './support/empty-commands.ts';
import { makeApp } from './support/make-app.ts';
import { createMemoryData } from './support/memory-data.ts';
import { createMemoryKeys } from './support/memory-keys.ts';
import { useBrowser } from './support/suite.ts';

const { serve, visit, files } = useBrowser();

function talkData() {
  const { session, messages } = makeTalk();
  return createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) });
}

const IS_LOADED = `performance.getEntriesByType('resource').some(({ name }) => /session-page.*\\.js$/.test(name))`;
const LOST = 'fuel-code is not responding. Retrying…';

test('a lost server is reported, and everything continues when it is back', async () => {
  const keys = createMemoryKeys();
  const data = talkData();
  const commands = { ...createEmptyCommands(data), ...keys.commands };
  const deps = { data, commands, browserKeys: keys.lookup };
  const server = await serve(data, deps);
  const tab = await visit(server);
  const { page } = tab;
  await page.getByText('Fix the ferry timetable').waitFor();
  // The code of the other screens is loaded shortly after the first one.
  await until(async () => expect(await page.evaluate(IS_LOADED)).toBe(true));
  await server.close();
  await page.getByRole('alert').filter({ hasText: LOST }).waitFor();
  // Content on the screen stays; screens opened now wait.
  await page.getByText('Fix the ferry timetable').click();
  await page.waitForURL(`**/session/${TALK_ID}`);
  expect(await page.getByText('Something went wrong').count()).toBe(0);
  const { app } = makeApp({ ...deps, files: files(), hosts: () => loopbackHosts(server.port) });
  const again = await listen(app, { host: '127.0.0.1', port: server.port });
  try {
    await page.locator('[data-item=prompt]').first().waitFor();
    await page.getByText(LOST).waitFor({ state: 'detached' });
    // The browser reports failed requests itself; the page must add nothing to that.
    expect(tab.complaints.filter((text) => !text.includes('Failed to load resource'))).toEqual([]);
  } finally {
    await page.close();
    await again.close();
  }
});

test.each(['/', `/session/${TALK_ID}`])('a failed request on %s can be retried', async (path) => {
  const server = await serve(talkData());
  const { page } = await visit(server, { path: '/search' });
  let isBroken = true;
  await page.route(/\/api\/sessions/, (route) =>
    isBroken
      ? route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'The disk is full.' } } })
      : route.continue(),
  );
  await page.goto(new URL(path, server.url).href);
  await page.getByRole('alert').filter({ hasText: 'The disk is full.' }).waitFor();
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Fix the ferry timetable').first().waitFor();
  await until(async () => expect(await page.getByText('The disk is full.').count()).toBe(0));
});
