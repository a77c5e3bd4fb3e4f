import { utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outline } from '../../src/api/outline.ts';
import type { App } from '../../src/app/open-app.ts';
import { createOutlineReader } from '../../src/app/outline.ts';
import { ITEM_FLAGS } from '../../src/domain/outline.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { countDatabaseWork } from '../support/count-database-work.ts';
import { growOutline } from '../support/grow-outline.ts';
import { PROGRAMS } from '../support/programs.ts';

const USAGE = { input: 7, output: 2 };
const ID = 'efefefef-2222-4333-8444-555555555555';
const PATH = `-home-ada-shop/${ID}.jsonl`;

describe.each(PROGRAMS)('outline of a running session, on $name', ({ create }) => {
  let home: ClaudeHome;
  let program: Awaited<ReturnType<typeof create>>;
  let app: App;
  let last: Outline | null;

  beforeEach(async () => {
    home = createClaudeHome();
    program = await create(home.path);
    app = await program.open();
    last = null;
  });
  afterEach(async () => {
    await app.close();
    await program[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  const freshOutline = () => app.store.engine.snapshot((tx) => createOutlineReader(app.store.engine)(tx, ID));

  /** Appends lines and reads the outline incrementally, like the page. Returns the response. */
  const grow = async (lines: readonly object[], path = PATH): Promise<Outline> => {
    home.append(path, lines);
    utimesSync(`${home.path}/projects/${path}`, new Date(), new Date());
    await app.importNew();
    const since = last?.revision;
    const sent = await app.get('/sessions/:id/outline', {
      params: { id: ID },
      query: since === undefined ? {} : { since },
    });
    last = growOutline(last, sent);
    expect(last).toEqual(await freshOutline());
    return sent;
  };

  it('grows with late results, abandoned branches, continued messages and sub-agents', async () => {
    const talk = createTalk(ID);
    const old = Array.from({ length: 20 }, (_, at) => [
      talk.user(`Question ${at}?`),
      talk.assistant(`msg_old_${at}`, text(`Answer ${at}.`), USAGE),
    ]).flat();
    expect((await grow(old)).since).toBeNull();
    const asked = talk.user('Go.');
    const call = await grow([asked, talk.assistant('msg_1', toolUse('call_1', 'Agent', { prompt: 'Look.' }), USAGE)]);
    expect(call.since).toMatchObject({ items: { kept: 40, changed: [] } });
    expect(call.items.flags.at(-1)).toBe(ITEM_FLAGS.unfinished);
    // The same answer gets another block.
    await grow([talk.assistant('msg_1', toolUse('call_2', 'Bash', { command: 'ls' }), USAGE)]);
    const late = await grow([talk.result('call_2', 'x', true), talk.result('call_1', 'All is well.')]);
    expect(late.since?.items.changed).toEqual([41, 42]);
    expect(late.items.flags).toEqual([0, ITEM_FLAGS.error]);
    await grow([talk.assistant('msg_2', text('Done.'), USAGE)]);
    // The prompt is edited and sent again, so the turn above is left behind.
    const again = { ...talk.user('Go on.'), parentUuid: Reflect.get(asked, 'parentUuid') as string };
    const rewound = await grow([again, talk.assistant('msg_3', text('Gone.'), USAGE)]);
    expect(rewound.since).not.toBeNull();
    expect(last?.items.flags.filter((flags) => (flags & ITEM_FLAGS.abandoned) !== 0)).toHaveLength(4);
    const side = createTalk(ID, { prefix: 'a' });
    const ofAgent = (line: object) => ({ ...line, isSidechain: true, agentId: 'a1' });
    const agentPath = `-home-ada-shop/${ID}/subagents/agent-a1.jsonl`;
    await grow([ofAgent(side.user('Look.')), ofAgent(side.assistant('msg_a', text('I look.'), USAGE))], agentPath);
    await grow([ofAgent(side.assistant('msg_b', text('First.\nAll is well.'), USAGE))], agentPath);
    expect(last?.agents).toMatchObject([{ agent_id: 'a1', last_line: 'All is well.' }]);
    await grow([talk.user('Thanks.')]);
  });

  it('reads only new rows', async () => {
    const talk = createTalk(ID);
    const lines = (count: number) =>
      Array.from({ length: count }, (_, at) => [
        talk.user(`Question ${at}?`),
        talk.assistant(`msg_${count}_${at}`, text(`Answer ${at}.`), USAGE),
      ]).flat();
    await grow(lines(300));
    home.append(PATH, lines(1));
    utimesSync(`${home.path}/projects/${PATH}`, new Date(), new Date());
    await app.importNew();
    const { revision } = last as unknown as Outline;
    const sent = await app.get('/sessions/:id/outline', { params: { id: ID }, query: { since: revision } });
    expect(sent.items.ordinal).toEqual([600, 601]);
    expect(sent.turns.id).toHaveLength(1);
    // Nothing new: an answer without entries.
    const none = await app.get('/sessions/:id/outline', { params: { id: ID }, query: { since: sent.revision } });
    expect(none.since).toMatchObject({ revision: sent.revision, items: { kept: 602, changed: [] } });
    expect(none.items.ordinal).toEqual([]);
    // Unknown revisions get everything.
    const all = await app.get('/sessions/:id/outline', { params: { id: ID }, query: { since: '0.0.0.0' } });
    expect(all).toMatchObject({ since: null });
    expect(all.items.ordinal).toHaveLength(602);
  });

  it.each([20, 160])('reads as few rows after %i turns as after one', async (count) => {
    const talk = createTalk(ID);
    const turn = (at: number) => [
      talk.user(`Question ${at}?`),
      talk.assistant(`msg_${at}`, toolUse(`call_${at}`, 'Bash', { command: 'false' }), USAGE),
      talk.result(`call_${at}`, 'x', true),
    ];
    await grow(Array.from({ length: count }, (_, at) => turn(at)).flat());
    home.append(PATH, turn(count));
    utimesSync(`${home.path}/projects/${PATH}`, new Date(), new Date());
    await app.importNew();
    using work = countDatabaseWork();
    const sent = await app.get('/sessions/:id/outline', { params: { id: ID }, query: { since: last?.revision ?? '' } });
    expect(sent.turns.id).toHaveLength(1);
    // Its messages, blocks, turn, prompt and call, and a few rows about the session.
    expect(work.rows).toBeLessThan(25);
  });

  it('a message that another session counts from now on is read again', async () => {
    const talk = createTalk(ID);
    const first = [talk.user('One?'), talk.assistant('msg_1', text('Two.'), USAGE)];
    await grow(first);
    const other = 'abefefef-2222-4333-8444-555555555555';
    home.write(
      `-home-ada-shop/${other}.jsonl`,
      first.map((line) => ({ ...line, sessionId: other })),
    );
    await grow([talk.user('Three?'), talk.assistant('msg_2', text('Four.'), USAGE)]);
    await grow([talk.user('Five?')]);
    expect(last?.turns.id).toHaveLength(3);
  });
});
