import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectFolderActivity, collectGitActivity } from '../../src/capture/git/collect-activity.ts';
import { createGitReader } from '../../src/capture/git/read-activity.ts';
import { createGitRunner, type RunGit } from '../../src/capture/git/run-git.ts';
import { createWorkspaceResolver } from '../../src/capture/workspace.ts';
import type { GitSession, ShellCall } from '../../src/domain/git.ts';
import type { GitOperation, ToolCall } from '../../src/domain/transcript-structure.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { storeRepositoryActivity, storeSessionGit } from '../../src/store/queries/git/git-activity.ts';
import { pageGitActivity } from '../../src/store/queries/git/read-git.ts';
import { markBytesCaptured } from '../../src/store/queries/sessions/session-state.ts';
import { assignWorkspaces, loadFolders, saveWorkspace } from '../../src/store/queries/workspaces/workspaces.ts';
import type { Store } from '../../src/store/store.ts';
import { createGitSandbox, type GitSandbox } from '../support/git-sandbox.ts';
import { NOW } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';

const DEVICE = { id: 'device-1', name: 'laptop', hostname: 'laptop', os: 'linux', arch: 'x64' };
let box: GitSandbox;
let starts = 0;
beforeEach(() => {
  box = createGitSandbox();
  starts = 0;
});
afterEach(() => box[Symbol.dispose]());
const runGit = createGitRunner({ searchPath: process.env.PATH ?? '' });
const git: RunGit = (...args) => {
  starts++;
  return runGit(...args);
};

const minute = (n: number) => `2026-11-01T10:${String(n).padStart(2, '0')}:00.000Z`;

interface SessionSpec {
  readonly cwds: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly operations?: readonly GitOperation[];
  readonly calls?: readonly Pick<ToolCall, 'id' | 'startedAt' | 'endedAt'>[];
  readonly shell?: readonly ShellCall[];
}

function gitSessionOf(sessionId: string, spec: SessionSpec): GitSession {
  return {
    sessionId,
    isLive: false,
    startedAt: minute(spec.from),
    endedAt: minute(spec.to),
    folders: spec.cwds,
    callTimes: spec.calls ?? [],
    shell: spec.shell ?? [],
    gitOperations: spec.operations ?? [],
  };
}

/** Processes one session like an import, from its workspace to its commits. */
async function importSession(store: Store, id: string, spec: SessionSpec): Promise<void> {
  const { engine } = store;
  await saveDevice(engine.kysely, DEVICE, NOW);
  const workspaces = createWorkspaceResolver({
    deviceId: DEVICE.id,
    remembered: await loadFolders(engine.kysely, DEVICE.id),
    git,
    home: '/nonexistent',
  });
  const none = { canonicalId: '_unassociated', displayName: '(no folder)' };
  const workspaceId = await saveWorkspace(engine.kysely, none, NOW);
  const seed = { id, workspaceId, deviceId: DEVICE.id, startedAt: minute(spec.from), source: 'backfill' };
  await markBytesCaptured(engine.kysely, seed, { files: 1, lastWriteMs: Date.parse(NOW) }, NOW);
  const workspace = await workspaces.resolve(spec.cwds[0] ?? null);
  const assigned = await assignWorkspaces(engine.kysely, DEVICE.id, new Map([[id, workspace]]), NOW);
  const row = { workspace_id: assigned.ids.get(id) as string, cwd: spec.cwds[0] ?? null, ended_at: minute(spec.to) };
  await engine.kysely.updateTable('sessions').set(row).where('id', '=', id).execute();
  const found = await collectGitActivity(
    {
      deviceId: DEVICE.id,
      workspaces,
      reader: createGitReader(git),
    },
    gitSessionOf(id, spec),
    NOW,
  );
  await storeSessionGit(engine, [found], NOW);
}

async function commitsOf(store: Store, sessionId: string) {
  const { git_activity } = await pageGitActivity(store.engine.kysely, sessionId, { limit: 100 });
  return git_activity
    .filter(({ type }) => type === 'commit')
    .map(({ message, tool_use_id, linked_by }) => [message, tool_use_id, linked_by]);
}

