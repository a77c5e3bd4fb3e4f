import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { hashGeneration } from '../../src/archive/archive-bytes.ts';
import { replayJournal } from '../../src/archive/journal/replay.ts';
import { verifyArchive } from '../../src/archive/verify.ts';
import { openSpool } from '../../src/capture/spool/spool.ts';
import { migrate } from '../../src/store/migrate.ts';
import { listGenerations } from '../../src/store/queries/archive/archive.ts';
import { pageEvents } from '../../src/store/queries/events/events.ts';
import { STRUCTURE_TABLES } from '../../src/store/queries/transcript/structure-rows.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { type ClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { dumpRows } from '../support/dump-rows.ts';
import { createGitSandbox } from '../support/git-sandbox.ts';
import { fixedClock, PROGRAMS } from '../support/programs.ts';
import { createPair, type Device, fetchFrom, type Pair, shipTo } from '../support/ship-pair.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const OTHER = '22222222-2222-4333-8444-555555555555';
const TABLES = [
  'sessions',
  'transcript_messages',
  'content_blocks',
  'source_files',
  'generations',
  'git_calls',
  'git_activity',
  'session_folders',
  ...STRUCTURE_TABLES.map(([table]) => table),
];

/** The known hashes of whole versions are compared separately: the server may know more of them. */
function withoutWholeHash(line: string): string {
  return line.replace(/"sha256":(?:null|"[0-9a-f]{64}"),/, '');
}

