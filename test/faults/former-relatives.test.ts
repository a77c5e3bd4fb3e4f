import { describe, expect, it } from 'vitest';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';

const OWNER = '11111111-2222-4333-8444-555555555555';
const COPY = '22222222-2222-4333-8444-555555555555';

// Kills a mutant that forgot the former relatives of a session.
describe.each(PROGRAMS)('a session that no longer has the messages another one copied, on $name', ({ create }) => {
  it('leaves them to the other one', async () => {
    using claude = createClaudeHome();
    const shared = createTalk(OWNER, { prefix: 'shared-' });
    const question = shared.user('What is left?');
    const answer = shared.assistant('msg_shared', text('This.'), { input: 100, output: 10 });
    const own = shared.assistant('msg_own', text('And more.'), { input: 7, output: 1 });
    claude.write(`-w/${OWNER}.jsonl`, [question, answer, own]);
    const copies = [question, answer].map((line) => ({ ...line, sessionId: COPY }));
    const later = createTalk(COPY, { prefix: 'later-', startedAt: '2026-11-14T12:00:00.000Z' });
    claude.write(`-w/${COPY}.jsonl`, [...copies, later.user('Go on.')]);
    await using program = await create(claude.path);
    await using app = await program.open();
    await app.importNew();
    const tokens = async () => {
      const rows = await app.store.engine.kysely.selectFrom('sessions').select(['id', 'tokens_in']).execute();
      return Object.fromEntries(rows.map(({ id, tokens_in }) => [id, Number(tokens_in)]));
    };
    expect(await tokens()).toEqual({ [OWNER]: 107, [COPY]: 0 });
    const alone = createTalk(OWNER, { prefix: 'alone-' });
    claude.write(`-w/${OWNER}.jsonl`, [
      alone.user('Something else.'),
      alone.assistant('msg_alone', text('Fine.'), { input: 5, output: 1 }),
    ]);
    await app.importNew();
    expect(await tokens()).toEqual({ [OWNER]: 5, [COPY]: 100 });
  });
});
