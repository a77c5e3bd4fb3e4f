import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';

const USAGE = { input: 7, output: 2 };
const OLD = 'abababab-2222-4333-8444-555555555555';
const FORK = 'cdcdcdcd-2222-4333-8444-555555555555';

describe.each(PROGRAMS)('relatives, on $name', ({ create }) => {
  let home: ClaudeHome;
  let program: Awaited<ReturnType<typeof create>>;
  let app: App;

  beforeEach(async () => {
    home = createClaudeHome();
    program = await create(home.path);
    app = await program.open();
  });
  afterEach(async () => {
    await app.close();
    await program[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  const read = async (id: string) => (await app.get('/sessions/:id/relatives', { params: { id } })).relatives;

  it('names the other session on both sides of a fork, and the last message they share', async () => {
    const talk = createTalk(OLD);
    const lines = [
      talk.user('Where does the ferry go?'),
      talk.assistant('msg_1', text('To Helgoland.'), USAGE),
      talk.user('When?'),
      talk.assistant('msg_2', text('At noon.'), USAGE),
    ];
    home.write(`-home-ada-shop/${OLD}.jsonl`, lines);
    const shared = lines.slice(0, 2).map((line) => ({ ...line, sessionId: FORK, forkedFrom: { sessionId: OLD } }));
    const added = createTalk(FORK);
    home.write(`-home-ada-shop/${FORK}.jsonl`, [
      ...shared,
      { ...added.user('And back?'), parentUuid: Reflect.get(shared.at(-1) ?? {}, 'uuid') },
      added.assistant('msg_3', text('In the evening.'), USAGE),
    ]);
    await app.importNew();
    const both = { lines: 2, at_ordinal: 1 };
    expect(await read(FORK)).toMatchObject([
      { ...both, session_id: OLD, is_origin: true, title: 'Where does the ferry go?' },
    ]);
    expect(await read(OLD)).toMatchObject([{ ...both, session_id: FORK, is_origin: false }]);
  });

  it('has nothing to say about a session on its own, and keeps links to sessions that are not stored', async () => {
    const talk = createTalk(OLD);
    home.write(`-home-ada-shop/${OLD}.jsonl`, [talk.user('Alone?')]);
    const added = createTalk(FORK);
    home.write(`-home-ada-shop/${FORK}.jsonl`, [
      { ...added.user('Copied'), forkedFrom: { sessionId: 'efefefef-2222-4333-8444-555555555555', messageUuid: 'x' } },
      added.user('Own'),
    ]);
    await app.importNew();
    expect(await read(OLD)).toEqual([]);
    expect(await read(FORK)).toMatchObject([{ is_origin: true, title: null, started_at: null }]);
  });
});
