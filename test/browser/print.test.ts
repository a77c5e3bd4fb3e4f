import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { human, model, TALK_ID } from './support/conversation.ts';
import { largeSession, TURN_MESSAGES } from './support/large-session.ts';
import { makeBlock, makeMessage, makeSession } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { isOverflowing } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();
/** The printable width of A4. */
const PAPER = { width: 703, height: 1_000 };
const PART_NOTE = 'This is only the part of the session that was on screen.';

/** Counts the rows to print instead of opening the browser's dialog. */
const CATCH_PRINT = `window.print = () => { window.printed = document.querySelectorAll('[role=feed][data-printed] [role=article]').length; }`;

/** Simulates what the browser does around its own dialog. */
async function toPaper(page: Page): Promise<void> {
  await page.evaluate(`window.dispatchEvent(new Event('beforeprint'))`);
  await page.emulateMedia({ media: 'print' });
}

test('Ctrl-P prints all of a session, not only what is on screen', async () => {
  const turns = 30;
  const server = await serve(largeSession(TALK_ID, turns * TURN_MESSAGES));
  const tab = await visit(server, { path: `/session/${TALK_ID}` });
  const { page } = tab;
  await page.getByText('step 1', { exact: true }).waitFor();
  await page.evaluate(CATCH_PRINT);
  await page.keyboard.press('2');
  await page.keyboard.press('Control+p');
  await until(async () => expect(await page.evaluate('window.printed')).toBeGreaterThan(0));
  await page.emulateMedia({ media: 'print' });
  const paper = page.locator('[data-printed][role=feed]');
  await until(async () => expect(await page.evaluate('window.printed')).toBe(await paper.getByRole('article').count()));
  for (let turn = 0; turn < turns; turn += 1) {
    await until(async () => expect(await paper.getByText(`Question ${turn}`, { exact: true }).isVisible()).toBe(true));
    await until(async () => expect(await paper.getByText(`Answer ${turn}.`).isVisible()).toBe(true));
  }
  await until(async () => expect(await page.getByText(PART_NOTE).first().isVisible()).toBe(false));
  for (const part of [page.getByLabel('fuel-code'), page.getByLabel('Find'), page.getByLabel('Views of the session')])
    await until(async () => expect(await part.isVisible()).toBe(false));
  await page.emulateMedia({ media: 'screen' });
  await page.evaluate(`window.dispatchEvent(new Event('afterprint'))`);
  await until(async () => expect(await paper.count()).toBe(0));
  await page.getByText('step 1', { exact: true }).waitFor();
  expectClean(tab, server);
});

/** Chromium draws over the end of a grid or flexible box in which a page breaks. */
const BREAKABLE = `[...document.querySelectorAll('[role=feed][data-printed] :is(.md, .md-list, .md-item, section)')].map((part) => getComputedStyle(part).display)`;

test('on paper, texts are blocks in which a page can break, and calls can be separated', async () => {
  const text = '# Ferries\n\n- one\n- two\n\nThe end of it.';
  const call = makeBlock({ block_type: 'tool_use', tool_name: 'Glob', tool_use_id: 'a', tool_input: { pattern: '*' } });
  const rows = [human('Which?'), model([call]), model([makeBlock({ block_type: 'text', content_text: text })])];
  const server = await serve(
    createMemoryData({
      sessions: [makeSession({ id: TALK_ID })],
      messages: new Map([[TALK_ID, rows.map((row, ordinal) => makeMessage({ ...row, ordinal }))]]),
    }),
  );
  const { page } = await visit(server, { path: `/session/${TALK_ID}` });
  await page.getByText('The end of it.').waitFor();
  await page.evaluate(CATCH_PRINT);
  await page.keyboard.press('2');
  await page.keyboard.press('Control+p');
  await until(async () => expect(await page.evaluate('window.printed')).toBeGreaterThan(0));
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize(PAPER);
  await until(async () => expect(await isOverflowing(page)).toBe(false));
  const displays = (await page.evaluate(BREAKABLE)) as string[];
  expect(displays.length).toBeGreaterThan(4);
  expect(new Set(displays)).toEqual(new Set(['block']));
  const closed = `getComputedStyle(document.querySelector('[role=feed][data-printed] [data-item=tool] > button')).breakAfter`;
  expect(await page.evaluate(closed)).toBe('auto');
});

test("printing from the browser's menu says that it is only a part", async () => {
  const server = await serve(largeSession(TALK_ID, 10_000));
  const { page } = await visit(server, { path: `/session/${TALK_ID}` });
  await page.getByText('step 1', { exact: true }).waitFor();
  const note = page.getByText(PART_NOTE);
  await until(async () => expect(await note.first().isVisible()).toBe(false));
  await toPaper(page);
  await until(async () => expect(await note.first().isVisible()).toBe(true));
  await until(async () => expect(await note.last().isVisible()).toBe(true));
  await until(async () => expect(await note.count()).toBe(2));
});

test('a session that is complete on screen needs no note', async () => {
  const server = await serve(largeSession(TALK_ID, TURN_MESSAGES));
  const { page } = await visit(server, { path: `/session/${TALK_ID}` });
  await page.keyboard.press('1');
  await page.getByText('Answer 0.').waitFor();
  await until(async () => expect(await page.getByText(PART_NOTE).count()).toBe(0));
});

test('Esc stops a print that is still loading; too many rows are rejected with an alternative', async () => {
  const server = await serve(largeSession(TALK_ID, 10_000));
  const { page } = await visit(server, { path: `/session/${TALK_ID}` });
  await page.getByText('step 1', { exact: true }).waitFor();
  await page.evaluate(CATCH_PRINT);
  await page.keyboard.press('3');
  await page.keyboard.press('Control+p');
  await page.getByRole('status').getByText('rows are too many to print').waitFor();
  await page.getByRole('button', { name: 'Show answers only' }).click();
  await page.getByText('Answer 0.').waitFor();
  let answer = () => {};
  const blocked = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/\/transcript\?/, async (route) => {
    await blocked;
    await route.continue();
  });
  await page.keyboard.press('Control+p');
  const status = page.getByText('Loading the whole session to print it.');
  await status.waitFor();
  await page.keyboard.press('Escape');
  await status.waitFor({ state: 'detached' });
  answer();
  expect(await page.evaluate('window.printed')).toBeUndefined();
  expect(page.url()).toContain(TALK_ID);
});

test('the printed list contains all its rows, and nothing else', async () => {
  const sessions = Array.from({ length: 60 }, (_, at) =>
    makeSession({ id: `22222222-0000-4000-8000-${String(at).padStart(12, '0')}`, title: `Talk ${at}` }),
  );
  const server = await serve(createMemoryData({ sessions, messages: new Map() }));
  const { page } = await visit(server, { ...PAPER, colorScheme: 'dark' });
  await page.getByText('Talk 0', { exact: true }).waitFor();
  const rows = page.getByRole('row').filter({ hasText: 'Talk' });
  await until(async () => expect(await rows.count()).toBeLessThan(60));
  await toPaper(page);
  await until(async () => expect(await rows.count()).toBe(60));
  await until(async () => expect(await page.getByText('Talk 59').isVisible()).toBe(true));
  await until(async () => expect(await page.getByLabel('Filter sessions').isVisible()).toBe(false));
  await until(async () => expect(await isOverflowing(page)).toBe(false));
  const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  await until(async () => expect(await paper()).toBe('rgb(255, 255, 255)'));
  await page.emulateMedia({ media: 'screen' });
  await page.evaluate(`window.dispatchEvent(new Event('afterprint'))`);
  await until(async () => expect(await rows.count()).toBeLessThan(60));
});
