import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { TALK_ID } from './support/conversation.ts';
import { withQueries } from './support/empty-data.ts';
import { largeSession, TURN_MESSAGES } from './support/large-session.ts';
import { useSessionPages } from './support/session-pages.ts';

const pages = useSessionPages();
const TURNS = 20;

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
        turns: { ...turns, commits: of(2, 1), lines_added: of(0, 7) },
      };
    },
  });
}

test('the context meter follows the place on screen, also while the map is dragged', async () => {
  const { page } = await pages.open(await pages.serve(growing()), `/session/${TALK_ID}`);
  const meter = page.getByRole('meter', { name: 'Context' });
  const tokens = async () => Number(await meter.getAttribute('aria-valuenow'));
  expect(await tokens()).toBe(1_000);
  expect(await meter.getAttribute('aria-valuemax')).toBe(String(TURNS * 1_000));
  const box = await page.locator('canvas').boundingBox();
  if (box === null) throw new Error('There is no map.');
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + 5, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await until(async () => expect(await tokens()).toBeGreaterThan((TURNS / 3) * 1_000));
});

test('a commit under the pointer lights up the turns whose work it holds', async () => {
  const { page } = await pages.open(await pages.serve(growing()), `/session/${TALK_ID}`);
  const outline = page.getByRole('navigation', { name: 'Prompts' });
  await outline.getByText('✓ commit').hover();
  await until(async () => {
    const lit = await outline.locator('[data-lit]').evaluateAll((all) => all.map((each) => each.dataset['turn']));
    expect(lit).toEqual(['0', '2']);
  });
  expect(await page.locator('[role=article][data-lit]').count()).toBeGreaterThan(0);
  await page.mouse.move(600, 400);
  await until(async () => expect(await page.locator('[data-lit]').count()).toBe(0));
});
