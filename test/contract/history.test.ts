import { describe, expect, it } from 'vitest';
import type { GitActivity } from '../../src/domain/git.ts';
import { filterNode } from '../../src/search/parse-query.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { storeRepositoryActivity } from '../../src/store/queries/git/git-activity.ts';
import { listCommits } from '../../src/store/queries/git/read-git.ts';
import { pageFileHistory } from '../../src/store/queries/transcript/file-history.ts';
import { saveWorkspace } from '../../src/store/queries/workspaces/workspaces.ts';
import type { Store } from '../../src/store/store.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { makeActivity } from '../support/make-activity.ts';
import { PROGRAMS } from '../support/programs.ts';
import { NOW, seedSession } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';

interface Page {
  readonly next_cursor: string | null;
}

async function allPages<P extends Page>(read: (cursor: string | undefined) => Promise<P>): Promise<P[]> {
  const pages: P[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    pages.push(page);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

async function touch({ engine }: Store, session_id: string, paths: readonly string[]): Promise<void> {
  const { revision } = await engine.kysely
    .selectFrom('sessions')
    .select('revision')
    .where('id', '=', session_id)
    .executeTakeFirstOrThrow();
  const counts = { reads: 1, writes: 2, lines_added: 3, lines_removed: 4 };
  const rows = paths.map((path, position) => ({ session_id, revision, position, path, ...counts }));
  await engine.kysely.insertInto('touched_files').values(rows).execute();
  const stale = { session_id, revision: revision + 1, position: 0, path: '/w/stale.ts', ...counts };
  await engine.kysely.insertInto('touched_files').values(stale).execute();
}

describe.each(STORES)('the history of files ($name)', ({ open }) => {
  it('lists every session and file once, newest first, with any page size', async () => {
    await using store = await open();
    for (const [id, startedAt] of [
      ['b', '2026-11-02T10:00:00.000Z'],
      ['a', '2026-11-02T10:00:00.000Z'],
      ['c', '2026-11-01T10:00:00.000Z'],
    ] as const) {
      await seedSession(store, id, startedAt);
      await touch(store, id, ['/w/A.ts', '/w/b_%.ts', '/w/other.md']);
    }
    const read = async (path: string, limit: number) => {
      const pages = await allPages((cursor) => pageFileHistory(store.engine, { path, limit, cursor, all: true }));
      return pages.flatMap(({ touches }) => touches.map(({ session_id, path: one }) => `${session_id} ${one}`));
    };
    const wanted = ['b /w/b_%.ts', 'b /w/A.ts', 'a /w/b_%.ts', 'a /w/A.ts', 'c /w/b_%.ts', 'c /w/A.ts'];
    for (const limit of [1, 2, 5, 6, 100]) expect(await read('.TS', limit)).toEqual(wanted);
    expect(await read('_%', 2)).toEqual(wanted.filter((row) => row.includes('%')));
    expect(await read('stale', 10)).toEqual([]);
    const where = filterNode({ after: '2026-11-02T00:00:00.000Z' }, { now: new Date() });
    const late = await pageFileHistory(store.engine, { path: 'a.ts', limit: 9, where, all: true });
    expect(late.touches).toEqual([
      expect.objectContaining({ session_id: 'b', workspace_name: 'w', reads: 1, writes: 2, lines_added: 3 }),
      expect.objectContaining({ session_id: 'a', session_title: null, lines_removed: 4 }),
    ]);
    const broken = { path: 'a', limit: 1, cursor: 'x', all: true };
    await expect(pageFileHistory(store.engine, broken)).rejects.toThrow('Invalid cursor');
  });
});

const SHOP = { canonicalId: 'github.com/ada/shop', displayName: 'shop' };
const LEDGER = { canonicalId: 'github.com/ada/ledger', displayName: 'ledger' };
const commit = (name: string, day: number, kind: GitActivity['kind'] = 'commit') =>
  makeActivity({
    key: `${kind}:${name}`,
    kind,
    at: `2026-11-0${day}T10:00:00.000Z`,
    sha: name.padEnd(40, '0'),
    message: `Fix 100% of ${name}`,
  });

describe.each(STORES)('commits of all sessions ($name)', ({ open }) => {
  it('are listed once, newest first, by workspace, hash, words and time', async () => {
    await using store = await open();
    const { engine } = store;
    const device = { id: 'device-1', name: 'laptop', hostname: 'laptop', os: 'linux', arch: 'x64' };
    await saveDevice(engine.kysely, device, NOW);
    const activities = [commit('aa', 1), commit('bb', 2), commit('b0', 2), commit('cc', 3), commit('dd', 3, 'push')];
    await storeRepositoryActivity(engine, { deviceId: device.id, repository: { workspace: SHOP, activities } }, NOW);
    const other = { workspace: LEDGER, activities: [commit('ee', 4)] };
    await storeRepositoryActivity(engine, { deviceId: device.id, repository: other }, NOW);
    const workspaceId = await saveWorkspace(engine.kysely, SHOP, NOW);
    const names = async (query: Partial<Parameters<typeof listCommits>[1]>) => {
      const pages = await allPages((cursor) => listCommits(engine, { limit: 2, ...query, cursor }));
      return pages.flatMap(({ commits }) => commits.map(({ commit_sha }) => commit_sha?.slice(0, 2)));
    };
    const all = await names({});
    expect([all, all[0], all[1], all.at(-1)]).toEqual([expect.any(Array), 'ee', 'cc', 'aa']);
    expect(all.toSorted()).toEqual(['aa', 'b0', 'bb', 'cc', 'ee']);
    expect(await names({ limit: 1 })).toEqual(all);
    expect(await names({ workspaceId })).toEqual(all.filter((name) => name !== 'ee'));
    expect(await names({ contains: 'BB00' })).toEqual(['bb']);
    expect(await names({ contains: 'fix 100% of c' })).toEqual(['cc']);
    expect(await names({ contains: '_' })).toEqual([]);
    const span = { after: '2026-11-02T00:00:00.000Z', before: '2026-11-03T00:00:00.000Z' };
    expect((await names(span)).toSorted()).toEqual(['b0', 'bb']);
    const { commits } = await listCommits(engine, { limit: 1 });
    expect(commits[0]).toMatchObject({ workspace_name: 'ledger', session_title: null, insertions: 2, type: 'commit' });
  });
});

describe.each(PROGRAMS)('a search within a workspace ($name)', ({ create }) => {
  it('cannot leave it', async () => {
    using home = createClaudeHome();
    for (const [n, folder] of ['shop', 'ledger'].entries()) {
      const id = `${n}1111111-2222-4333-8444-555555555555`;
      home.write(`-${folder}/${id}.jsonl`, [
        { ...createTalk(id).user(`Ask for ${folder} tea`), cwd: `/srv/${folder}` },
      ]);
    }
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const search = async (q: string, workspace?: string) => {
      const { sessions } = await app.get('/search', { query: { q, limit: 10, ...(workspace && { workspace }) } });
      return sessions.map(({ workspace_name }) => workspace_name).toSorted();
    };
    expect(await search('tea')).toEqual(['ledger', 'shop']);
    for (const q of [
      'tea',
      'tea OR ledger',
      'ask OR workspace:ledger',
      '-nothing tea',
      'type:prompt',
      'has:todo OR is:ended',
    ]) {
      expect([q, (await search(q, 'shop')).filter((name) => name !== 'shop')]).toEqual([q, []]);
    }
    expect(await search('tea OR ledger', 'shop')).toEqual(['shop']);
    await expect(search('tea', 'nowhere')).rejects.toThrow('nowhere');
  });
});
