import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GitActivity, GitCall, SessionGit } from '../../src/domain/git.ts';
import type { ContentBlock } from '../../src/domain/transcript.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { insertEvents } from '../../src/store/queries/events/events.ts';
import { storeRepositoryActivity, storeSessionGit } from '../../src/store/queries/git/git-activity.ts';
import { type ListedGitSession, loadGitSessions, withShellCalls } from '../../src/store/queries/git/git-input.ts';
import { pageGitActivity } from '../../src/store/queries/git/read-git.ts';
import { listGitNotes } from '../../src/store/queries/git/repository-scans.ts';
import { markBytesCaptured } from '../../src/store/queries/sessions/session-state.ts';
import { blockRows } from '../../src/store/queries/transcript/revision-rows.ts';
import { saveRows } from '../../src/store/queries/transcript/save-revision.ts';
import { mergeWorkspaces, moveSession } from '../../src/store/queries/workspaces/workspace-decisions.ts';
import { saveWorkspace, workspaceRowId } from '../../src/store/queries/workspaces/workspaces.ts';
import type { Store } from '../../src/store/store.ts';
import { makeActivity } from '../support/make-activity.ts';
import { makeBlock } from '../support/make-block.ts';
import { NOW, seedRevision } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';

const DEVICE = { id: 'device-1', name: 'laptop', hostname: 'laptop', os: 'linux', arch: 'x64' };
const SHOP = { canonicalId: 'github.com/ada/shop', displayName: 'shop' };
const LEDGER = { canonicalId: 'github.com/ada/ledger', displayName: 'ledger' };
const iso = (minutes: number) => new Date(Date.parse('2026-11-01T10:00:00Z') + minutes * 60_000).toISOString();
const sha = (name: string) => name.padEnd(40, '0');

const activity = (name: string, minutes: number, more: Partial<GitActivity> = {}) =>
  makeActivity({ key: `commit:${sha(name)}`, at: iso(minutes), sha: sha(name), message: name, ...more });
const call = (toolUseId: string, minutes: number, more: Partial<GitCall> = {}): GitCall => ({
  toolUseId,
  kind: 'commit',
  sha: null,
  branch: null,
  message: null,
  startedAt: iso(minutes),
  endedAt: iso(minutes + 1),
  isReported: true,
  data: {},
  ...more,
});
const gitOf = (sessionId: string, more: Partial<SessionGit> = {}): SessionGit => ({
  sessionId,
  deviceId: DEVICE.id,
  folders: [{ folder: '/r', workspace: SHOP }],
  repositories: [],
  calls: [],
  ...more,
});
const repository = (...activities: readonly GitActivity[]) => [{ workspace: SHOP, activities }];

async function addSession(store: Store, id: string, from: number, to: number | null, workspace = SHOP): Promise<void> {
  const { kysely } = store.engine;
  await saveDevice(kysely, DEVICE, NOW);
  const workspaceId = await saveWorkspace(kysely, workspace, NOW);
  const seed = { id, workspaceId, deviceId: DEVICE.id, startedAt: iso(from), source: 'backfill' };
  await markBytesCaptured(kysely, seed, { files: 1, lastWriteMs: Date.parse(NOW) }, NOW);
  if (to === null) return;
  const end = { ended_at: iso(to), lifecycle: 'parsed', parse_status: 'completed' };
  await kysely.updateTable('sessions').set(end).where('id', '=', id).execute();
}

async function links(store: Store) {
  const rows = await store.engine.kysely.selectFrom('git_activity').selectAll().orderBy('id').execute();
  return rows.map(({ type, commit_sha, session_id, tool_use_id, linked_by }) => [
    type,
    commit_sha?.replace(/0+$/, ''),
    session_id,
    tool_use_id,
    linked_by,
  ]);
}

