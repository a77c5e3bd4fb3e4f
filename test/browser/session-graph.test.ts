import { expect, test } from 'vitest';
import type { Outline } from '../../src/api/outline.ts';
import type { Queries } from '../../src/app/queries.ts';
import { type ItemSpec, makeOutline, type TurnSpec } from '../support/make-outline.ts';
import { until } from '../support/until.ts';
import { withQueries } from './support/empty-data.ts';
import { PAYLOADS } from './support/hostile.ts';
import { makeMessage, makeSession } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { isOverflowing } from './support/page-server.ts';
import { expectClean, useBrowser } from './support/suite.ts';

const { serve, visit } = useBrowser();
const ID = '11111111-0000-4000-8000-000000000001';
const OTHER = '55555555-0000-4000-8000-000000000005';
const GRAPH = `/session/${ID}?view=graph`;

interface Given {
  readonly outline: Outline;
  readonly queries?: Partial<Queries>;
}

function dataOf({ outline, queries = {} }: Given) {
  const sessions = [makeSession({ id: ID, title: 'Lanes' }), makeSession({ id: OTHER, title: 'Where it began' })];
  const data = createMemoryData({ sessions, messages: new Map([[ID, [makeMessage({ ordinal: 0 })]]]) });
  return withQueries(data, {
    'GET /sessions/:id/outline': async () => outline,
    ...queries,
  });
}

function prompts(turns: readonly TurnSpec[], flags: readonly number[] = []): readonly ItemSpec[] {
  return turns.flatMap(({ ordinal, agent = -1 }, turn): ItemSpec[] => [
    { kind: 'prompt', ordinal, turn, agent, flags: flags[turn] ?? 0 },
    { kind: 'answer', ordinal: ordinal + 1, turn, agent, context: 1_000 * (turn + 1) },
  ]);
}

const REWOUND: readonly TurnSpec[] = [
  { ordinal: 0, excerpt: 'First' },
  { ordinal: 2, excerpt: 'Wrong way', branch: 1, parent: 0 },
  { ordinal: 4, excerpt: 'Right way', parent: 0 },
  { ordinal: 6, excerpt: 'On and on', parent: 2 },
];
const BRANCHES = [{ after_ordinal: 1, turns: [1, 2], current: 2 }];

