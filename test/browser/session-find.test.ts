import { expect, test } from 'vitest';
import type { DataSource } from '../../src/app/data-source.ts';
import { until } from '../support/until.ts';
import { human, model, result, TALK_ID } from './support/conversation.ts';
import { withQueries } from './support/empty-data.ts';
import { makeBlock, makeHit, makeMessage, makeSession } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { useSessionPages } from './support/session-pages.ts';
import { expectClean } from './support/suite.ts';

const pages = useSessionPages();
const TURNS = 30;

/** Turns with the needle in the prompt, in a thought, in a result and in the answer. */
function findData(): DataSource {
  const parts = Array.from({ length: TURNS }, (_, at) => [
    human(`Question ${at} about a needle`),
    model([
      makeBlock({ block_type: 'thinking', thinking_text: `Thought ${at}: needle` }),
      makeBlock({
        block_type: 'tool_use',
        block_order: 1,
        tool_name: 'Bash',
        tool_use_id: `call-${at}`,
        tool_input: { command: `look ${at}` },
      }),
    ]),
    result(`call-${at}`, `output ${at}: needle`, false),
    model([makeBlock({ block_type: 'text', content_text: `Answer ${at}: needle. ${'More. '.repeat(100)}` })]),
  ]).flat();
  const messages = parts.map((part, ordinal) => makeMessage({ ...part, ordinal }));
  const hits = Array.from({ length: TURNS }, (_, at) => [
    { ordinal: at * 4, block: -1, count: 1 },
    { ordinal: at * 4 + 1, block: 0, count: 1 },
    { ordinal: at * 4 + 1, block: 1, count: 1 },
    { ordinal: at * 4 + 3, block: 0, count: 1 },
  ]).flat();
  const session = makeSession({ id: TALK_ID, total_messages: messages.length });
  return withQueries(createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) }), {
    'GET /sessions/:id/find': async ({ query: { q } }) =>
      q === 'needle' ? { hits, total: hits.length, is_complete: true } : { hits: [], total: 0, is_complete: true },
  });
}

test('finds text in the whole session and steps through all matches in order, including hidden ones', async () => {
  const server = await pages.serve(findData());
  const tab = await pages.open(server, `/session/${TALK_ID}`);
  const { page } = tab;
  await page.keyboard.press('1');
  await page.keyboard.press('/');
  await page.keyboard.type('needle');
  const count = page.locator('search output');
  await until(async () => expect(await count.textContent()).toBe(`${TURNS * 4} matches`));
  // Matches in view are marked before the first step.
  await until(async () => expect(await page.evaluate(`CSS.highlights.get('found')?.size ?? 0`)).toBeGreaterThan(0));
  const current = page.locator('[data-current]');
  await page.keyboard.press('Enter');
  await current.getByText('Question 0').waitFor();
  await page.keyboard.press('Enter');
  await current.getByText('Thought 0: needle').waitFor();
  await page.keyboard.press('Enter');
  await current.getByText('output 0: needle').waitFor();
  await until(async () => expect(await count.textContent()).toBe(`3 of ${TURNS * 4}`));
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Shift+Enter');
  await current.getByText(`Answer ${TURNS - 1}: needle`).waitFor();
  // The letter keys also step outside of the field.
  await page.getByRole('feed').focus();
  await page.keyboard.press('n');
  await current.getByText('Question 0').waitFor();
  await page.keyboard.press('N');
  await current.getByText(`Answer ${TURNS - 1}: needle`).waitFor();
  await page.keyboard.press('Escape');
  await count.waitFor({ state: 'detached' });
  expectClean(tab, server);
});

test('says when nothing was found', async () => {
  const server = await pages.serve(findData());
  const { page } = await pages.open(server, `/session/${TALK_ID}`);
  await page.getByRole('button', { name: 'Find' }).click();
  await page.keyboard.type('nowhere');
  await page.getByText('No matches').waitFor();
  await until(async () => expect(await page.getByText('No matches').count()).toBe(1));
});

test('Enter goes to the first match even before it is found', async () => {
  const { page } = await pages.open(await pages.serve(findData()), `/session/${TALK_ID}`);
  await page.keyboard.press('f');
  await page.getByRole('searchbox').fill('needle');
  await page.keyboard.press('Enter');
  await page.locator('[data-current]').getByText('Question 0').waitFor();
  await until(async () => expect(await page.locator('search output').textContent()).toBe(`1 of ${TURNS * 4}`));
});

const many = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n');

