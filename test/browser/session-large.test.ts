import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { TALK_ID } from './support/conversation.ts';
import { largeSession, TURN_MESSAGES } from './support/large-session.ts';
import { useSessionPages } from './support/session-pages.ts';
import { expectClean } from './support/suite.ts';
import type { Watched } from './support/tabs.ts';

const pages = useSessionPages();
const SIZES = [500, 10_000, 100_000] as const;
const MAX_NODES = 4_000;
const MAX_HEAP_BYTES = 100e6;

const requestsOf = ({ requests }: Watched, path: string) => requests.filter((url) => url.includes(path)).length;

async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

const nodesIn = (page: Page) => page.evaluate<number>(`document.querySelectorAll('*').length`);

/** Opening, jumping to the end, jumping elsewhere and changing the density cost the same for any session length. */
test.each(SIZES)('a session of %i messages costs what is in view', async (messages) => {
  const server = await pages.serve(largeSession(TALK_ID, messages));
  // The heap of a process that no other tab uses.
  const tab = await pages.open(server, `/session/${TALK_ID}`, { isStranger: true });
  const { page } = tab;
  await page.getByText('step 1', { exact: true }).waitFor();
  const fetched = () => requestsOf(tab, '/transcript?');
  const costs: number[] = [fetched()];
  const last = messages / TURN_MESSAGES - 1;
  const step = async (act: () => Promise<unknown>, shown: string) => {
    const before = fetched();
    await act();
    await page.locator('[role=feed]').getByText(shown).first().waitFor();
    costs.push(fetched() - before);
  };
  await step(() => page.keyboard.press('End'), `Answer ${last}.`);
  await step(() => page.keyboard.press('1'), `Answer ${last}.`);
  await step(() => page.keyboard.press('Home'), 'Answer 0.');
  await step(() => page.keyboard.press('3'), 'step 1');
  await step(() => page.keyboard.press('End'), `Answer ${last}.`);
  for (const cost of costs) expect(cost).toBeLessThanOrEqual(24);
  expect(requestsOf(tab, '/outline')).toBe(1);
  expect(await nodesIn(page)).toBeLessThan(MAX_NODES);
  expect(await heapBytes(page)).toBeLessThan(MAX_HEAP_BYTES);
  expectClean(tab, server);
});

/** Map look-ups while the page scrolls a few screens: a row that looks at all rows below it would need many. */
const LOOK_UPS = `new Promise((resolve) => {
  const feed = document.querySelector('[role=feed]');
  const get = Map.prototype.get;
  let count = 0;
  Map.prototype.get = function (key) {
    count += 1;
    return get.call(this, key);
  };
  let frames = 0;
  const step = () => {
    feed.scrollTop += 240;
    frames += 1;
    if (frames < 20) return requestAnimationFrame(step);
    Map.prototype.get = get;
    resolve(count);
  };
  step();
})`;

test('a message in the middle of 100,000 is shown without loading what precedes it', async () => {
  const messages = SIZES[2];
  const server = await pages.serve(largeSession(TALK_ID, messages));
  const ordinal = messages / 2 + 1;
  const tab = await pages.open(server, `/session/${TALK_ID}?at=${ordinal}`);
  await tab.page.locator('[data-current]').getByText(`output of ${ordinal}`).waitFor();
  const after = tab.requests
    .filter((url) => url.includes('/transcript?'))
    .map((url) => Number(/after=(-?\d+)/.exec(url)?.[1]));
  expect(after.length).toBeLessThanOrEqual(6);
  expect(Math.min(...after)).toBeGreaterThan(ordinal - 200);
  expect(Math.max(...after)).toBeLessThan(ordinal + 200);
  expect(await tab.page.evaluate<number>(LOOK_UPS)).toBeLessThan(messages / 2);
});

test('dragging on the map moves through the session', async () => {
  const server = await pages.serve(largeSession(TALK_ID, 10_000));
  const { page } = await pages.open(server, `/session/${TALK_ID}`);
  const box = await page.locator('canvas').boundingBox();
  if (box === null) throw new Error('There is no map.');
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + 5, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await until(async () => expect(await page.locator('[role=feed]').textContent()).toMatch(/Question 2[45]\d/));
});