describe.each(STORES)('git activity around sessions, on $name', ({ open }) => {
  it('K6: concurrent sessions in two working trees get their own commits', async () => {
    await using store = await open();
    const repo = box.init('shop');
    box.git(repo, 'remote', 'add', 'origin', 'https://github.com/ada/shop');
    box.at('2026-11-01T10:10:00Z');
    box.git(repo, 'worktree', 'add', '-q', '../tree', '-b', 'fix');
    const tree = join(box.path, 'tree');
    box.at('2026-11-01T10:20:00Z');
    box.commit(repo, 'in-main');
    box.commit(tree, 'in-tree');
    await importSession(store, 'main', { cwds: [repo], from: 5, to: 30 });
    await importSession(store, 'tree', { cwds: [tree], from: 6, to: 30 });
    expect(await commitsOf(store, 'main')).toEqual([['add in-main', null, 'folder']]);
    expect(await commitsOf(store, 'tree')).toEqual([['add in-tree', null, 'folder']]);
  });

  it('a silent commit in a working tree created by the call belongs to it; others are marked', async () => {
    await using store = await open();
    const repo = box.init('shop');
    box.at('2026-11-01T10:11:30Z');
    box.git(repo, 'worktree', 'add', '-q', '../fix', '-b', 'fix');
    box.git(repo, 'worktree', 'add', '-q', '../other', '-b', 'other');
    box.commit(join(box.path, 'fix'), 'own');
    box.commit(join(box.path, 'other'), 'elsewhere');
    box.at('2026-11-01T10:15:00Z');
    box.commit(repo, 'stranger');
    box.at('2026-11-01T10:25:00Z');
    box.commit(repo, 'later');
    const command = 'git worktree add -q -b fix "../fix" && cd ../fix && git commit -qm own';
    await importSession(store, 's', {
      cwds: [repo],
      from: 10,
      to: 20,
      calls: [{ id: 'quiet', startedAt: minute(11), endedAt: minute(12) }],
      shell: [{ toolUseId: 'quiet', command, status: 'ok', exitCode: 0, output: '' }],
    });
    const { git_activity } = await pageGitActivity(store.engine.kysely, 's', { limit: 100 });
    const commits = git_activity.filter(({ type }) => type === 'commit');
    expect(commits.map(({ message, linked_by, relation }) => [message, linked_by, relation])).toEqual([
      ['add own', 'call', 'own'],
      ['add stranger', 'folder', 'meanwhile'],
      ['add later', 'folder', 'after'],
    ]);
  });

  it('activities of the same second are listed by cause, and replaced commits are marked', async () => {
    await using store = await open();
    box.at('2026-11-01T10:00:00Z');
    const repo = box.init('shop');
    box.git(box.path, 'init', '-q', '--bare', 'remote.git');
    box.git(repo, 'remote', 'add', 'origin', join(box.path, 'remote.git'));
    box.at('2026-11-01T10:12:00Z');
    const names = ['d', 'a', 'c', 'b'];
    for (const name of names) box.commit(repo, name);
    box.git(repo, 'push', '-q', 'origin', 'main');
    const amended = box.git(repo, 'rev-parse', 'HEAD');
    box.at('2026-11-01T10:13:00Z');
    box.git(repo, 'commit', '-q', '--amend', '-m', 'better b');
    const better = box.git(repo, 'rev-parse', 'HEAD');
    box.git(repo, 'checkout', '-q', '-b', 'side', 'HEAD~2');
    box.at('2026-11-01T10:14:00Z');
    const moved = box.commit(repo, 'moved');
    box.at('2026-11-01T10:15:00Z');
    box.git(repo, 'rebase', '-q', 'main');
    await importSession(store, 's', { cwds: [repo], from: 10, to: 20 });
    const whole = await pageGitActivity(store.engine.kysely, 's', { limit: 100 });
    const told = whole.git_activity.filter(({ timestamp }) => timestamp === minute(12));
    expect(told.map(({ type, message }) => message ?? type)).toEqual([...names.map((name) => `add ${name}`), 'push']);
    const replaced = whole.git_activity.filter(({ replaced_by }) => replaced_by !== null);
    expect(replaced.map(({ commit_sha, replaced_by }) => [commit_sha, replaced_by])).toEqual([
      [amended, better],
      [moved, box.git(repo, 'rev-parse', 'HEAD')],
    ]);
    const paged: unknown[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await pageGitActivity(store.engine.kysely, 's', { limit: 2, ...(cursor ? { cursor } : {}) });
      paged.push(...page.git_activity);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(whole.git_activity);
  });

  it('commits are linked to the call that made them: by what it printed, what the client noted, or its time', async () => {
    await using store = await open();
    const repo = box.init('shop');
    const shas = [11, 12, 13].map((n) => {
      box.at(`2026-11-01T10:${n}:30Z`);
      return box.commit(repo, `c${n}`);
    });
    box.at('2026-11-01T10:14:30Z');
    box.commit(repo, 'by-hand');
    const times = (id: string, at: number) => ({ id, startedAt: minute(at), endedAt: minute(at + 1) });
    await importSession(store, 's', {
      cwds: [repo],
      from: 10,
      to: 20,
      calls: [times('printed', 11), times('noted', 12), times('quiet', 13)],
      shell: [
        {
          toolUseId: 'printed',
          command: 'git commit -m c11',
          status: 'ok',
          exitCode: 0,
          output: `[main ${shas[0]?.slice(0, 7)}] add c11`,
        },
        {
          toolUseId: 'noted',
          command: 'git commit -m c12 | tail -1',
          status: 'ok',
          exitCode: 0,
          output: ' 1 file changed',
        },
        { toolUseId: 'quiet', command: 'git commit -qm c13', status: 'ok', exitCode: 0, output: '' },
      ],
      operations: [
        {
          toolUseId: 'noted',
          kind: 'commit',
          action: 'committed',
          sha: shas[1]?.slice(0, 8) ?? null,
          branch: null,
          url: null,
          number: null,
        },
      ],
    });
    expect(await commitsOf(store, 's')).toEqual([
      ['add c11', 'printed', 'sha'],
      ['add c12', 'noted', 'sha'],
      ['add c13', 'quiet', 'call'],
      ['add by-hand', null, 'folder'],
    ]);
  });

  it('a deleted repository leaves the activities of the transcript and its workspace', async () => {
    await using store = await open();
    const repo = box.init('shop');
    box.git(repo, 'remote', 'add', 'origin', 'https://github.com/ada/shop');
    await importSession(store, 'first', { cwds: [repo], from: 1, to: 2 });
    rmSync(repo, { recursive: true });
    const shell: ShellCall[] = [
      { toolUseId: 't', command: 'git commit -m x', status: 'ok', exitCode: 0, output: '[main 1a2b3c4] x' },
    ];
    const calls = [{ id: 't', startedAt: minute(6), endedAt: minute(7) }];
    await importSession(store, 'second', { cwds: [join(repo, 'src')], from: 5, to: 9, shell, calls });
    expect(await commitsOf(store, 'second')).toEqual([['x', 't', 'call']]);
    const rows = await store.engine.kysely.selectFrom('sessions').select('workspace_id').distinct().execute();
    expect(rows).toHaveLength(1);
  });

  it('after a git hook the commit is stored before its session', async () => {
    await using store = await open();
    await saveDevice(store.engine.kysely, DEVICE, NOW);
    const repo = box.init('shop');
    box.at('2026-11-01T10:20:00Z');
    box.commit(repo, 'early');
    const workspaces = createWorkspaceResolver({ deviceId: DEVICE.id, remembered: [], git, home: '/nonexistent' });
    const deps = { workspaces, reader: createGitReader(git) };
    const question = { cwd: repo, since: minute(15), until: minute(25) };
    const repository = await collectFolderActivity(deps, question);
    if (repository === null) throw new Error('no repository');
    await storeRepositoryActivity(store.engine, { deviceId: DEVICE.id, repository }, NOW);
    await importSession(store, 's', { cwds: [repo], from: 18, to: 19 });
    expect(await commitsOf(store, 's')).toEqual([['add early', null, 'folder']]);
    expect(await collectFolderActivity(deps, { ...question, cwd: box.path })).toBeNull();
  });

  it('a hundred sessions of one repository start git only a few times', async () => {
    await using store = await open();
    const repo = box.init('shop');
    const workspaces = createWorkspaceResolver({ deviceId: DEVICE.id, remembered: [], git, home: '/nonexistent' });
    const reader = createGitReader(git);
    await saveDevice(store.engine.kysely, DEVICE, NOW);
    box.at('2026-11-01T10:30:00Z');
    box.commit(repo, 'x');
    for (let n = 0; n < 100; n++) {
      const question = gitSessionOf(`s${n}`, { cwds: [repo], from: 1 + (n % 25), to: 31 });
      await collectGitActivity({ deviceId: DEVICE.id, workspaces, reader }, question, NOW);
    }
    expect(starts).toBeLessThanOrEqual(2);
  });
});
