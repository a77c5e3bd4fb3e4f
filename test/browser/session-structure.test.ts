import { expect, test } from 'vitest';
import type { MessageRow } from '../../src/api/transcript.ts';
import type { DataSource } from '../../src/app/data-source.ts';
import { until } from '../support/until.ts';
import { human, makeTalk, model, TALK_ID } from './support/conversation.ts';
import { withQueries } from './support/empty-data.ts';
import { makeBlock, makeMessage, makeSession } from './support/make-rows.ts';
import { makeSubagent } from './support/make-subagent.ts';
import { createMemoryData } from './support/memory-data.ts';
import { untilKinds, useSessionPages } from './support/session-pages.ts';

const pages = useSessionPages();
const TALK = `/session/${TALK_ID}`;
const OTHER_ID = '55555555-0000-4000-8000-000000000005';
const says = (text: string) => model([makeBlock({ block_type: 'text', content_text: text })]);

function dataOf(parts: readonly Partial<MessageRow>[]): DataSource {
  const messages = parts.map((part, ordinal) => makeMessage({ ...part, ordinal }));
  return createMemoryData({
    sessions: [makeSession({ id: TALK_ID }), makeSession({ id: OTHER_ID, title: 'Where it began' })],
    messages: new Map([
      [TALK_ID, messages],
      [OTHER_ID, messages],
    ]),
  });
}

test('abandoned branches are folded where the conversation was rewound', async () => {
  const data = dataOf([
    human('First'),
    says('One.'),
    human('Wrong way'),
    says('Lost.'),
    human('Right way'),
    says('Two.'),
  ]);
  const withBranch = withQueries(data, {
    'GET /sessions/:id/outline': async (input) => {
      const outline = await data.queries['GET /sessions/:id/outline'](input);
      const turns = { ...outline.turns, branch: [0, 1, 0], parent: [-1, 0, 0] };
      return { ...outline, turns, branches: [{ after_ordinal: 1, turns: [1, 2], current: 2 }] };
    },
  });
  const { page } = await pages.open(await pages.serve(withBranch), TALK);
  await untilKinds(page, ['day', 'prompt', 'strip', 'item', 'ways', 'prompt', 'strip', 'item']);
  expect(await page.getByText('Lost.').count()).toBe(0);
  const ways = page.getByRole('button', { name: /2 ways from here/ });
  await until(async () => expect(await ways.textContent()).toContain('1 abandoned turn'));
  await ways.click();
  await page.getByText('Lost.').waitFor();
  await until(async () => expect(await page.locator('[data-abandoned]').count()).toBe(3));
});

test('a copied beginning is one row that opens and links to its session', async () => {
  const copied = { is_inherited: true };
  const data = dataOf([
    { ...human('Old question'), ...copied },
    { ...says('Old answer.'), ...copied },
    human('New question'),
    says('New answer.'),
  ]);
  const linked = withQueries(data, {
    'GET /sessions/:id/links': async () => ({
      links: [{ position: 0, kind: 'fork', other_session_id: OTHER_ID, lines: 2, uuid: null }],
      next_after: null,
    }),
  });
  const { page } = await pages.open(await pages.serve(linked), TALK);
  await untilKinds(page, ['inherited', 'day', 'prompt', 'strip', 'item']);
  await page.getByRole('button', { name: /copied from another session/ }).click();
  await page.getByText('Old answer.').waitFor();
  await page.getByRole('link', { name: 'Open it' }).click();
  await page.getByRole('heading', { name: 'Where it began' }).waitFor();
  await until(() => expect(page.url()).toContain(OTHER_ID));
});

test('a teammate is shown with name, state and last message', async () => {
  const { session, messages } = makeTalk();
  const parts = { subagents: [TEAMMATE] };
  const data = createMemoryData({ sessions: [session], messages: new Map([[TALK_ID, messages]]), parts });
  const { page } = await pages.open(await pages.serve(data), TALK);
  const row = page.locator('[data-kind=agent]');
  await row.getByText('ada').waitFor();
  await row.getByText('Said inside the sub-agent.').waitFor();
  await until(async () => expect(await row.textContent()).toContain('running'));
  await until(async () => expect(await row.textContent()).toContain('opus 4.5'));
});

const TEAMMATE = makeSubagent({
  spawning_tool_use_id: 'call-3',
  agent_type: 'reviewer',
  agent_name: 'ada',
  team_name: 'harbour',
  description: 'Review the timetable',
  model: 'claude-opus-4-5',
  status: 'running',
});
