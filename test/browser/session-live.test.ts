import { expect, test } from 'vitest';
import type { MessageRow } from '../../src/api/transcript.ts';
import { until } from '../support/until.ts';
import { human, model, TALK_ID } from './support/conversation.ts';
import { createLiveStub, type LiveStub } from './support/live-stub.ts';
import { makeBlock, makeMessage, makeSession } from './support/make-rows.ts';
import { createMemoryData } from './support/memory-data.ts';
import { scrollTop, useSessionPages } from './support/session-pages.ts';
import { expectClean } from './support/suite.ts';

const pages = useSessionPages();
const SESSION = makeSession({ id: TALK_ID, lifecycle: 'capturing' });

const says = (text: string) => model([makeBlock({ block_type: 'text', content_text: text })]);
const turns = (count: number): Partial<MessageRow>[] =>
  Array.from({ length: count }, (_, at) => [
    human(`Question ${at}`),
    says(`Answer ${at}. ${'More. '.repeat(300)}`),
  ]).flat();

/** A running session grows in place; a reader who has scrolled up sees how much is new. */
function runningSession(start: readonly Partial<MessageRow>[]) {
  const live: LiveStub = createLiveStub();
  const messages = start.map((part, ordinal) => makeMessage({ ...part, ordinal }));
  const rows = new Map<string, readonly MessageRow[]>([[TALK_ID, messages]]);
  live.tellChange(SESSION, messages);
  const put = (next: readonly MessageRow[]) => {
    rows.set(TALK_ID, next);
    live.tellChange(SESSION, next);
  };
  return {
    data: { ...createMemoryData({ sessions: [SESSION], messages: rows }), live: live.source },
    isFollowed: () => until(() => expect(live.followers()).toBe(1)),
    add: (...parts: readonly Partial<MessageRow>[]) => {
      const known = rows.get(TALK_ID) ?? [];
      put([...known, ...parts.map((part, at) => makeMessage({ ...part, ordinal: known.length + at }))]);
    },
    /** The last message has grown. */
    change: (part: Partial<MessageRow>) => {
      const known = rows.get(TALK_ID) ?? [];
      put([...known.slice(0, -1), makeMessage({ ...part, ordinal: known.length - 1 })]);
    },
  };
}

test('a running session grows in place and is followed while its end is in view', async () => {
  const session = runningSession(turns(6));
  const server = await pages.serve(session.data);
  const tab = await pages.open(server, `/session/${TALK_ID}`);
  const { page } = tab;
  await session.isFollowed();
  await page.keyboard.press('End');
  await page.getByText('Answer 5.').waitFor();
  session.add(human('And now?'), says('This came while you were reading.'));
  await page.getByText('This came while you were reading.').waitFor();
  await until(async () => expect(await page.getByText('This came while you were reading.').isVisible()).toBe(true));
  session.change(model([makeBlock({ block_type: 'text', content_text: 'This came a moment later.' })]));
  await page.getByText('This came a moment later.').waitFor();
  for (let at = 0; at < 3; at += 1) session.add(human(`More ${at}`), says(`Text ${at}. ${'Long. '.repeat(400)}`));
  await until(async () => expect(await page.getByText('Text 2.').isVisible()).toBe(true));
  expect(await page.getByText(/new items? below/).count()).toBe(0);
  expectClean(tab, server);
});

test('a reader above the end stays in place: new items are counted, and a click leads to them', async () => {
  const session = runningSession(turns(12));
  const server = await pages.serve(session.data);
  const { page } = await pages.open(server, `/session/${TALK_ID}?at=8`);
  await session.isFollowed();
  await page.locator('[data-current]').getByText('Question 4').waitFor();
  await page.getByText('Answer 4.').waitFor();
  const top = await scrollTop(page);
  session.add(human('And now?'), says('This came while you were reading.'));
  await page.getByRole('button', { name: '2 new items below' }).waitFor();
  expect(await scrollTop(page)).toBe(top);
  await page.getByRole('button', { name: '2 new items below' }).click();
  await until(async () => expect(await page.getByText('This came while you were reading.').isVisible()).toBe(true));
  await page.getByRole('button', { name: /new items? below/ }).waitFor({ state: 'detached' });
});

test('reports no new items below in a session that fits on the screen, or while only its agents continue', async () => {
  const short = runningSession([human('Question'), says('Answer.')]);
  const { page } = await pages.open(await pages.serve(short.data), `/session/${TALK_ID}`);
  await short.isFollowed();
  short.add(human('And now?'), says('It fits.'));
  await page.getByText('It fits.').waitFor();
  expect(await page.getByText(/new items? below/).count()).toBe(0);

  const long = runningSession(turns(12));
  const tab = await pages.open(await pages.serve(long.data), `/session/${TALK_ID}?at=8`);
  await long.isFollowed();
  await tab.page.getByText('Answer 4.').waitFor();
  long.add({ ...says('An agent says this.'), agent_id: 'a' }, human('And now?'));
  await tab.page.getByRole('button', { name: '1 new item below' }).waitFor();
});

test('a call without a result is running while its session is, and has no result afterwards', async () => {
  const use = makeBlock({
    block_type: 'tool_use',
    tool_name: 'Bash',
    tool_use_id: 'call-1',
    tool_input: { command: 'npm run slow' },
  });
  const start = [human('Run the tests.'), model([use])];
  const running = await pages.serve(runningSession(start).data);
  const { page } = await pages.open(running, `/session/${TALK_ID}`);
  await page.getByRole('button', { name: /npm run slow running/ }).click();
  await page.getByText('Still running.').waitFor();
  const messages = start.map((part, ordinal) => makeMessage({ ...part, ordinal }));
  const ended = await pages.serve(
    createMemoryData({ sessions: [makeSession({ id: TALK_ID })], messages: new Map([[TALK_ID, messages]]) }),
  );
  const after = await pages.open(ended, `/session/${TALK_ID}`);
  await after.page.getByRole('button', { name: /npm run slow no result/ }).waitFor();
  expect(await after.page.getByText('Still running.').count()).toBe(0);
});