describe.each(PROGRAMS)('a device and a server ($name)', ({ create }) => {
  let pair: Pair;
  let claude: ClaudeHome;
  let device: Device;
  let server: App;

  beforeEach(async () => {
    pair = await createPair(create);
    ({ claude, device, server } = pair);
  });
  afterEach(() => pair[Symbol.asyncDispose]());

  const talk = createTalk(ID);
  const lines = () => [
    talk.user('Please list the files.'),
    talk.assistant('m1', toolUse('t1', 'Bash', { command: 'ls' }), { input: 5, output: 7 }),
    talk.result('t1', 'shop.ts'),
    talk.assistant('m2', text('There is one file.'), { input: 9, output: 3 }),
  ];

  async function round(): Promise<void> {
    await device.app.importNew();
    await shipTo(device, { fetch: fetchFrom(server) });
    await server.importNew();
  }

  async function expectTheSame(): Promise<void> {
    const [theirs, ours] = [
      await dumpRows(server.store.engine, TABLES),
      await dumpRows(device.app.store.engine, TABLES),
    ];
    expect(theirs.map(withoutWholeHash)).toEqual(ours.map(withoutWholeHash));
    expect(await bytesOf(server)).toEqual(await bytesOf(device.app));
    // For a version that was replaced before its whole hash was compared, only the server records the hash it received.
    expect(await hashesOf(server)).toEqual(expect.arrayContaining([...(await hashesOf(device.app))]));
    const { signal } = new AbortController();
    const { engine } = server.store;
    const { problems } = await verifyArchive({
      engine,
      blobs: server.blobs,
      journal: server.journal,
      onProgress: () => {},
      signal,
    });
    expect(problems).toEqual([]);
  }

  async function bytesOf({ store, blobs }: App): Promise<readonly string[]> {
    const all = await listGenerations(store.engine.kysely);
    const hashes = all.map(async ({ sourceFileId: id, number: generation }) => {
      return `${id} ${generation} ${await hashGeneration({ engine: store.engine, blobs }, { id, generation })}`;
    });
    return (await Promise.all(hashes)).toSorted();
  }

  async function hashesOf({ store }: App): Promise<readonly string[]> {
    const all = await listGenerations(store.engine.kysely);
    const whole = all.filter(({ sha256 }) => sha256 !== null);
    return whole.map(
      ({ sourceFileId, number, sizeBytes, sha256 }) => `${sourceFileId} ${number} ${sizeBytes} ${sha256}`,
    );
  }

  it('end with the same rows and bytes, whatever the client did in between', async () => {
    claude.write(`-home-ada-shop/${ID}.jsonl`, lines());
    claude.write(`-home-ada-shop/${ID}/subagents/agent-a1.jsonl`, [
      { ...talk.user('look'), isSidechain: true, agentId: 'a1' },
    ]);
    claude.write(`-home-ada-shop/${ID}/tool-results/t1.txt`, 'a long result');
    claude.write(`-home-ada-shop/${OTHER}.jsonl`, [createTalk(OTHER, { prefix: 'v' }).user('Another one.')]);
    await round();
    await expectTheSame();

    claude.append(`-home-ada-shop/${ID}.jsonl`, [talk.user('And the folders?')]);
    await round();
    await expectTheSame();

    claude.write(`-home-ada-shop/${ID}.jsonl`, [createTalk(ID, { prefix: 'w' }).user('Rewritten by a compaction.')]);
    await round();
    await expectTheSame();

    const folder = join(claude.path, 'projects', '-home-ada-elsewhere');
    mkdirSync(folder);
    renameSync(join(claude.path, 'projects', '-home-ada-shop', `${OTHER}.jsonl`), join(folder, `${OTHER}.jsonl`));
    await round();
    await expectTheSame();
  });

  it('send nothing twice', async () => {
    claude.write(`-home-ada-shop/${ID}.jsonl`, lines());
    await device.app.importNew();
    let requests = 0;
    const counted: typeof fetch = (input, init) => {
      requests++;
      return fetchFrom(server)(input, init);
    };
    expect(await shipTo(device, { fetch: counted })).toMatchObject({ files: 1, refused: 0, paused: null });
    expect(requests).toBe(1);
    expect(await shipTo(device, { fetch: counted })).toMatchObject({ files: 0, bytes: 0 });
    expect(requests).toBe(1);
  });

  it('the device decides where a session belongs, not the disk of the server', async () => {
    claude.write(`-home-ada-shop/${ID}.jsonl`, lines());
    await round();
    const [theirs, ours] = [
      await server.get('/sessions/:id', { params: { id: ID } }),
      await device.app.get('/sessions/:id', { params: { id: ID } }),
    ];
    expect(theirs).toMatchObject({ workspace_id: ours.workspace_id, device_id: device.app.device.id });
    expect(theirs.workspace_id).not.toBe('');
  });

  it('K7: a folder of the server is not mistaken for one of the device with the same name', async () => {
    using box = createGitSandbox();
    const repository = box.init('shop');
    box.git(repository, 'remote', 'add', 'origin', 'https://github.com/ada/shop.git');
    const commit = toolUse('t9', 'Bash', { command: 'git commit -m second' });
    const made = [
      ...lines(),
      talk.assistant('m9', commit, { input: 1, output: 1 }),
      talk.result('t9', '[main abc1234] second'),
    ];
    const here = made.map((line) => ({ ...line, cwd: repository }));
    box.at('2026-11-01T10:00:30Z');
    box.commit(repository, 'second.txt');
    claude.write(`-shop/${ID}.jsonl`, here);
    await device.app.importNew();
    await shipTo(device, { fetch: fetchFrom(server) });
    // Meanwhile the folder has become another project, as it might be on another machine.
    box.git(repository, 'remote', 'set-url', 'origin', 'https://github.com/ada/another.git');
    await server.importNew();
    const commits = await server.store.engine.kysely
      .selectFrom('git_activity as g')
      .innerJoin('workspaces as w', 'w.id', 'g.workspace_id')
      .select(['g.message', 'g.device_id', 'w.canonical_id'])
      .where('g.id', 'not like', 'call_%')
      .execute();
    const ofDevice = { device_id: device.app.device.id, canonical_id: 'github.com/ada/shop' };
    expect(commits).toEqual([{ message: expect.stringContaining('second'), ...ofDevice }]);
    expect(await server.store.engine.kysely.selectFrom('git_calls').select('kind').execute()).toHaveLength(1);
    await expectTheSame();
  });

  it('ship hook events once', async () => {
    claude.write(`-home-ada-shop/${ID}.jsonl`, lines());
    mkdirSync(join(device.home, 'spool'), { mode: 0o700 });
    const hook = {
      session_id: ID,
      hook_event_name: 'SessionEnd',
      cwd: '/home/ada/shop',
      transcript_path: '/x/y.jsonl',
    };
    const payload = JSON.stringify({ ...hook, reason: 'clear' });
    writeFileSync(join(device.home, 'spool', `${fixedClock.now().getTime()}-1-1.json`), payload, { mode: 0o600 });
    expect(openSpool(device.home, fixedClock).entries()).toHaveLength(1);
    await device.app.drainHooks();
    await round();
    const { events: ours } = await pageEvents(device.app.store.engine.kysely, ID, { limit: 100 });
    expect(ours).toHaveLength(1);
    expect((await pageEvents(server.store.engine.kysely, ID, { limit: 100 })).events).toEqual(ours);
    expect(await shipTo(device, { fetch: fetchFrom(server) })).toMatchObject({ events: 0 });
    await expectTheSame();
  });

  it('F19: a server that lost its database rebuilds it from its archive, including the sessions of other devices', async () => {
    claude.write(`-home-ada-shop/${ID}.jsonl`, lines());
    await round();
    claude.write(`-home-ada-shop/${ID}.jsonl`, [createTalk(ID, { prefix: 'w' }).user('Rewritten.')]);
    await round();
    const fresh = openSqlite(':memory:');
    await migrate(fresh);
    await replayJournal(fresh, server.journal);
    const kept = ['source_files', 'generations', 'segments', 'session_workspaces'];
    expect(await dumpRows(fresh, kept)).toEqual(await dumpRows(server.store.engine, kept));
    await fresh.close();
  });
});
