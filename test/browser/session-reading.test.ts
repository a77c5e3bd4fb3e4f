import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { MessageRow } from '../../src/api/transcript.ts';
import { until } from '../support/until.ts';
import { human, makeTalk, model, result, TALK_ID } from './support/conversation.ts';
import { makeBlock, makeMessage, makeSession, makeSubagent } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { isOverflowing } from './support/page-server.ts';
import { scrollTop, untilKinds, useSessionPages } from './support/session-pages.ts';
import { expectClean } from './support/suite.ts';
import { openTab } from './support/tabs.ts';

const pages = useSessionPages();
const TALK = `/session/${TALK_ID}`;

function talkData() {
  const { session, messages } = makeTalk();
  return createMemoryData({
    parts: { subagents: [makeSubagent({ agent_id: 'a0123456789abcdef', spawning_tool_use_id: 'call-3' })] },
    sessions: [session],
    messages: new Map([[TALK_ID, messages]]),
  });
}

const says = (text: string) => model([makeBlock({ block_type: 'text', content_text: text })]);
const calls = (name: string, id: string, input: object) =>
  model([makeBlock({ block_type: 'tool_use', tool_name: name, tool_use_id: id, tool_input: { ...input } })]);

/** A session with these messages in this order. */
function dataOf(parts: readonly Partial<MessageRow>[]) {
  const messages = parts.map((part, ordinal) => makeMessage({ ...part, ordinal }));
  const session = makeSession({ id: TALK_ID, total_messages: messages.length });
  return createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) });
}

test('shows prompt, work and answer; text added to the prompt is separate', async () => {
  const server = await pages.serve(talkData());
  const tab = await pages.open(server, TALK);
  const { page } = tab;
  await page.getByText('All done, the last word.').waitFor();
  await untilKinds(page, ['day', 'prompt', 'strip', 'item', 'item', 'item', 'agent', 'item', 'item', 'item']);
  await until(async () =>
    expect(await page.locator('[data-item=prompt]').textContent()).toContain('The timetable is one hour early.'),
  );
  await until(async () => expect(await page.locator('[data-item=answer] strong').first().textContent()).toBe('look'));
  await until(async () => expect(await page.locator('[data-item=compaction]').textContent()).toContain('167k tokens'));
  expect(await page.getByText('Thinking').count()).toBe(0);
  await until(async () =>
    expect(await page.getByRole('button', { name: /^Work: / }).textContent()).toContain('edited 1'),
  );
  // A failed call shows the end of its output without being opened.
  await page.getByText('FAIL: expected 06:40 to be 07:40').waitFor();
  expectClean(tab, server);
});

test('three densities, by key and by button', async () => {
  const server = await pages.serve(talkData());
  const tab = await pages.open(server, TALK);
  const { page } = tab;
  await page.keyboard.press('1');
  await untilKinds(page, ['day', 'prompt', 'strip', 'item', 'item']);
  await page.getByText('All done, the last word.').waitFor();
  await page.getByRole('button', { name: /^Work: / }).click();
  await untilKinds(page, ['day', 'prompt', 'strip', 'item', 'item', 'item', 'agent', 'item', 'item', 'item']);
  await page.getByRole('radio', { name: 'Everything' }).click();
  await page.getByText('Thinking').waitFor();
  await until(async () =>
    expect(await page.getByRole('radio', { name: 'Everything' }).getAttribute('aria-checked')).toBe('true'),
  );
  await page.keyboard.press('2');
  await page.getByText('Thinking').waitFor({ state: 'detached' });
  // The choice also applies to the next session.
  await page.keyboard.press('1');
  await page.reload();
  await page.getByText('All done, the last word.').waitFor();
  await until(async () =>
    expect(await page.getByRole('radio', { name: 'Answers' }).getAttribute('aria-checked')).toBe('true'),
  );
  expectClean(tab, server);
});

