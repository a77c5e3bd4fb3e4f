import { expect, test } from 'vitest';
import type { DataSource } from '../../src/app/data-source.ts';
import { until } from '../support/until.ts';
import { human, model, result, TALK_ID } from './support/conversation.ts';
import { withQueries } from './support/empty-data.ts';
import { makeBlock, makeMessage, makeSession } from './support/make-rows.ts';
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
  await until(async () => expect(await count.textContent()).toBe(String(TURNS * 4)));
  const current = page.locator('[data-current]');
  await page.keyboard.press('Enter');
  await current.getByText('Question 0').waitFor();
  await page.keyboard.press('Enter');
  await current.getByText('Thought 0: needle').waitFor();
  await page.keyboard.press('Enter');
  await current.getByText('output 0: needle').waitFor();
  expect(await count.textContent()).toBe(`3 of ${TURNS * 4}`);
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Shift+Enter');
  await current.getByText(`Answer ${TURNS - 1}: needle`).waitFor();
  // Outside of the field the letters step, too.
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
  expect(await page.getByText('No matches').count()).toBe(1);
});

test('Enter goes to the first match even before it is found', async () => {
  const { page } = await pages.open(await pages.serve(findData()), `/session/${TALK_ID}`);
  await page.keyboard.press('f');
  await page.getByRole('searchbox').fill('needle');
  await page.keyboard.press('Enter');
  await page.locator('[data-current]').getByText('Question 0').waitFor();
  expect(await page.locator('search output').textContent()).toBe(`1 of ${TURNS * 4}`);
});
