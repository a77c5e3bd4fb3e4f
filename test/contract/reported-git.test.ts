import { describe, expect, it } from 'vitest';
import type { GitActivity } from '../../src/domain/git.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import {
  storeReportedGit,
  storeRepositoryActivity,
  storeSessionGit,
} from '../../src/store/queries/git/git-activity.ts';
import { nameActivity } from '../../src/store/queries/git/save-git.ts';
import { markBytesCaptured } from '../../src/store/queries/sessions/session-state.ts';
import { mergeWorkspaces } from '../../src/store/queries/workspaces/workspace-decisions.ts';
import { getWorkspaceDetail } from '../../src/store/queries/workspaces/workspace-rows.ts';
import { saveWorkspace } from '../../src/store/queries/workspaces/workspaces.ts';
import type { Store } from '../../src/store/store.ts';
import { makeActivity } from '../support/make-activity.ts';
import { NOW } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';

const SHOP = { canonicalId: 'github.com/ada/shop', displayName: 'shop' };
const FORK = { canonicalId: 'github.com/bob/shop', displayName: 'fork' };
const AT = '2026-11-01T10:05:00.000Z';

const commit = (more: Partial<GitActivity> = {}) =>
  makeActivity({ key: 'commit:a', at: AT, sha: 'a'.repeat(40), ...more });

async function reportCommit(store: Store, deviceId: string, activity = commit(), workspace = SHOP): Promise<void> {
  await saveDevice(store.engine.kysely, { id: deviceId, name: deviceId, hostname: '', os: '', arch: '' }, NOW);
  await storeRepositoryActivity(store.engine, { deviceId, repository: { workspace, activities: [activity] } }, NOW);
}

/** A session of the device around the commit, in the folder where it was made. */
async function work(store: Store, deviceId: string, workspace = SHOP): Promise<void> {
  const workspaceId = await saveWorkspace(store.engine.kysely, workspace, NOW);
  const started = { startedAt: '2026-11-01T10:00:00.000Z', source: 'backfill' };
  await markBytesCaptured(
    store.engine.kysely,
    { id: `of-${deviceId}`, workspaceId, deviceId, ...started },
    { files: 1, lastWriteMs: Date.parse(NOW) },
    NOW,
  );
  const folders = [{ folder: '/r', workspace }];
  const found = { sessionId: `of-${deviceId}`, deviceId, folders, repositories: [], calls: [] };
  await storeSessionGit(store.engine, [found], NOW);
}

async function counting({ engine }: Store): Promise<readonly string[]> {
  const rows = engine.kysely.selectFrom('git_activity').select('device_id').where('duplicate_of', 'is', null);
  return (await rows.orderBy('device_id').execute()).map(({ device_id }) => device_id);
}

describe.each(STORES)('git reports of devices, on $name', ({ open }) => {
  it('a commit reported by several devices counts once, in any order', async () => {
    const devices = [
      ['made', async (store: Store) => reportCommit(store, 'made').then(() => work(store, 'made'))],
      ['saw', async (store: Store) => reportCommit(store, 'saw')],
      [
        'read',
        async (store: Store) => reportCommit(store, 'read', commit({ folder: null, data: { source: 'history' } })),
      ],
    ] as const;
    for (const order of [devices, devices.toReversed()]) {
      await using store = await open();
      for (const [, arrive] of order) await arrive(store);
      expect(await counting(store)).toEqual(['made']);
      expect((await getWorkspaceDetail(store.engine.kysely, 'shop')).commits).toBe(1);
    }
  });

  it('a commit counts once when several devices report it at the same time', async () => {
    await using store = await open();
    const devices = Array.from({ length: 6 }, (_, n) => `device-${n}`);
    for (const id of devices) await reportCommit(store, id);
    for (let n = 0; n < 10; n++) {
      const same = commit({ key: `commit:${n}`, sha: String(n).repeat(40) });
      await Promise.all(devices.map((id) => reportCommit(store, id, same)));
    }
    expect(await counting(store)).toHaveLength(11);
  });

  it('a commit in two repositories counts twice until they are merged', async () => {
    await using store = await open();
    await reportCommit(store, 'one');
    await reportCommit(store, 'other', commit(), FORK);
    expect(await counting(store)).toEqual(['one', 'other']);
    await store.engine.transaction((tx) => mergeWorkspaces(tx, 'fork', 'shop', NOW));
    expect(await counting(store)).toHaveLength(1);
  });

  it('E16: a device cannot change the rows of another device', async () => {
    await using store = await open();
    await reportCommit(store, 'one');
    await saveDevice(store.engine.kysely, { id: 'thief', name: '', hostname: '', os: '', arch: '' }, NOW);
    const stolen = { ...nameActivity('one', commit()), message: 'stolen' };
    const repositories = [{ workspace: FORK, activities: [stolen] }];
    await storeReportedGit(store.engine, { deviceId: 'thief', order: 1, repositories, sessions: [] }, NOW);
    const rows = await store.engine.kysely.selectFrom('git_activity').selectAll().execute();
    expect(rows).toMatchObject([{ device_id: 'one', message: 'a' }]);
  });

  it('E1: a delayed report that arrives after a later one is ignored', async () => {
    await using store = await open();
    await reportCommit(store, 'one');
    const say = (order: number, workspace: typeof SHOP) => {
      const repositories = [{ workspace, activities: [nameActivity('one', commit())] }];
      return storeReportedGit(store.engine, { deviceId: 'one', order, repositories, sessions: [] }, NOW);
    };
    expect(await say(7, FORK)).toEqual({ kind: 'kept', sessions: [] });
    expect(await say(6, SHOP)).toEqual({ kind: 'late', order: 7 });
    expect((await getWorkspaceDetail(store.engine.kysely, 'fork')).commits).toBe(1);
    expect(await say(7, FORK)).toMatchObject({ kind: 'kept' });
  });

  it('working trees are stored only for known sessions of the same device', async () => {
    await using store = await open();
    for (const id of ['one', 'other']) await reportCommit(store, id);
    await work(store, 'one');
    await work(store, 'other');
    const sessions = ['of-one', 'of-other', 'of-nobody'].map((sessionId) => {
      return { sessionId, folders: [{ folder: '/elsewhere', workspace: FORK }] };
    });
    expect(
      await storeReportedGit(store.engine, { deviceId: 'one', order: 1, repositories: [], sessions }, NOW),
    ).toEqual({
      kind: 'kept',
      sessions: ['kept', 'foreign', 'unknown'],
    });
    const folders = store.engine.kysely.selectFrom('session_folders').select(['session_id', 'folder']);
    expect(await folders.orderBy('session_id').execute()).toEqual([
      { session_id: 'of-one', folder: '/elsewhere' },
      { session_id: 'of-other', folder: '/r' },
    ]);
  });
});
