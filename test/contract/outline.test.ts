import { describe, expect, it } from 'vitest';
import type { Outline } from '../../src/api/outline.ts';
import { ITEM_FLAGS } from '../../src/domain/outline.ts';
import { createTalk, text, toolUse } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { useProgram } from '../support/use-program.ts';

const USAGE = { input: 7, output: 2 };
const ID = 'abababab-2222-4333-8444-555555555555';

/** The items as objects, with names for kinds. */
function itemsOf({ items, kinds }: Outline) {
  return items.ordinal.map((ordinal, at) => ({
    ordinal,
    block: items.block[at],
    kind: kinds[items.kind[at] as number],
    turn: items.turn[at],
    flags: items.flags[at],
    result: items.result[at],
  }));
}

describe.each(PROGRAMS)('outline, on $name', ({ create }) => {
  const used = useProgram(create);

  const read = async (lines: readonly object[]) => {
    used.home.write(`-home-ada-shop/${ID}.jsonl`, lines);
    await used.app.importNew();
    return used.app.get('/sessions/:id/outline', { params: { id: ID } });
  };

  it('lists prompts, answers and calls, but no blank texts and no results shown with their call', async () => {
    const talk = createTalk(ID);
    const outline = await read([
      talk.user('Where does the ferry go?'),
      talk.assistant('msg_1', { type: 'thinking', thinking: '', signature: 'x' }, USAGE),
      talk.assistant('msg_1', text(' \n'.repeat(40)), USAGE),
      talk.assistant('msg_1', text('I will look.'), USAGE),
      talk.assistant('msg_1', toolUse('call_1', 'Bash', { command: 'cat ferry' }), USAGE),
      talk.result('call_1', 'No such file', true),
      talk.assistant('msg_2', toolUse('call_2', 'Read', { file_path: '/ferry' }), USAGE),
      talk.result('call_2', 'Helgoland'),
      talk.assistant('msg_3', text(`${' '.repeat(100)}To Helgoland.`), USAGE),
      talk.user('And back?'),
      talk.assistant('msg_4', toolUse('call_3', 'mcp__harbour__ask', {}), USAGE),
    ]);
    expect(itemsOf(outline)).toEqual([
      { ordinal: 0, block: -1, kind: 'prompt', turn: 0, flags: 0, result: -1 },
      { ordinal: 1, block: 2, kind: 'answer', turn: 0, flags: 0, result: -1 },
      { ordinal: 1, block: 3, kind: 'run', turn: 0, flags: ITEM_FLAGS.error, result: 2 },
      { ordinal: 3, block: 0, kind: 'read', turn: 0, flags: 0, result: 4 },
      { ordinal: 5, block: 0, kind: 'answer', turn: 0, flags: 0, result: -1 },
      { ordinal: 6, block: -1, kind: 'prompt', turn: 1, flags: 0, result: -1 },
      { ordinal: 7, block: 0, kind: 'mcp', turn: 1, flags: ITEM_FLAGS.unfinished, result: -1 },
    ]);
    expect(outline.items.context).toEqual([null, 117, null, 117, 117, null, 117]);
    expect(outline.items.size[2]).toBeGreaterThan('No such file'.length);
    expect(outline.turns).toMatchObject({
      ordinal: [0, 6],
      last_ordinal: [5, 7],
      answer_ordinal: [5, -1],
      excerpt: ['Where does the ferry go?', 'And back?'],
      tool_calls: [2, 1],
      tool_errors: [1, 0],
      parent: [-1, 0],
      branch: [0, 0],
      model: ['claude-opus-4-6', 'claude-opus-4-6'],
      commits: [0, 0],
    });
    const { turns } = await used.app.get('/sessions/:id/turns', { params: { id: ID }, query: { limit: 10 } });
    expect(outline.turns.cost).toEqual(turns.map(({ cost_nanos }) => cost_nanos));
    expect(outline.items.cost.reduce<number>((sum, cost) => sum + (cost ?? 0), 0)).toBe(
      turns.reduce((sum, { cost_nanos }) => sum + (cost_nanos ?? 0), 0),
    );
  });

  it('gets a new revision when the session grows', async () => {
    const talk = createTalk(ID);
    const first = await read([talk.user('One?')]);
    used.home.append(`-home-ada-shop/${ID}.jsonl`, [talk.assistant('msg_1', text('Two.'), USAGE)]);
    await used.app.importNew();
    const second = await used.app.get('/sessions/:id/outline', { params: { id: ID } });
    expect(second.revision).not.toBe(first.revision);
    expect(itemsOf(second).map(({ kind }) => kind)).toEqual(['prompt', 'answer']);
  });

  it('does not price turns copied from another session, and counts answers without visible content', async () => {
    const talk = createTalk(ID);
    const first = [
      talk.user('Where does the ferry go?'),
      talk.assistant('msg_1', text('To Helgoland.'), USAGE),
      talk.user('When?'),
      talk.assistant('msg_2', { type: 'thinking', thinking: '', signature: 'x' }, USAGE),
    ];
    const own = await read(first);
    const fork = 'cdcdcdcd-2222-4333-8444-555555555555';
    const copied = first.map((line) => ({ ...line, sessionId: fork, forkedFrom: { sessionId: ID } }));
    const added = createTalk(fork);
    used.home.write(`-home-ada-shop/${fork}.jsonl`, [
      ...copied,
      { ...added.user('And back?'), parentUuid: Reflect.get(first.at(-1) ?? {}, 'uuid') },
      added.assistant('msg_3', text('At noon.'), USAGE),
    ]);
    await used.app.importNew();
    const outline = await used.app.get('/sessions/:id/outline', { params: { id: fork } });
    const price = own.turns.cost[0] ?? 0;
    expect(price).toBeGreaterThan(0);
    expect([own.turns.cost, outline.turns.cost]).toEqual([
      [price, price],
      [null, null, price],
    ]);
  });
});