test('what the client added to a prompt is part of the work', async () => {
  const prompt = human('Fix it.');
  const metadata = { tag: 'system-reminder' };
  const reminder = makeBlock({ block_type: 'injected', block_order: 1, content_text: 'Be brief.', metadata });
  const content_blocks = [...(prompt.content_blocks ?? []), reminder];
  const server = await pages.serve(dataOf([{ ...prompt, content_blocks }, says('Done.')]));
  const { page } = await pages.open(server, TALK);
  const added = page.getByRole('button', { name: 'system reminder' });
  await added.waitFor();
  await page.keyboard.press('1');
  await added.waitFor({ state: 'detached' });
  expect(await page.getByText('Fix it.').count()).toBeGreaterThan(0);
});

test.each([360, 1280])(
  'at %i px the details of a session open over the conversation, and Escape closes them',
  async (width) => {
    const server = await pages.serve(talkData());
    const tab = await pages.open(server, TALK, { width });
    const { page } = tab;
    const details = page.getByRole('complementary', { name: 'About this session' });
    const topOf = async () => (await page.getByRole('feed').boundingBox())?.y;
    const top = await topOf();
    await page.getByRole('button', { name: 'Details', exact: true }).click();
    await details.getByText('Cache read').waitFor();
    expect(await topOf()).toBe(top);
    expect((await details.boundingBox())?.width).toBeLessThanOrEqual(416);
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'hidden' });
    expect(page.url()).toContain(TALK);
    expectClean(tab, server);
  },
);

test('a sub-agent opens in place', async () => {
  const server = await pages.serve(talkData());
  const { page } = await pages.open(server, TALK);
  const agent = page.getByRole('button', { name: /Sub-agent Explore/ });
  await page.getByText('Said inside the sub-agent.').waitFor();
  await until(async () => expect(await agent.textContent()).toContain('Look around'));
  await agent.click();
  await page.getByText('Find the caches.').waitFor();
  await until(async () =>
    expect(await page.locator('[data-item=answer]').filter({ hasText: 'Said inside' }).count()).toBe(1),
  );
  await agent.click();
  await page.getByText('Find the caches.').waitFor({ state: 'detached' });
});

test('consecutive reads are one line that unfolds', async () => {
  const read = (at: number) => [
    calls('Read', `read-${at}`, { file_path: `/home/mira/harbour/src/file-${at}.ts` }),
    result(`read-${at}`, 'text', false),
  ];
  const server = await pages.serve(dataOf([human('Look'), ...[1, 2, 3].flatMap(read), says('Seen.')]));
  const { page } = await pages.open(server, TALK);
  const group = page.getByRole('button', { name: /3 reads/ });
  await until(async () => expect(await group.textContent()).toContain('file-1.ts · file-2.ts · file-3.ts'));
  await group.click();
  await untilKinds(page, ['day', 'prompt', 'strip', 'group', 'item', 'item', 'item', 'item']);
});

