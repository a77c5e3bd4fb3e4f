import { describe, expect, it } from 'vitest';
import { createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';

const USAGE = { input: 10, output: 100 };
const ID = 'aaaaaaaa-1111-4111-8111-111111111111';
const FORK = 'bbbbbbbb-1111-4111-8111-111111111111';
const url = (repository: string, number: number) => `https://github.com/${repository}/pull/${number}`;
const link = (repository: string, number: number) => ({
  type: 'pr-link',
  prNumber: number,
  prUrl: url(repository, number),
  prRepository: repository,
  sessionId: ID,
});

function talkAboutPullRequests() {
  const talk = createTalk(ID, { prefix: 'p' });
  let calls = 0;
  const run = (command: string, output: string, more: object = {}) => {
    const id = `toolu_${++calls}`;
    const isError = 'isError' in more;
    const result = { ...talk.result(id, output, isError), ...('gitOperation' in more ? { toolUseResult: more } : {}) };
    return [talk.assistant(`msg_${calls}`, toolUse(id, 'Bash', { command }), USAGE), result];
  };
  return [
    talk.user('Open the pull requests.'),
    ...run('gh pr create --fill', `Creating pull request for x into main in ada/shop\n\n${url('ada/shop', 7)}`),
    ...run(
      'cd ../ledger && gh pr create --fill; gh pr create --draft',
      `${url('ada/ledger', 7)}\n${url('ada/ledger', 8)}`,
    ),
    ...run('gh pr create', url('ada/shop', 9), {
      gitOperation: { pr: { number: 9, url: url('ada/shop', 9), action: 'created' } },
    }),
    ...run('gh pr create', `a pull request already exists:\n${url('ada/shop', 10)}`, { isError: true }),
    ...run('gh pr view 11', url('ada/shop', 11)),
    ...run('echo "gh pr create"', url('ada/shop', 12)),
    link('ada/shop', 7),
    talk.assistant('msg_last', text('All are open.'), USAGE),
  ];
}

describe.each(PROGRAMS)('pull requests that were only printed, on $name', ({ create }) => {
  it('are in the list, the filters, the costs and the narrative', async () => {
    using home = createClaudeHome();
    const lines = talkAboutPullRequests();
    home.write(`-home-ada-shop/${ID}.jsonl`, lines);
    const fork = createTalk(FORK, { startedAt: '2026-11-02T10:00:00.000Z' });
    const copied = lines.filter(({ type }) => type !== 'pr-link').map((line) => ({ ...line, sessionId: FORK }));
    home.write(`-home-ada-shop/${FORK}.jsonl`, [
      ...copied,
      fork.user('And now?'),
      fork.assistant('msg_fork', text('Nothing.'), USAGE),
    ]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();

    const named = (repository: string, number: number) => ({ repository, number, url: url(repository, number) });
    const page = async (query: { limit: number; after?: number }, id = ID) =>
      app.get('/sessions/:id/pull-requests', { params: { id }, query });
    const all = [
      { position: 0, ...named('ada/shop', 7) },
      { position: 1, ...named('ada/ledger', 7) },
      { position: 2, ...named('ada/ledger', 8) },
      { position: 3, ...named('ada/shop', 9) },
    ];
    expect(await page({ limit: 10 })).toEqual({ pull_requests: all, next_after: null });
    expect(await page({ limit: 3 })).toEqual({ pull_requests: all.slice(0, 3), next_after: 2 });
    expect(await page({ limit: 3, after: 2 })).toEqual({ pull_requests: all.slice(3), next_after: null });
    // A fork repeats the calls of the session it continues, but did not create their pull requests.
    expect(await page({ limit: 10 }, FORK)).toEqual({ pull_requests: [], next_after: null });

    const list = async (query: Readonly<Record<string, string>>) =>
      (await app.get('/sessions', { query: { limit: 50, ...query } })).sessions.map(({ id }) => id);
    expect(await list({ has: 'pr' })).toEqual([ID]);
    expect(await list({ pr: '8' })).toEqual([ID]);
    expect(await list({ pr: '9' })).toEqual([ID]);
    expect(await list({ pr: '11' })).toEqual([]);

    const { rows } = await app.get('/cost', { query: { by: 'pr', zone: 'UTC' } });
    expect(rows.map(({ label }) => label).toSorted()).toEqual(['(none)', 'ada/ledger#7, #8, ada/shop#7, #9']);

    const { git_activity } = await app.get('/sessions/:id/git', { params: { id: ID }, query: { limit: 20 } });
    const activity = git_activity.map(({ type, data }) => `${type} ${JSON.stringify(data['number'])}`);
    expect(activity.toSorted()).toEqual(['pr 7', 'pr 7', 'pr 8', 'pr 9']);
    const { summary } = await app.get('/sessions/:id', { params: { id: ID } });
    expect(summary).toContain('pull request ada/shop#7');
    expect(summary).toContain('pull request ada/ledger#7');
  });
});