/** One match in each place where a row does not show it by itself, and two in an answer taller than the window. */
function tallData(): DataSource {
  const call = (id: string, tool_name: string, tool_input: Record<string, string>) =>
    model([makeBlock({ block_type: 'tool_use', tool_name, tool_use_id: id, tool_input })]);
  const parts = [
    human(many(120, (at) => (at === 100 ? 'Line with a needle' : `Line ${at}`))),
    call('run', 'Bash', { command: 'npm test' }),
    result(
      'run',
      many(900, (at) => (at === 450 ? 'a needle in the folded middle' : `line ${at}`)),
      false,
    ),
    call('search', 'Grep', { pattern: 'x', output_mode: 'content' }),
    result(
      'search',
      many(90, (at) => `src/a.ts:${at}:${at === 70 ? 'needle' : 'hay'}`),
      false,
    ),
    model([
      makeBlock({
        block_type: 'text',
        content_text: many(300, (at) => `${at === 120 || at === 280 ? 'A needle' : 'Some hay'} in paragraph ${at}.\n`),
      }),
    ]),
    human('Thanks'),
  ];
  const messages = parts.map((part, ordinal) => makeMessage({ ...part, ordinal }));
  const hits = [0, 1, 3, 5].map((ordinal) => ({ ordinal, block: 0, count: 1 }));
  const session = makeSession({ id: TALK_ID, total_messages: messages.length });
  return withQueries(createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]) }), {
    'GET /sessions/:id/find': async () => ({ hits, total: hits.length, is_complete: true }),
    'GET /sessions/:id/hits': async ({ query: { q } }) => ({
      query: q,
      terms: [{ kind: 'text', words: ['needle'], is_prefix: false }],
      hits: hits.map(({ ordinal, block }) => makeHit({ ordinal, block })),
      total: hits.length,
      is_complete: true,
    }),
  });
}

/** The line with the current match, if it is in view. */
const LINE_IN_VIEW = `(() => {
  const [range] = CSS.highlights.get('found-now') ?? [];
  if (range === undefined) return null;
  const match = range.getBoundingClientRect();
  const view = document.querySelector('[role=feed]').getBoundingClientRect();
  const isShown = match.height > 0 && match.top >= view.top + 48 && match.bottom <= view.bottom;
  return isShown ? range.startContainer.textContent.trim() : 'out of view';
})()`;

test('scrolls the match itself into view: clipped, folded, omitted, or in a row taller than the window', async () => {
  const server = await pages.serve(tallData());
  const tab = await pages.open(server, `/session/${TALK_ID}`);
  const { page } = tab;
  const expectLine = (text: string) =>
    until(async () => expect(await page.evaluate<string | null>(LINE_IN_VIEW)).toContain(text));
  await page.keyboard.press('f');
  await page.getByRole('searchbox').fill('needle');
  await page.keyboard.press('Enter');
  await expectLine('Line with a needle');
  await page.keyboard.press('Enter');
  await expectLine('a needle in the folded middle');
  await page.getByRole('feed').focus();
  await page.keyboard.press('n');
  await expectLine('needle');
  await page.keyboard.press('n');
  await expectLine('A needle in paragraph 120.');
  // The next match is in the same row, but out of view.
  await page.keyboard.press('n');
  await expectLine('A needle in paragraph 280.');
  await until(async () => expect(await page.locator('search output').textContent()).toBe('4 of 4'));
  await page.keyboard.press('n');
  await expectLine('Line with a needle');
  // Going backwards enters a row at its last match.
  await page.keyboard.press('N');
  await expectLine('A needle in paragraph 280.');
  // Find does not scroll back when the reader scrolls away.
  await page.mouse.move(600, 400);
  await page.mouse.wheel(0, -3_000);
  await until(async () => expect(await page.evaluate(LINE_IN_VIEW)).not.toContain('280'));
  await page.keyboard.press('Escape');
  await until(async () => expect(await page.evaluate(`CSS.highlights.get('found-now').size`)).toBe(0));
  expectClean(tab, server);
});

test.each([
  [1, 'a needle in the folded middle'],
  [5, 'A needle in paragraph 120.'],
])('opening a search match at message %i scrolls it into view', async (at, line) => {
  const server = await pages.serve(tallData());
  const { page } = await pages.open(server, `/session/${TALK_ID}?at=${at}&block=0&q=needle`);
  await until(async () => expect(await page.evaluate<string | null>(LINE_IN_VIEW)).toContain(line));
});

test('Ctrl-F opens the find bar, f focuses it again, and a dialog keeps Ctrl-F to itself', async () => {
  const server = await pages.serve(findData());
  const { page } = await pages.open(server, `/session/${TALK_ID}`);
  const field = page.getByRole('searchbox', { name: 'Find in this session' });
  const hasFocus = async () => (await page.locator('search input:focus').count()) === 1;
  await page.keyboard.press('Control+f');
  await until(async () => expect(await hasFocus()).toBe(true));
  await page.keyboard.type('needle');
  await page.getByRole('feed').focus();
  await page.keyboard.press('f');
  await until(async () => expect(await hasFocus()).toBe(true));
  // The text is selected, so that typing replaces it.
  await page.keyboard.type('other');
  await until(async () => expect(await field.inputValue()).toBe('other'));
  // Pressing it again opens the browser's own find bar.
  const isOwn = await page.evaluate(
    `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true, cancelable: true }))`,
  );
  expect(isOwn).toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Control+f');
  expect(await field.count()).toBe(0);
});
