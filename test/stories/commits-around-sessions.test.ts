import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { createGitSandbox, type GitSandbox } from '../support/git-sandbox.ts';
import { PROGRAMS } from '../support/programs.ts';

const ID = '11111111-2222-4333-8444-555555555555';

/** The lines of `createTalk` start at 10:00:00 on 1 November 2026. */
describe.each(PROGRAMS)('commits around sessions ($name)', ({ create }) => {
  let box: GitSandbox;
  let repository: string;

  beforeEach(() => {
    box = createGitSandbox();
    box.at('2026-10-01T10:00:00Z');
    repository = box.init('shop');
    box.git(repository, 'remote', 'add', 'origin', 'https://github.com/ada/shop.git');
  });
  afterEach(() => box[Symbol.dispose]());

  const messages = async (app: App) => {
    const { items } = await app.get('/timeline', { query: { limit: 100, types: ['git'] } });
    return items.flatMap((item) => (item.kind === 'git' ? [[item.workspace_name, item.git_activity.message]] : []));
  };

  // Regression: a repository was never read again once its sessions were imported.
  it.each([{ rowsOnly: false }, { rowsOnly: true }])(
    'made after the import are found by the next one, %o',
    async (how) => {
      using home = createClaudeHome();
      home.write(`-shop/${ID}.jsonl`, [{ ...createTalk(ID).user('Please go on.'), cwd: repository }]);
      await using program = await create(home.path);
      await using app = await program.open();
      await app.importNew();
      expect((await app.get('/sessions/:id/git', { params: { id: ID }, query: { limit: 10 } })).git_activity).toEqual(
        [],
      );
      expect(await messages(app)).toEqual([]);

      box.at('2026-11-01T10:05:00Z');
      box.commit(repository, 'just-after');
      box.at('2026-11-02T09:00:00Z');
      box.commit(repository, 'next-day');
      await app.importNew(how);
      expect(
        (await app.get('/sessions/:id/git', { params: { id: ID }, query: { limit: 10 } })).git_activity,
      ).toMatchObject([{ message: 'add just-after', linked_by: 'folder', relation: 'after', files_changed: 1 }]);
      expect(await messages(app)).toEqual([['shop', 'add next-day']]);
    },
  );

  // Regression: commands ignored a repository that no import had read.
  it('are found when the first import was stopped before it reached the repository', async () => {
    using home = createClaudeHome();
    home.write(`-shop/${ID}.jsonl`, [{ ...createTalk(ID).user('Please go on.'), cwd: repository }]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    await app.store.engine.kysely.deleteFrom('repository_looks').execute();
    box.at('2026-11-01T10:05:00Z');
    box.commit(repository, 'just-after');
    await app.importNew({ rowsOnly: true });
    expect(
      (await app.get('/sessions/:id/git', { params: { id: ID }, query: { limit: 10 } })).git_activity,
    ).toMatchObject([{ relation: 'after' }]);
  });

  it('without a log are found once the grace period of the session is over', async () => {
    using home = createClaudeHome();
    box.git(repository, 'config', 'core.logAllRefUpdates', 'false');
    box.git(repository, 'config', 'user.email', 'ada@example.org');
    box.git(repository, 'reflog', 'expire', '--expire=all', '--all');
    home.write(`-shop/${ID}.jsonl`, [{ ...createTalk(ID).user('Please go on.'), cwd: repository }]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const { kysely } = app.store.engine;
    const endedAt = '2026-11-15T11:40:00.000Z';
    await kysely.updateTable('sessions').set({ ended_at: endedAt }).execute();
    await kysely.updateTable('session_steps').set({ finished_at: '2026-11-15T11:41:00.000Z' }).execute();
    box.at('2026-11-15T11:45:00Z');
    box.commit(repository, 'just-after');
    await app.importNew();
    expect(
      (await app.get('/sessions/:id/git', { params: { id: ID }, query: { limit: 10 } })).git_activity,
    ).toMatchObject([{ message: 'add just-after' }]);
  });
});
