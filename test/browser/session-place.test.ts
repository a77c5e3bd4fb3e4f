import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { TALK_ID } from './support/conversation.ts';
import { withQueries } from './support/empty-data.ts';
import { largeSession, TURN_MESSAGES } from './support/large-session.ts';
import { useSessionPages } from './support/session-pages.ts';

const pages = useSessionPages();
const TURNS = 20;
/** Of the model in the turns below. */
const WINDOW_TOKENS = 1_000_000;

/** The context grows with every turn; the third turn commits the work of the first and of its own. */
function growing() {
  const data = largeSession(TALK_ID, TURNS * TURN_MESSAGES);
  return withQueries(data, {
    'GET /sessions/:id/outline': async (input) => {
      const outline = await data.queries['GET /sessions/:id/outline'](input);
      const { items, turns } = outline;
      const of = (turn: number, value: number) => turns.ordinal.map((_, at) => (at === turn ? value : 0));
      return {
        ...outline,
        items: { ...items, context: items.turn.map((turn) => (turn + 1) * 1_000) },
        turns: {
          ...turns,
          commits: of(2, 1),
          lines_added: of(0, 7),
          model: turns.ordinal.map(() => 'claude-opus-5-5'),
        },
        commits: [{ sha: '3f2a91c0de', message: 'Fix the ferry', time: 0, turn: 2, ordinal: 2 * TURN_MESSAGES + 1 }],
      };
    },
  });
}

test('the context meter follows the scroll position, also while the map is dragged', async () => {
  const { page } = await pages.open(await pages.serve(growing()), `/session/${TALK_ID}`);
  const meter = page.getByRole('meter', { name: 'Context' });
  const tokens = async () => Number(await meter.getAttribute('aria-valuenow'));
  expect(await tokens()).toBe(1_000);
  await until(async () => expect(await meter.getAttribute('aria-valuemax')).toBe(String(WINDOW_TOKENS)));
  expect(await meter.textContent()).toContain('(<1%)');
  const box = await page.locator('canvas').boundingBox();
  if (box === null) throw new Error('There is no map.');
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + 5, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await until(async () => expect(await tokens()).toBeGreaterThan((TURNS / 3) * 1_000));
});

test('pointing at a commit highlights the turns whose work it contains', async () => {
  const { page } = await pages.open(await pages.serve(growing()), `/session/${TALK_ID}`);
  const outline = page.getByRole('navigation', { name: 'Prompts' });
  await outline.getByRole('button', { name: 'Go to commit 3f2a91c Fix the ferry' }).hover();
  await until(async () => {
    const lit = await outline.locator('[data-lit]').evaluateAll((all) => all.map((each) => each.dataset['turn']));
    expect(lit).toEqual(['0', '2']);
  });
  await until(async () => expect(await page.locator('[role=article][data-lit]').count()).toBeGreaterThan(0));
  await page.mouse.move(600, 400);
  await until(async () => expect(await page.locator('[data-lit]').count()).toBe(0));
});

test('commits are dots on the map, with hash and subject, and link to where they were made', async () => {
  const { page } = await pages.open(await pages.serve(growing()), `/session/${TALK_ID}`);
  const dot = page.getByRole('button', { name: 'Commit 3f2a91c Fix the ferry', exact: true });
  const [map, box] = [await page.locator('canvas').boundingBox(), await dot.boundingBox()];
  if (map === null || box === null) throw new Error('There is no dot.');
  const share = (box.y + box.height / 2 - map.y) / map.height;
  expect(share).toBeGreaterThan(1.9 / TURNS);
  expect(share).toBeLessThan(3.1 / TURNS);
  await page.keyboard.press('End');
  await dot.click();
  await until(async () => expect(await page.locator('[data-current]').getAttribute('data-turn')).toBe('2'));
});

test('a link to another message of the session that is open in the tab goes to that message, and Back to the place before', async () => {
  const server = await pages.serve(growing());
  const { page } = await pages.open(server, `/session/${TALK_ID}?at=${2 * TURN_MESSAGES}`);
  const turnIs = (turn: number) =>
    until(async () => expect(await page.locator('[data-current]').getAttribute('data-turn')).toBe(String(turn)));
  await turnIs(2);
  await page.goto(`${server.url}session/${TALK_ID}?at=${12 * TURN_MESSAGES}`);
  await turnIs(12);
  await page.reload();
  await turnIs(12);
  await page.goBack();
  await turnIs(2);
});
