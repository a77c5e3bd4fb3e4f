import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PATIENCE_MS } from '../support/until.ts';
import { createLiveStub } from './support/live-stub.ts';
import { makeSession } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { expectClean, useBrowser } from './support/suite.ts';
import type { Watched } from './support/tabs.ts';

const { serve, visit } = useBrowser();
const SESSIONS = 10_000;
const PAGE_ROWS = 200;
const MAX_NODES = 2_500;
const MAX_HEAP_BYTES = 100e6;

const sessions = Array.from({ length: SESSIONS }, (_, index) =>
  makeSession({
    id: `33333333-0000-4000-8000-${String(index).padStart(12, '0')}`,
    title: `Session ${index}`,
    summary: `Asked “something”: ${index} files edited, and a sentence about what came of it. `.repeat(3),
    started_at: new Date(Date.UTC(2026, 9, 1) - index * 3_600_000).toISOString(),
  }),
);

const nodesIn = (page: Page) => page.evaluate<number>(`document.querySelectorAll('*').length`);
const listRequests = ({ requests }: Watched) => requests.filter((url) => /\/api\/sessions\?/.test(url)).length;

async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

test('10,000 sessions: one page at first, one for each screen scrolled, and one for news at the end', async () => {
  const live = createLiveStub();
  const server = await serve({ ...createMemoryData({ sessions, messages: new Map() }), live: live.source });
  // The heap of a process that no other tab uses.
  const tab = await visit(server, { isStranger: true });
  const { page } = tab;
  await page.getByText('Session 0', { exact: true }).waitFor();
  expect(listRequests(tab)).toBeLessThanOrEqual(2);
  expect(await nodesIn(page)).toBeLessThan(MAX_NODES);
  const last = page.getByText(`Session ${SESSIONS - 1}`, { exact: true });
  await expect
    .poll(
      async () => {
        await page.keyboard.press('End');
        return last.isVisible();
      },
      { timeout: PATIENCE_MS },
    )
    .toBe(true);
  expect(listRequests(tab)).toBeLessThanOrEqual(SESSIONS / PAGE_ROWS + 2);
  expect(await nodesIn(page)).toBeLessThan(MAX_NODES);
  expect(await heapBytes(page)).toBeLessThan(MAX_HEAP_BYTES);
  const before = listRequests(tab);
  live.tellChange(sessions[0] as (typeof sessions)[number]);
  await expect.poll(() => listRequests(tab), { timeout: PATIENCE_MS }).toBeGreaterThan(before);
  await page.keyboard.press('Home');
  await page.getByText('Session 0', { exact: true }).waitFor();
  expect(listRequests(tab) - before).toBeLessThanOrEqual(2);
  expectClean(tab, server);
});
