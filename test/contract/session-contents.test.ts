import { describe, expect, it } from 'vitest';
import { UNDATED } from '../../src/domain/session.ts';
import { createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { useProgram } from '../support/use-program.ts';

const USAGE = { input: 1, output: 2 };
const idOf = (letter: string) => `${letter.repeat(8)}-2222-4333-8444-555555555555`;
const FOLDER = '-home-ada-shop';

/** A conversation from a client that wrote summary lines; its last answer has two lines. */
function chat(letter: string, startedAt: string) {
  const talk = createTalk(idOf(letter), { startedAt, prefix: letter });
  return [
    talk.user(`Question ${letter}?`),
    talk.assistant(`msg_${letter}`, text('First.'), USAGE),
    talk.assistant(`msg_${letter}`, text('Second.'), USAGE),
  ].map((line) => ({ ...line, version: '2.1.20' }));
}

describe.each(PROGRAMS)('contents of sessions, on $name', ({ create }) => {
  const used = useProgram(create);

  const put = (letter: string, lines: readonly object[], folder = FOLDER) =>
    used.home.write(`${folder}/${idOf(letter)}.jsonl`, lines);
  const list = async (all = false) => {
    const { sessions, hidden } = await used.app.get('/sessions', { query: { all, limit: 50 } });
    return { shown: sessions.map(({ id }) => id.slice(0, 1)).join(''), hidden };
  };
  const row = async (letter: string) =>
    (await used.app.get('/sessions', { query: { all: true, limit: 50 } })).sessions.find(
      ({ id }) => id === idOf(letter),
    );

  const titled = () => {
    const lines = chat('a', '2026-01-10T10:00:00.000Z');
    return { lines, summary: { type: 'summary', summary: 'Where the ferry goes', leafUuid: lines.at(-1)?.uuid } };
  };

  it('a title from a sibling file is used in any order of parsing; a file with only titles is no session', async () => {
    const { lines, summary } = titled();
    put('t', [summary, { type: 'summary', summary: 'About nothing we have', leafUuid: 'x' }]);
    await used.app.importNew();
    expect(await list(true)).toEqual({ shown: '', hidden: 0 });
    put('a', lines);
    await used.app.importNew();
    expect((await row('a'))?.title).toBe('Where the ferry goes');

    const other = chat('b', '2026-01-11T10:00:00.000Z');
    put('b', other);
    await used.app.importNew();
    expect((await row('b'))?.title).not.toBe('Harbour fees');
    put('c', [
      { type: 'summary', summary: 'Harbour fees', leafUuid: other.at(-1)?.uuid },
      ...chat('c', '2026-01-12T10:00:00.000Z'),
    ]);
    await used.app.importNew();
    expect((await row('b'))?.title).toBe('Harbour fees');
    expect((await row('c'))?.title).not.toBe('Harbour fees');
    expect((await used.app.get('/status')).sessions).toBe(3);
  });

  it('a file with only titles is not among the sessions that are not indexed yet', async () => {
    const { lines, summary } = titled();
    put('t', [summary]);
    put('a', lines);
    await used.app.importNew({ rowsOnly: true });
    const { sessions, import: progress } = await used.app.get('/status');
    expect([sessions, progress.sessions_to_index]).toEqual([1, 1]);
  });

  it('a session’s own title is preferred to one from a sibling file', async () => {
    const { lines, summary } = titled();
    put('a', [...lines, { type: 'custom-title', customTitle: 'My own', sessionId: idOf('a') }]);
    put('t', [summary]);
    await used.app.importNew();
    expect((await row('a'))?.title).toBe('My own');
  });

  it('sessions-index.json provides title, branch, folder and times missing from the lines', async () => {
    const entry = {
      sessionId: idOf('d'),
      summary: 'Listed title',
      gitBranch: 'winter',
      projectPath: '/home/ada/listed',
      created: '2026-01-05T10:00:00.000Z',
      modified: '2026-01-05T11:00:00.000Z',
    };
    const index = { version: 1, entries: [entry, { ...entry, sessionId: idOf('a') }] };
    used.home.write(`${FOLDER}/sessions-index.json`, JSON.stringify(index));
    put('d', [{ type: 'user', uuid: 'x1', message: { role: 'user', content: 'Which one?' } }]);
    put('a', chat('a', '2026-01-10T10:00:00.000Z'));
    await used.app.importNew();
    expect(await row('d')).toMatchObject({
      title: 'Listed title',
      git_branch: 'winter',
      cwd: '/home/ada/listed',
      started_at: '2026-01-05T10:00:00.000Z',
      ended_at: '2026-01-05T11:00:00.000Z',
    });
    expect(await row('a')).toMatchObject({ title: 'Listed title', git_branch: 'main', cwd: '/home/ada/shop' });
  });

  it('a session without timestamps is listed last and is not live', async () => {
    put('u', [{ type: 'user', uuid: 'x1', message: { role: 'user', content: 'When?' } }]);
    put('a', chat('a', '2026-01-10T10:00:00.000Z'));
    await used.app.importNew();
    expect((await list()).shown).toBe('au');
    expect(await row('u')).toMatchObject({
      started_at: UNDATED,
      ended_at: null,
      lifecycle: expect.not.stringMatching('capturing'),
    });
  });

  it('sessions without a prompt are hidden and counted, in the list and in its totals', async () => {
    const agent = createTalk(idOf('w'), { prefix: 'w' });
    const warmUp = [agent.user('Warmup'), agent.assistant('msg_w', text('Ready.'), USAGE)];
    used.home.write(
      `${FOLDER}/${idOf('w')}/subagents/agent-a1.jsonl`,
      warmUp.map((line) => ({ ...line, isSidechain: true, agentId: 'a1' })),
    );
    put('m', [{ type: 'mode', mode: 'normal', sessionId: idOf('m') }]);
    put('s', [
      {
        ...createTalk(idOf('s'), { prefix: 's' }).user(
          '<command-name>/review</command-name><command-args>src</command-args>',
        ),
      },
    ]);
    put('a', chat('a', '2026-01-10T10:00:00.000Z'));
    await used.app.importNew();
    expect(await list()).toEqual({ shown: 'sa', hidden: 2 });
    expect(await list(true)).toMatchObject({ shown: expect.stringMatching(/^[swam]{4}$/), hidden: 0 });
    expect((await used.app.get('/sessions', { query: { branch: 'main', model: 'claude', limit: 50 } })).hidden).toBe(1);
    expect((await used.app.get('/search', { query: { q: 'model:claude-opus-4-6', limit: 10 } })).sessions).toHaveLength(
      1,
    );
    expect(
      (await used.app.get('/timeline', { query: { limit: 10 } })).items.filter((item) => 'session' in item),
    ).toHaveLength(2);
  });
});