describe.each(STORES)('git activity on $name', ({ open }) => {
  it('reading again gives the same rows and never loses known ones', async () => {
    await using store = await open();
    await addSession(store, 's', 0, 60);
    const rich = activity('a', 5, { worktreeName: 'tree', folder: '/trees/tree', data: { author: { name: 'Ada' } } });
    await storeSessionGit(store.engine, [gitOf('s', { repositories: repository(rich) })], NOW);
    const first = await store.engine.kysely.selectFrom('git_activity').selectAll().execute();
    const poor = { ...rich, filesChanged: null, insertions: null, deletions: null, folder: null, worktreeName: null };
    await storeSessionGit(
      store.engine,
      [gitOf('s', { repositories: repository({ ...poor, data: {}, message: 'x' }) })],
      NOW,
    );
    expect(await store.engine.kysely.selectFrom('git_activity').selectAll().execute()).toEqual(first);
    expect(first).toHaveLength(1);
    expect(first[0]).toMatchObject({ files_changed: 1, worktree_name: 'tree', folder: '/trees/tree', message: 'a' });
  });

  it('a commit is linked to a session that arrives later, and a session to earlier commits', async () => {
    await using store = await open();
    await saveDevice(store.engine.kysely, DEVICE, NOW);
    const found = { deviceId: DEVICE.id, repository: { workspace: SHOP, activities: [activity('a', 5)] } };
    await storeRepositoryActivity(store.engine, found, NOW);
    expect(await links(store)).toEqual([['commit', 'a', null, null, null]]);
    await addSession(store, 'late', 0, 10);
    await storeSessionGit(store.engine, [gitOf('late')], NOW);
    expect(await links(store)).toEqual([['commit', 'a', 'late', null, 'folder']]);
    await addSession(store, 'maker', 4, 6);
    await storeSessionGit(store.engine, [gitOf('maker', { calls: [call('t1', 4, { sha: 'a00' })] })], NOW);
    expect(await links(store)).toEqual([['commit', 'a', 'maker', 't1', 'sha']]);
  });

  it('a session that turns out shorter loses the commits outside its time', async () => {
    await using store = await open();
    await addSession(store, 's', 0, 60);
    await storeSessionGit(store.engine, [gitOf('s', { repositories: repository(activity('a', 50)) })], NOW);
    await addSession(store, 's', 0, 20);
    await storeSessionGit(store.engine, [gitOf('s')], NOW);
    expect(await links(store)).toEqual([['commit', 'a', null, null, null]]);
  });

  it('an activity known only from the transcript has a row until the log confirms it', async () => {
    await using store = await open();
    await addSession(store, 's', 0, 60);
    const calls = [
      call('t1', 5, { sha: 'beef' }),
      call('t2', 7, { kind: 'pr', data: { number: 21, url: 'https://github.com/ada/shop/pull/21' } }),
      call('t3', 9, { kind: 'push', isReported: false }),
    ];
    await storeSessionGit(store.engine, [gitOf('s', { calls })], NOW);
    const { git_activity } = await pageGitActivity(store.engine.kysely, 's', { limit: 10 });
    const told = git_activity.map((row) => [row.type, row.commit_sha, row.tool_use_id, row.data.source]);
    expect(told).toEqual([
      ['commit', 'beef', 't1', 'tool_call'],
      ['pr', null, 't2', 'tool_call'],
    ]);
    // The log arrives separately from the session.
    const found = { deviceId: DEVICE.id, repository: { workspace: SHOP, activities: [activity('beef', 5)] } };
    await storeRepositoryActivity(store.engine, found, NOW);
    expect((await links(store)).toSorted()).toEqual([
      ['commit', 'beef', 's', 't1', 'sha'],
      ['pr', undefined, 's', 't2', 'call'],
    ]);
    await storeSessionGit(store.engine, [gitOf('s')], NOW);
    expect(await links(store)).toEqual([['commit', 'beef', 's', null, 'folder']]);
  });

  it('merging workspaces and moving a session make new links possible', async () => {
    await using store = await open();
    await addSession(store, 's', 0, 60, LEDGER);
    await storeSessionGit(store.engine, [gitOf('s', { folders: [], repositories: repository(activity('a', 5)) })], NOW);
    expect(await links(store)).toEqual([['commit', 'a', null, null, null]]);
    await store.engine.transaction((tx) => moveSession(tx, 's', 'shop', NOW));
    expect(await links(store)).toEqual([['commit', 'a', 's', null, 'time']]);
    await store.engine.transaction((tx) => moveSession(tx, 's', 'ledger', NOW));
    expect(await links(store)).toEqual([['commit', 'a', null, null, null]]);
    await store.engine.transaction((tx) => mergeWorkspaces(tx, 'ledger', 'shop', NOW));
    expect(await links(store)).toEqual([['commit', 'a', 's', null, 'time']]);
    const rows = await store.engine.kysely.selectFrom('git_activity').select('workspace_id').execute();
    expect(rows).toEqual([{ workspace_id: workspaceRowId(SHOP.canonicalId) }]);
  });

  it("another machine's session gets nothing from this machine", async () => {
    await using store = await open();
    await addSession(store, 'far', 0, 60);
    await saveDevice(store.engine.kysely, { ...DEVICE, id: 'device-2' }, NOW);
    const found = gitOf('far', { deviceId: 'device-2', repositories: repository(activity('a', 5)) });
    await storeSessionGit(store.engine, [{ ...found, calls: [call('t', 5, { sha: 'beef' })] }], NOW);
    expect(await links(store)).toEqual([['commit', 'beef', 'far', 't', 'call']]);
    await storeSessionGit(store.engine, [gitOf('nobody', { repositories: repository(activity('b', 5)) })], NOW);
    expect(await links(store)).toHaveLength(1);
  });

  it('shell calls about git are found with what they printed', async () => {
    await using store = await open();
    await addSession(store, 's', 0, 60);
    const revision = await seedRevision(store, 's', ['file']);
    const block = (order: number, more: Partial<ContentBlock>) =>
      makeBlock(order, { blockType: 'tool_use', toolName: 'Bash', ...more });
    const result = { blockType: 'tool_result', toolName: null } as const;
    const rows = blockRows(revision, [
      block(0, { toolUseId: 't1', toolInput: { command: 'git commit -m "ü"' } }),
      block(1, { ...result, toolResultId: 't1', resultText: '[main 1a2b3c4] ü' }),
      block(2, { toolUseId: 't2', toolInput: { command: 'ls' } }),
      block(3, { toolUseId: 't3', toolName: 'Read', toolInput: { path: 'git' } }),
      block(4, { toolUseId: 't4', toolInput: 'git as a string' }),
    ]);
    await saveRows(store.engine, { revisions: [revision], unbegun: [], tables: [rows] });
    await store.engine.kysely.updateTable('sessions').set({ revision: revision.number }).execute();
    const { kysely } = store.engine;
    const [session] = await loadGitSessions(kysely, ['s', 'unknown']);
    expect(session?.deviceId).toBe(DEVICE.id);
    expect((await withShellCalls(kysely, session as ListedGitSession)).shell).toEqual([
      { toolUseId: 't1', command: 'git commit -m "ü"', status: 'pending', exitCode: null, output: '[main 1a2b3c4] ü' },
      { toolUseId: 't4', command: '', status: 'pending', exitCode: null, output: '' },
    ]);
  });

  it('lists folders in which git hooks recorded something', async () => {
    await using store = await open();
    await saveDevice(store.engine.kysely, DEVICE, NOW);
    const event = (id: string, minutes: number, cwd: string, type: 'hook.GitPostCommit' | 'session.end') => ({
      id,
      type,
      timestamp: iso(minutes),
      device_id: DEVICE.id,
      session_id: 'no-session',
      data: { cwd },
    });
    const events = [
      event('e1', 5, '/r', 'hook.GitPostCommit'),
      event('e2', 9, '/r', 'hook.GitPostCommit'),
      event('e3', 9, '/other', 'hook.GitPostCommit'),
      event('e4', 9, '/not', 'session.end'),
    ];
    await insertEvents(store.engine.kysely, events, NOW);
    const ask = { deviceId: DEVICE.id, since: NOW };
    expect(await listGitNotes(store.engine.kysely, ask)).toEqual([
      { cwd: '/other', since: iso(9), until: iso(9) },
      { cwd: '/r', since: iso(5), until: iso(9) },
    ]);
    expect(await listGitNotes(store.engine.kysely, { ...ask, since: '2027-01-01T00:00:00.000Z' })).toEqual([]);
  });

  it('accepts any text', async () => {
    await using store = await open();
    await addSession(store, 's', 0, 60);
    const odd = 'a\0b\ud800 \u001b[31m';
    const more = { branch: odd, message: odd, folder: `/r/${odd}`, worktreeName: odd, data: { to: odd, deep: [odd] } };
    const found = gitOf('s', {
      folders: [{ folder: `/r/${odd}`, workspace: { canonicalId: odd, displayName: odd } }],
      repositories: [{ workspace: { canonicalId: odd, displayName: odd }, activities: [activity('a', 5, more)] }],
      calls: [call(odd, 5, { branch: odd, message: odd, data: { url: odd }, startedAt: 'never', endedAt: odd })],
    });
    await storeSessionGit(store.engine, [found], NOW);
    await storeSessionGit(store.engine, [found], NOW);
    expect(await links(store)).toHaveLength(2);
  });

  it('ends with the same rows in any order of arrival', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    const run = async (steps: readonly (() => Promise<void>)[]) => {
      for (const table of ['git_activity', 'git_calls', 'session_folders', 'session_workspaces', 'sessions'] as const) {
        await kysely.deleteFrom(table).execute();
      }
      for (const step of steps) await step();
      return links(store);
    };
    const session = (id: string) =>
      fc
        .record({
          from: fc.integer({ min: 0, max: 40 }),
          minutes: fc.integer({ min: 0, max: 30 }),
          folder: fc.constantFrom('/r', '/trees/x'),
          calls: fc.array(
            fc.record({
              at: fc.integer({ min: 0, max: 50 }),
              kind: fc.constantFrom('commit' as const, 'push' as const),
              name: fc.option(fc.constantFrom('a', 'b', 'c', 'd')),
              isReported: fc.boolean(),
            }),
            { maxLength: 3 },
          ),
        })
        .map(({ from, minutes, folder, calls }) => async () => {
          await addSession(store, id, from, from + minutes);
          await storeSessionGit(
            store.engine,
            [
              gitOf(id, {
                folders: [{ folder, workspace: SHOP }],
                calls: calls.map(({ at, kind, name, isReported }, n) =>
                  call(`${id}${n}`, at, { kind, sha: name === null ? null : `${name}00`, isReported }),
                ),
              }),
            ],
            NOW,
          );
        });
    const named = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 3, maxLength: 3 });
    const times = fc.tuple(
      ...[0, 1, 2].map(() => fc.record({ at: fc.integer({ min: 0, max: 60 }), isTree: fc.boolean() })),
    );
    const arrivals = fc.tuple(named, times).map(([names, places]) =>
      names.map((name, n) => async () => {
        const place = places[n] ?? { at: 0, isTree: false };
        const activities = [activity(name, place.at, { folder: place.isTree ? '/trees/x' : '/r' })];
        await saveDevice(kysely, DEVICE, NOW);
        await storeRepositoryActivity(
          store.engine,
          { deviceId: DEVICE.id, repository: { workspace: SHOP, activities } },
          NOW,
        );
      }),
    );
    const world = fc.tuple(session('s1'), session('s2'), session('s3'), arrivals).chain(([one, two, three, rest]) => {
      const steps = [one, two, three, ...rest];
      return fc.tuple(fc.constant(steps), fc.shuffledSubarray(steps, { minLength: steps.length }));
    });
    await fc.assert(
      fc.asyncProperty(world, async ([steps, shuffled]) => {
        expect(await run(shuffled)).toEqual(await run(steps));
      }),
      { numRuns: store.engine.name === 'sqlite' ? 60 : 15 },
    );
  });
});
