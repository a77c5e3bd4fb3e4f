import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCommands, sendTo } from '../../src/app/commands.ts';
import type { App } from '../../src/app/open-app.ts';
import { MAX_WAIT_MS } from '../../src/app/shipping/server-client.ts';
import { replayJournal } from '../../src/archive/journal/replay.ts';
import { migrate } from '../../src/store/migrate.ts';
import { listRefused, retryRefused } from '../../src/store/queries/shipping/shipments.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { type ClaudeHome, createClaudeHome, createTalk, toolUse } from '../support/claude-home.ts';
import { dumpRows } from '../support/dump-rows.ts';
import { createGitSandbox, type GitSandbox } from '../support/git-sandbox.ts';
import { fixedClock, NOW, PROGRAMS } from '../support/programs.ts';
import {
  createDevice,
  createPair,
  type Device,
  fetchFrom,
  isOfGit,
  type Pair,
  SERVER_URL,
  shipTo,
} from '../support/ship-pair.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const OTHER = '22222222-2222-4333-8444-555555555555';
const THIRD = '33333333-2222-4333-8444-555555555555';
const REMOTE = 'https://github.com/ada/shop.git';
const GIT_TABLES = ['git_activity', 'git_calls', 'session_folders'];

interface Made {
  readonly id?: string;
  /** The message of the commit that the session made; null if it made none. */
  readonly sha?: string | null;
}

/** A session that works in a repository and may commit. */
function sessionIn(folder: string, { id = ID, sha = null }: Made = {}): readonly object[] {
  const talk = createTalk(id, { prefix: id.slice(0, 2) });
  const asked = talk.user('Please go on.');
  const commit = () => [
    talk.assistant(`m${id}`, toolUse(`t${id}`, 'Bash', { command: 'git commit -m second' }), { input: 1, output: 1 }),
    talk.result(`t${id}`, `[main ${sha?.slice(0, 7)}] second`),
  ];
  return [asked, ...(sha === null ? [] : commit())].map((line) => ({ ...line, cwd: folder }));
}

/** Git activity as people see it. */
async function shownGit({ get, device }: App, own = device.id) {
  const { items } = await get('/timeline', { query: { limit: 100, device_id: own } });
  const { sessions } = await get('/search', { query: { q: `has:commit`, limit: 100 } });
  return {
    timeline: items.map((item) => [item.at, 'git_activity' in item ? item.git_activity : []]),
    withCommit: sessions.map(({ session_id }) => session_id).toSorted(),
    summary: (await get('/sessions/:id', { params: { id: ID } })).summary,
    git: (await get('/sessions/:id/git', { params: { id: ID }, query: { limit: 100 } })).git_activity,
  };
}