test('a long prompt is clipped until it is opened', async () => {
  const server = await pages.serve(dataOf([human(Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n'))]));
  const { page } = await pages.open(server, TALK);
  const row = page.locator('[data-kind=prompt]');
  const heightOf = async () => (await row.boundingBox())?.height ?? 0;
  await page.getByRole('button', { name: 'Show the whole prompt' }).waitFor();
  const clipped = await heightOf();
  await page.getByRole('button', { name: 'Show the whole prompt' }).click();
  await until(async () => expect(await heightOf()).toBeGreaterThan(clipped * 2));
});

const turns = (count: number) =>
  Array.from({ length: count }, (_, at) => [human(`Question ${at}`), says(`Answer ${at}.\n\n${'More. '.repeat(200)}`)]);

test('the prompt of the turn on screen stays at the top, and the list of prompts marks it', async () => {
  const server = await pages.serve(dataOf(turns(8).flat()));
  const { page } = await pages.open(server, TALK);
  const outline = page.getByRole('navigation', { name: 'Prompts' });
  await outline.getByText('Question 5').click();
  await page.locator('[data-current]').getByText('Question 5').waitFor();
  expect(await page.getByTitle('Go to this prompt').count()).toBe(0);
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 300);
  await until(async () => expect(await page.getByTitle('Go to this prompt').textContent()).toContain('Question 5'));
  await until(async () => expect(await outline.locator('[aria-current]').textContent()).toContain('Question 5'));
  await page.getByTitle('Go to this prompt').click();
  await page.getByTitle('Go to this prompt').waitFor({ state: 'detached' });
});

test('a session can be read with the keyboard only', async () => {
  const server = await pages.serve(dataOf(turns(30).flat()));
  const { page } = await pages.open(server, TALK);
  const current = page.locator('[data-current]');
  await page.keyboard.press('n');
  await current.getByText('Question 0').waitFor();
  await page.keyboard.press('n');
  await current.getByText('Question 1').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await current.getByText('Answer 1.').waitFor();
  await page.keyboard.press('k');
  await page.keyboard.press('p');
  await current.getByText('Question 1').waitFor();
  await page.keyboard.press('G');
  await current.getByText('Answer 29.').waitFor();
  await page.keyboard.press('Home');
  await until(async () => expect(await scrollTop(page)).toBe(0));
  await page.keyboard.press('Escape');
  await page.getByRole('grid').waitFor();
});

test('a message in the address is shown immediately, even if it is hidden', async () => {
  const server = await pages.serve(talkData());
  const tab = await pages.open(server, `${TALK}?at=13`);
  await tab.page.locator('[data-current]').getByText('Said inside the sub-agent.').waitFor();
  const thinking = await pages.open(server, `${TALK}?at=3`);
  await thinking.page.locator('[data-current]').getByText('It smells of time zones.').waitFor();
  const resultOf = await pages.open(server, `${TALK}?at=4`);
  await resultOf.page.locator('[data-current]').getByText('npm test').first().waitFor();
  await until(async () => expect(await resultOf.page.locator('[data-current]').count()).toBe(1));
});

test('an address with a message works in a new tab and after a reload', async () => {
  const server = await pages.serve(talkData());
  await pages.open(server, TALK);
  const { page: other } = await openTab();
  await other.goto(`${server.url}session/${TALK_ID}?at=13`);
  await other.locator('[data-current]').getByText('Said inside the sub-agent.').waitFor();
  await other.reload();
  await other.locator('[data-current]').getByText('Said inside the sub-agent.').waitFor();
  await until(async () => expect(await other.locator('[data-current]').count()).toBe(1));
});

/** The first row that starts in view and its position, once it has stopped moving. */
async function settledRow(page: Page): Promise<unknown> {
  const read = `[...document.querySelectorAll('[role=article]')]
    .map((row) => [row.dataset.index, Math.round(row.getBoundingClientRect().top)])
    .filter(([, top]) => top > 220 && top < 700)
    .sort((a, b) => a[1] - b[1])[0]?.join(' ')`;
  let last: unknown = null;
  for (let same = 0; same < 5; ) {
    const now: unknown = await page.evaluate(
      `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(${read}))))`,
    );
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return last;
}

test('going back restores the position, the open rows and the selection', async () => {
  const server = await pages.serve(dataOf(turns(40).flat()));
  const { page } = await pages.open(server, `${TALK}?at=40`);
  await page.locator('[data-current]').getByText('Question 20').waitFor();
  await page.evaluate(`document.querySelector('[role=feed]').scrollBy(0, 1000)`);
  await page.getByTitle('Go to this prompt').getByText('Question 21').waitFor();
  const before = await settledRow(page);
  await page.getByRole('link', { name: 'Back to sessions' }).click();
  await page.getByRole('grid').waitFor();
  await page.goBack();
  await until(async () => expect(await settledRow(page)).toBe(before));
});

test.each(['light', 'dark'] as const)('fits 360 px, %s', async (colorScheme) => {
  const server = await pages.serve(talkData());
  const tab = await pages.open(server, TALK, { width: 360, height: 740, colorScheme });
  const { page } = tab;
  await page.locator('[data-item=prompt]').waitFor();
  expect(await isOverflowing(page)).toBe(false);
  await page.getByRole('button', { name: 'Prompts' }).click();
  await page.getByRole('navigation', { name: 'Prompts' }).getByText('The timetable is').click();
  await page.getByRole('navigation', { name: 'Prompts' }).waitFor({ state: 'hidden' });
  expectClean(tab, server);
});