test('arrow keys move along the lanes, the path of the model is highlighted, and Enter opens the turn', async () => {
  const outline = makeOutline({ items: prompts(REWOUND), turns: REWOUND, branches: BRANCHES });
  const asked: string[] = [];
  const server = await serve(
    dataOf({
      outline,
      queries: {
        'GET /sessions/:id/messages/:message_id/path': async ({ params }) => {
          asked.push(params.message_id);
          return { message_ids: [], ordinals: [0, 1, 4], turn_id: null };
        },
      },
    }),
  );
  const tab = await visit(server, { path: `/session/${ID}` });
  const { page } = tab;
  await page.getByRole('link', { name: 'Graph' }).waitFor();
  await page.keyboard.press('g');
  await page.locator('[data-node]').nth(3).waitFor();
  await until(() => expect(page.url()).toContain('view=graph'));
  await until(async () => expect(await page.getByText('4 turns, 1 abandoned branch').count()).toBe(1));
  await until(async () =>
    expect(await page.locator('[data-node][data-abandoned]').textContent()).toContain('rewound here'),
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const status = page.locator('main [role=status]');
  await status.getByText('Right way').waitFor();
  await until(async () => expect(await page.locator('[data-node][data-on-path]').count()).toBe(2));
  await until(async () => expect(await page.locator('path[data-on-path]').count()).toBe(1));
  expect(asked).toContain('message-4');
  await page.keyboard.press('ArrowRight');
  await status.getByText('Wrong way, abandoned').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Home');
  await page.keyboard.press('End');
  await status.getByText('On and on').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/session/${ID}?at=6`);
  await page.goBack();
  await status.getByText('On and on').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.waitForURL(`**/session/${ID}`);
  expectClean(tab, server);
});

test('a copied beginning links to its session, and a fork to the session it became', async () => {
  const turns = [{ ordinal: 0 }, { ordinal: 2 }, { ordinal: 4 }];
  const relative = { session_id: OTHER, title: 'Where it began', is_deleted: false, started_at: null, lines: 4 };
  const outline = makeOutline({ items: prompts(turns, [2, 2]), turns });
  const server = await serve(
    dataOf({
      outline,
      queries: {
        'GET /sessions/:id/relatives': async () => ({
          relatives: [
            { ...relative, kind: 'forked', is_origin: true, at_ordinal: 3 },
            { ...relative, kind: 'branched', is_origin: false, at_ordinal: 5 },
          ],
        }),
      },
    }),
  );
  const { page } = await visit(server, { path: GRAPH });
  await page.locator('svg rect').first().waitFor();
  expect(await page.locator('svg a').allTextContents()).toEqual([
    'Forked from Where it began',
    'Branched into Where it began',
  ]);
  await until(async () => expect(await page.getByRole('link', { name: /Where it began/ }).count()).toBe(2));
  await page.locator('svg a').first().click();
  await page.getByRole('heading', { name: 'Where it began' }).waitFor();
  await until(() => expect(page.url()).toContain(OTHER));
});

const TEAM: readonly TurnSpec[] = [
  { ordinal: 0, time: 0, excerpt: 'Make a team' },
  { ordinal: 2, parent: 0, time: 50, origin: 'teammate', sender: 'ada', excerpt: 'built' },
  { ordinal: 4, agent: 0, parent: -1, time: 10 },
  { ordinal: 6, agent: 1, parent: -1, time: 60, origin: 'teammate', sender: 'ada', excerpt: PAYLOADS[0] },
];

test('teammates have lanes with messages between them, at 360 px in the dark, also as a list', async () => {
  const names = ['ada', 'bob'].map((agent_name, at) => ({
    agent_id: `a${at}`,
    agent_name,
    team_name: 'crew',
    agent_type: 'builder',
  }));
  const outline = makeOutline({ items: prompts(TEAM), turns: TEAM, agents: names });
  const server = await serve(dataOf({ outline }));
  const tab = await visit(server, { path: GRAPH, width: 360, height: 700, colorScheme: 'dark' });
  const { page } = tab;
  await page.locator('svg text').getByText('ada · builder').waitFor();
  await until(async () => expect(await page.getByText('4 turns, 2 teammates').count()).toBe(1));
  await until(async () => expect(await page.locator('[data-edge=message]').count()).toBe(2));
  await until(async () => expect(await page.locator('[data-edge=spawn]').count()).toBe(2));
  expect(await isOverflowing(page)).toBe(false);
  await page.keyboard.press('-');
  await page.keyboard.press('-');
  await until(async () => expect(await page.locator('svg text').count()).toBe(0));
  await page.keyboard.press('l');
  const rows = page.getByRole('list', { name: 'Turns' }).getByRole('listitem');
  await until(async () => expect(await rows.count()).toBe(4));
  await until(async () => expect(await rows.nth(1).textContent()).toContain('ada · builder'));
  expect(await rows.nth(3).textContent()).toContain('<script>');
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expectClean(tab, server);
});

test('a compaction is a neck that opens what was lost', async () => {
  const turns = [{ ordinal: 0 }, { ordinal: 4 }];
  const outline = makeOutline({
    items: [...prompts([{ ordinal: 0 }]), { kind: 'compaction', ordinal: 3, turn: 0 }, ...prompts(turns).slice(2)],
    turns,
    compactions: [
      {
        id: 'c',
        ordinal: 3,
        agent: -1,
        kind: 'full',
        trigger: 'auto',
        duration_ms: null,
        pre_tokens: 167_361,
        post_tokens: 9_000,
      },
    ],
  });
  const { page } = await visit(await serve(dataOf({ outline })), { path: GRAPH });
  const neck = page.locator('[data-node=compaction]');
  await neck.waitFor();
  await until(async () => expect(await neck.textContent()).toContain('167k → 9.0k tokens'));
  await neck.locator('path').dblclick();
  await page.waitForURL('**?at=3&view=context');
});

test('a graph of 2,000 turns draws only what is in view', async () => {
  const turns = Array.from({ length: 2_000 }, (_, at) => ({ ordinal: at * 2, excerpt: `Question ${at}` }));
  const outline = makeOutline({ items: prompts(turns), turns });
  const { page } = await visit(await serve(dataOf({ outline })), { path: GRAPH });
  await page.locator('[data-node]').first().waitFor();
  const count = () => page.evaluate<number>(`document.querySelectorAll('main *').length`);
  expect(await count()).toBeLessThan(600);
  await page.keyboard.press('End');
  await page.locator('[data-selected] text').getByText('Question 1999').waitFor();
  expect(await count()).toBeLessThan(600);
  for (const _ of [1, 2, 3]) await page.keyboard.press('-');
  await page.locator('[data-selected]').waitFor();
  expect(await count()).toBeLessThan(2_000);
});