describe.each(PROGRAMS)('git activity of a device on its server ($name)', ({ create }) => {
  let pair: Pair;
  let claude: ClaudeHome;
  let box: GitSandbox;
  let repository: string;
  let sha: string;
  let device: Device;
  let server: App;

  beforeEach(async () => {
    box = createGitSandbox();
    box.at('2026-10-01T10:00:00Z');
    repository = box.init('shop');
    box.git(repository, 'remote', 'add', 'origin', REMOTE);
    box.at('2026-11-01T10:00:02Z');
    sha = box.commit(repository, 'second.txt');
    pair = await createPair(create);
    ({ claude, device, server } = pair);
  });
  afterEach(async () => {
    await pair[Symbol.asyncDispose]();
    box[Symbol.dispose]();
  });

  async function importAndShip(from: Device = device, fetch = fetchFrom(server)) {
    await from.app.importNew();
    return shipTo(from, { fetch });
  }

  async function expectTheSame(): Promise<void> {
    await server.importNew();
    const engines = [server.store.engine, device.app.store.engine] as const;
    expect(await dumpRows(engines[0], GIT_TABLES)).toEqual(await dumpRows(engines[1], GIT_TABLES));
    expect(await shownGit(server, device.app.device.id)).toEqual(await shownGit(device.app));
  }

  /** A hook of the repository reports a change. */
  function noteCommit(): void {
    mkdirSync(join(device.home, 'spool'), { mode: 0o700, recursive: true });
    const note = { session_id: 'no-session', hook_event_name: 'GitPostCommit', cwd: repository, args: [] };
    const path = join(device.home, 'spool', `${NOW.getTime()}-1-1.json`);
    writeFileSync(path, JSON.stringify(note), { mode: 0o600 });
  }

  it('is the same as on the device in sessions, timeline, narrative and search', async () => {
    claude.write(`-shop/${ID}.jsonl`, sessionIn(repository, { sha }));
    claude.write(`-shop/${OTHER}.jsonl`, sessionIn('/home/ada/elsewhere', { id: OTHER }));
    expect(await importAndShip()).toMatchObject({ git: 2, refused: 0, paused: null });
    await expectTheSame();
    const shown = await shownGit(server, device.app.device.id);
    expect(shown).toMatchObject({ withCommit: [ID], git: [{ commit_sha: sha, linked_by: 'sha', files_changed: 1 }] });
    expect(shown.summary).toContain(`1 commit: ${sha.slice(0, 7)} “second”`);
    expect(await importAndShip()).toMatchObject({ git: 0 });
  });

  it('arrives later for a commit that a hook reported long after the sessions', async () => {
    claude.write(`-shop/${ID}.jsonl`, sessionIn(repository));
    await importAndShip();
    await expectTheSame();
    box.at(NOW.toISOString().replace('.000', ''));
    box.commit(repository, 'third.txt');
    noteCommit();
    await device.app.drainHooks();
    expect(await importAndShip()).toMatchObject({ git: 1 });
    await expectTheSame();
    const { items } = await server.get('/timeline', { query: { limit: 10, types: ['git'] } });
    expect(items).toMatchObject([{ kind: 'git', git_activity: { message: 'add third.txt', session_id: null } }]);
  });

  it('moves with its workspace when workspaces are merged or a session is moved', async () => {
    claude.write(`-shop/${ID}.jsonl`, sessionIn(repository, { sha }));
    const another = box.init('ledger');
    claude.write(`-ledger/${OTHER}.jsonl`, sessionIn(another, { id: OTHER }));
    claude.write(`-else/${THIRD}.jsonl`, sessionIn('/home/ada/elsewhere', { id: THIRD }));
    await importAndShip();
    await expectTheSame();
    const send = sendTo(createCommands(device.app, fixedClock, () => {}));
    await send('PATCH /workspaces/:workspace_id', {
      params: { workspace_id: 'ledger' },
      body: { merge_into: 'shop' },
    });
    expect((await importAndShip()).git).toBeGreaterThan(0);
    await expectTheSame();
    await send('PATCH /sessions/:id', { params: { id: ID }, body: { workspace_id: 'elsewhere' } });
    await importAndShip();
    await expectTheSame();
  });

  it('E1, E2: is the same, without duplicates, on a server that crashes, loses answers and gets everything twice', async () => {
    claude.write(`-shop/${ID}.jsonl`, sessionIn(repository, { sha }));
    for (let minute = 1; minute < 8; minute++) {
      box.at(`2026-11-01T10:0${minute}:00Z`);
      box.commit(repository, `${minute}.txt`);
    }
    await device.app.importNew();
    const faults = ['lose', 'twice', 'lose_answer', 'fail', 'none'];
    const wild: typeof fetch = async (input, init) => {
      const fault = isOfGit(input) ? faults.shift() : 'none';
      if (fault === 'lose') throw new TypeError('the server is gone');
      if (fault === 'fail') return Response.json({}, { status: 503 });
      if (fault === 'twice') await fetchFrom(server)(input, init);
      const reply = await fetchFrom(server)(input, init);
      if (fault === 'lose_answer') throw new TypeError('the answer was lost');
      return reply;
    };
    let nowMs = NOW.getTime();
    const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
    for (let round = 0; faults.length > 0; round++, nowMs += MAX_WAIT_MS) {
      expect(round).toBeLessThan(10);
      await shipTo(device, { fetch: wild, clock });
      // The server processes whatever it has, whenever it arrives.
      await server.importNew();
    }
    await expectTheSame();
  });

  it('E19: a server without support for git still gets the sessions, and git activity once it supports it', async () => {
    claude.write(`-shop/${ID}.jsonl`, sessionIn(repository, { sha }));
    let asked = 0;
    const old: typeof fetch = async (input, init) => {
      if (!isOfGit(input)) return fetchFrom(server)(input, init);
      asked++;
      return Response.json({ error: { code: 'not_found', message: 'There is nothing here.' } }, { status: 404 });
    };
    expect(await importAndShip(device, old)).toMatchObject({ files: 1, git: 0, paused: null });
    claude.append(`-shop/${ID}.jsonl`, [createTalk(ID, { prefix: 'zz' }).user('And now?')]);
    expect(await importAndShip(device, old)).toMatchObject({ files: 1, git: 0, paused: null });
    expect(asked).toBe(1);
    expect(await device.app.reportShipping()).toMatchObject({
      waiting: 0,
      git_waiting: 2,
      paused: expect.stringContaining('does not accept git activity'),
    });
    const later = { now: () => new Date(NOW.getTime() + MAX_WAIT_MS), monotonicMs: () => 0 };
    expect(await shipTo(device, { fetch: fetchFrom(server), clock: later })).toMatchObject({ git: 2 });
    expect(await device.app.reportShipping()).toMatchObject({ git_waiting: 0, paused: null });
    await expectTheSame();
  });

  it('B7: what the server rejects is set aside with the reason and delays nothing', async () => {
    claude.write(`-shop/${ID}.jsonl`, sessionIn(repository, { sha }));
    await device.app.importNew();
    const { engine } = device.app.store;
    await engine.kysely
      .updateTable('git_activity')
      .set({ branch: 'x'.repeat(5_000) })
      .execute();
    expect(await shipTo(device, { fetch: fetchFrom(server) })).toMatchObject({ git: 1, refused: 1, paused: null });
    const route = { server: SERVER_URL, deviceId: device.app.device.id };
    const [refused] = await listRefused(engine.kysely, route);
    expect(refused).toMatchObject({ detail: expect.stringContaining('branch') });
    expect(await shipTo(device, { fetch: fetchFrom(server) })).toMatchObject({ git: 0, refused: 0 });
    await engine.kysely.updateTable('git_activity').set({ branch: 'main' }).execute();
    expect(await retryRefused(engine.kysely, route, refused?.id ?? '')).toBe(true);
    expect(await shipTo(device, { fetch: fetchFrom(server) })).toMatchObject({ git: 1, refused: 0 });
    await expectTheSame();
  });

  it('F19: is restored by a rebuild from the archive of the server', async () => {
    claude.write(`-shop/${ID}.jsonl`, sessionIn(repository, { sha }));
    await importAndShip();
    await server.importNew();
    const fresh = openSqlite(':memory:');
    await migrate(fresh);
    await replayJournal(fresh, server.journal);
    const facts = (lines: readonly string[]) =>
      lines.map((line) => line.replace(/"(linked_by|relation|tool_use_id|session_id)":("[^"]*"|null),?/g, ''));
    const tables = ['git_activity', 'session_folders'];
    expect(facts(await dumpRows(fresh, tables))).toEqual(facts(await dumpRows(server.store.engine, tables)));
    await fresh.close();
  });

  describe('with a second device that has a clone', () => {
    let secondHome: ClaudeHome;
    let second: Device;

    beforeEach(async () => {
      secondHome = createClaudeHome();
      second = await createDevice(secondHome.path);
      // Cloned later: its reflog starts at that point, so only the history has the commit.
      box.at('2026-11-05T10:00:00Z');
      box.git(box.path, 'clone', '-q', repository, 'clone');
      const clone = join(box.path, 'clone');
      box.git(clone, 'remote', 'set-url', 'origin', REMOTE);
      box.git(clone, 'config', 'user.email', 'ada@example.org');
      claude.write(`-shop/${ID}.jsonl`, sessionIn(repository, { sha }));
      secondHome.write(`-clone/${OTHER}.jsonl`, sessionIn(clone, { id: OTHER }));
    });
    afterEach(async () => {
      await second[Symbol.asyncDispose]();
      secondHome[Symbol.dispose]();
    });

    it.each([
      ['the one that made it first', () => [device, second]],
      ['the other one first', () => [second, device]],
    ])('a commit that both report counts once, for the session that made it: %s', async (_, order) => {
      for (const each of order()) {
        await importAndShip(each);
        await server.importNew();
      }
      const shown = await second.app.get('/sessions/:id/git', { params: { id: OTHER }, query: { limit: 10 } });
      expect(shown.git_activity, 'the second device does not know better').toMatchObject([{ commit_sha: sha }]);
      const [made, repeated] = await Promise.all(
        [ID, OTHER].map((id) => server.get('/sessions/:id/git', { params: { id }, query: { limit: 10 } })),
      );
      expect(made?.git_activity).toMatchObject([{ commit_sha: sha, linked_by: 'sha' }]);
      expect(repeated?.git_activity).toEqual([]);
      expect((await server.get('/workspaces/:workspace_id', { params: { workspace_id: 'shop' } })).commits).toBe(1);
      const { sessions } = await server.get('/search', { query: { q: 'has:commit', limit: 10 } });
      expect(sessions.map(({ session_id }) => session_id)).toEqual([ID]);
      // A narrative names only commits of the session's own calls.
      for (const { get } of [second.app, server])
        expect((await get('/sessions/:id', { params: { id: OTHER } })).summary).not.toContain('commit');
      const { items } = await server.get('/timeline', { query: { limit: 10 } });
      expect(items.flatMap((item) => ('git_activity' in item ? item.git_activity : []))).toHaveLength(1);
    });
  });
});
