import { describe, expect, it } from 'vitest';
import { createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { useProgram } from '../support/use-program.ts';

const USAGE = { input: 7, output: 2 };
const OLD = 'abababab-2222-4333-8444-555555555555';
const FORK = 'cdcdcdcd-2222-4333-8444-555555555555';

describe.each(PROGRAMS)('relatives, on $name', ({ create }) => {
  const world = useProgram(create);

  const read = async (id: string) => (await world.app.get('/sessions/:id/relatives', { params: { id } })).relatives;

  it('names the other session on both sides of a fork, and the last message they share', async () => {
    const talk = createTalk(OLD);
    const lines = [
      talk.user('Where does the ferry go?'),
      talk.assistant('msg_1', text('To Helgoland.'), USAGE),
      talk.user('When?'),
      talk.assistant('msg_2', text('At noon.'), USAGE),
    ];
    world.home.write(`-home-ada-shop/${OLD}.jsonl`, lines);
    const shared = lines.slice(0, 2).map((line) => ({ ...line, sessionId: FORK, forkedFrom: { sessionId: OLD } }));
    const added = createTalk(FORK);
    world.home.write(`-home-ada-shop/${FORK}.jsonl`, [
      ...shared,
      { ...added.user('And back?'), parentUuid: Reflect.get(shared.at(-1) ?? {}, 'uuid') },
      added.assistant('msg_3', text('In the evening.'), USAGE),
    ]);
    await world.app.importNew();
    const both = { lines: 2, at_ordinal: 1 };
    expect(await read(FORK)).toMatchObject([
      { ...both, session_id: OLD, is_origin: true, title: 'Where does the ferry go?' },
    ]);
    expect(await read(OLD)).toMatchObject([{ ...both, session_id: FORK, is_origin: false }]);
  });

  it('is empty for a session without relatives, and keeps links to sessions that are not stored', async () => {
    const talk = createTalk(OLD);
    world.home.write(`-home-ada-shop/${OLD}.jsonl`, [talk.user('Alone?')]);
    const added = createTalk(FORK);
    world.home.write(`-home-ada-shop/${FORK}.jsonl`, [
      { ...added.user('Copied'), forkedFrom: { sessionId: 'efefefef-2222-4333-8444-555555555555', messageUuid: 'x' } },
      added.user('Own'),
    ]);
    await world.app.importNew();
    expect(await read(OLD)).toEqual([]);
    expect(await read(FORK)).toMatchObject([{ is_origin: true, title: null, started_at: null }]);
  });
});
