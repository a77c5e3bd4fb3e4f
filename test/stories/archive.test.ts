import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import { rebuild } from '../../src/app/rebuild.ts';
import { acceptCaptures } from '../../src/archive/captures.ts';
import { hideSession } from '../../src/archive/delete-session.ts';
import { restoreSession } from '../../src/archive/restore.ts';
import { healArchive, verifyArchive } from '../../src/archive/verify.ts';
import { encodeProjectPath } from '../../src/capture/project-folder.ts';
import { FuelError } from '../../src/domain/errors.ts';
import type { BlobStore } from '../../src/domain/ports.ts';
import type { Engine } from '../../src/store/engine.ts';
import { loadSessionFiles } from '../../src/store/queries/archive/archive.ts';
import { listStoredCaptures } from '../../src/store/queries/archive/stored-records.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { fixedClock, NOW, PROGRAMS, silentLog } from '../support/programs.ts';
import { recordJournal } from '../support/silent-journal.ts';
import { createTestDatabase } from '../support/test-database.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const FORK = '99999999-2222-4333-8444-555555555555';
const MAIN = `-home-ada-shop/${ID}.jsonl`;
const scratch = mkdtempSync(join(tmpdir(), 'fuel-code-archive-'));
afterAll(() => rmSync(scratch, { recursive: true }));

function fill(home: ClaudeHome): void {
  const talk = createTalk(ID);
  const lines = [talk.user('Find the leak.'), talk.assistant('msg_1', text('Found.'), { input: 1, output: 2 })];
  home.write(MAIN, [...lines, talk.user('Thanks.')]);
  home.write(`-home-ada-shop/${ID}/subagents/agent-a1.jsonl`, [
    { ...createTalk(ID, { prefix: 'a' }).user('Look.'), isSidechain: true, agentId: 'a1' },
  ]);
  home.write(`-home-ada-shop/${ID}/subagents/agent-a1.meta.json`, '{"agentType":"Explore"}');
  home.write(`-home-ada-shop/${ID}/tool-results/toolu_1.txt`, 'much output\n');
  home.write(`../tasks/${ID}/1.json`, '{"id":"1","subject":"leak"}');
  home.write(`-home-ada-shop/${FORK}.jsonl`, [
    ...lines.map((line) => ({ ...line, sessionId: FORK })),
    createTalk(FORK, { prefix: 'f', startedAt: '2026-11-02T00:00:00.000Z' }).user('Else.'),
  ]);
  home.write('../history.jsonl', '{"display":"Find the leak.","timestamp":1}\n');
}

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted();
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describe.each(PROGRAMS)('the archive, on $name', ({ name, create }) => {
  it('keeps every file of a session and verifies it', async () => {
    using home = createClaudeHome();
    fill(home);
    await using program = await create(home.path);
    await using app = await program.open();
    expect(await app.importNew()).toMatchObject({ failed: [] });
    const { engine } = app.store;
    const kinds = (await loadSessionFiles(engine.kysely, ID)).map(({ kind, state }) => `${kind} ${state}`);
    expect(kinds.toSorted()).toEqual([
      'agent captured',
      'agent_meta captured',
      'main captured',
      'tasks captured',
      'tool_result captured',
    ]);
    expect(await verifyArchive({ engine, blobs: app.blobs, journal: app.journal })).toMatchObject({
      files: 7,
      generations: 7,
      problems: [],
    });
  });

  it('deletions and captures of several files are on the disk in the journal before the database has them', async () => {
    using home = createClaudeHome();
    fill(home);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const { engine } = app.store;
    const { journal, calls } = recordJournal(app.journal);
    const watched: Engine = {
      ...engine,
      transaction: async (work) => {
        const done = await engine.transaction(work);
        calls.push('commit');
        return done;
      },
    };
    const now = NOW.toISOString();
    const stored = await listStoredCaptures(engine.kysely);
    await acceptCaptures(
      watched,
      journal,
      stored.map(({ capture }) => ({ capture, part: null })),
      now,
    );
    expect(calls.splice(0)).toEqual(['append', 'flush', 'commit']);
    await hideSession({ engine: watched, journal }, FORK, { at: now, purgeAt: now });
    expect(calls).toEqual(['append', 'flush', 'commit']);
  });

  it('E18: verify names damaged, missing and truncated data', async () => {
    using home = createClaudeHome();
    fill(home);
    await using program = await create(home.path);
    await using app = await program.open();
    expect(await app.importNew()).toMatchObject({ failed: [] });
    const { engine } = app.store;
    const [file] = await loadSessionFiles(engine.kysely, FORK);
    const segment = await engine.kysely
      .selectFrom('segments')
      .selectAll()
      .where('source_file_id', '=', file?.id ?? '')
      .executeTakeFirstOrThrow();
    const find = async () => {
      const { problems } = await verifyArchive({ engine, blobs: app.blobs, journal: app.journal });
      return problems.map(({ path, problem }) => `${path}: ${problem}`);
    };
    const path = `projects/-home-ada-shop/${FORK}.jsonl`;
    const startAt = (start_offset: number) =>
      engine.kysely.updateTable('segments').set({ start_offset }).where('source_file_id', '=', segment.source_file_id);
    await startAt(5).execute();
    expect(await find()).toEqual([`${path}: bytes 0 to 5 are missing`]);
    await startAt(0).execute();
    const generation = engine.kysely.updateTable('generations').where('source_file_id', '=', segment.source_file_id);
    await generation.set({ sha256: '0'.repeat(64) }).execute();
    expect(await find()).toEqual([`${path}: the content does not match its SHA-256`]);
    const to = join(scratch, `${name}-wrong`);
    const options = { engine, blobs: app.blobs, to, projectFolder: null, replaces: false, now: NOW };
    await expect(restoreSession({ ...options, sessionId: FORK })).rejects.toMatchObject({ code: 'blob_corrupt' });
    expect(filesBelow(to)).toEqual([]);
    await app.blobs.delete(segment.blob_sha256);
    expect(await find()).toEqual([expect.stringContaining(`${path}: `)]);
    await engine.kysely.deleteFrom('segments').where('source_file_id', '=', segment.source_file_id).execute();
    expect((await find())[0]).toMatch(/: only 0 of \d+ bytes are present$/);
  });

  it('G7: a lost blob is stored again from its source file if the bytes are still there', async () => {
    using home = createClaudeHome();
    fill(home);
    await using program = await create(home.path);
    await using app = await program.open();
    expect(await app.importNew()).toMatchObject({ failed: [] });
    const { engine } = app.store;
    const lost = await Array.fromAsync(app.blobs.list());
    for (const sha of lost) await app.blobs.delete(sha);
    writeFileSync(join(home.path, 'projects', MAIN), 'other bytes\n');
    const deviceId = app.device.id;
    expect(await healArchive({ engine, blobs: app.blobs, deviceId: 'another' })).toEqual([]);
    const healed = await healArchive({ engine, blobs: app.blobs, deviceId });
    expect(healed.length).toBeGreaterThan(0);
    expect(healed.length).toBeLessThan(lost.length);
    const { problems } = await verifyArchive({ engine, blobs: app.blobs, journal: app.journal });
    expect(problems.filter(({ generation }) => generation !== null).map(({ path }) => path)).toEqual([
      `projects/${MAIN}`,
    ]);
    expect(await healArchive({ engine, blobs: app.blobs, deviceId })).toEqual([]);
  });

  it('I8: restores deleted files byte for byte', async () => {
    using home = createClaudeHome();
    fill(home);
    const before = new Map(filesBelow(home.path).map((path) => [path, sha256(join(home.path, path))]));
    await using program = await create(home.path);
    await using app = await program.open();
    expect(await app.importNew()).toMatchObject({ failed: [] });
    rmSync(join(home.path, 'projects'), { recursive: true });
    const { engine } = app.store;
    const options = { engine, blobs: app.blobs, to: home.path, projectFolder: null, replaces: false, now: NOW };
    for (const sessionId of [ID, FORK]) await restoreSession({ ...options, sessionId });
    expect(new Map(filesBelow(home.path).map((path) => [path, sha256(join(home.path, path))]))).toEqual(before);
    expect(statSync(join(home.path, 'projects', MAIN)).mtime).toEqual(NOW);
    const again = await restoreSession({ ...options, sessionId: ID });
    expect(new Set(again.map(({ outcome }) => outcome))).toEqual(new Set(['already there']));
    writeFileSync(join(home.path, 'projects', MAIN), 'other');
    const kept = await restoreSession({ ...options, sessionId: ID });
    expect(kept.find(({ path }) => path.endsWith(MAIN))?.outcome).toBe('kept (differs)');
    const moved = await restoreSession({
      ...options,
      sessionId: ID,
      to: join(scratch, name),
      projectFolder: encodeProjectPath('/new/place'),
    });
    expect(moved.some(({ path }) => path.endsWith(`projects/-new-place/${ID}.jsonl`))).toBe(true);
  });

  it('restores a file piece by piece, and leaves nothing behind when a piece is damaged', async () => {
    using home = createClaudeHome();
    const talk = createTalk(ID);
    home.write(MAIN, [talk.user('One.')]);
    await using program = await create(home.path);
    await using app = await program.open();
    for (const prompt of ['Two.', 'Three.']) {
      expect(await app.importNew()).toMatchObject({ failed: [] });
      home.append(MAIN, [talk.user(prompt)]);
    }
    expect(await app.importNew()).toMatchObject({ failed: [] });
    const to = join(scratch, `pieces-${name}`);
    mkdirSync(to);
    const written: number[] = [];
    let isDamaged = true;
    const get: BlobStore['get'] = async (sha) => {
      written.push(filesBelow(to).reduce((sum, path) => sum + statSync(join(to, path)).size, 0));
      if (isDamaged && written.length > 2) throw new FuelError('blob_corrupt', 'Damaged.');
      return app.blobs.get(sha);
    };
    const blobs = { ...app.blobs, get };
    const options = { engine: app.store.engine, blobs, to, projectFolder: null, replaces: false, now: NOW };
    await expect(restoreSession({ ...options, sessionId: ID })).rejects.toThrow('Damaged.');
    expect(filesBelow(to)).toEqual([]);
    isDamaged = false;
    written.length = 0;
    await restoreSession({ ...options, sessionId: ID });
    expect(written.length).toBeGreaterThan(2);
    expect(written.slice(1).every((bytes) => bytes > 0)).toBe(true);
    expect(sha256(join(to, 'projects', MAIN))).toBe(sha256(join(home.path, 'projects', MAIN)));
  });

  it('C7: keeps deleted files and says that they exist only here', async () => {
    using home = createClaudeHome();
    fill(home);
    await using program = await create(home.path);
    await using app = await program.open();
    expect(await app.importNew()).toMatchObject({ failed: [] });
    unlinkSync(join(home.path, 'projects', MAIN));
    expect(await app.importNew()).toMatchObject({ failed: [] });
    const main = (await loadSessionFiles(app.store.engine.kysely, ID)).find(({ kind }) => kind === 'main');
    expect(main?.state).toBe('gone');
    expect(
      (await app.get('/sessions/:id/transcript', { params: { id: ID }, query: { limit: 50 } })).messages.length,
    ).toBeGreaterThan(2);
  });

  it('a file that moves to another project folder is not stored again, and continues there', async () => {
    using home = createClaudeHome();
    const talk = createTalk(ID);
    const path = home.write(MAIN, [talk.user('One.')]);
    await using program = await create(home.path);
    await using app = await program.open();
    expect(await app.importNew()).toMatchObject({ failed: [] });
    home.append(MAIN, [talk.user('Two.')]);
    expect(await app.importNew()).toMatchObject({ failed: [] });
    home.write('-home-ada-worktree/keep.txt', '');
    const moved = join(home.path, 'projects/-home-ada-worktree', `${ID}.jsonl`);
    renameSync(path, moved);
    home.append(`-home-ada-worktree/${ID}.jsonl`, [talk.user('Three.')]);
    const report = await app.importNew();
    expect(report.bytes_read).toBe(JSON.stringify(talk.user('Three.')).length + 1);
    expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({ user_messages: 3 });
    expect(await verifyArchive({ engine: app.store.engine, blobs: app.blobs, journal: app.journal })).toMatchObject({
      problems: [],
    });
    const files = await loadSessionFiles(app.store.engine.kysely, ID);
    expect(files.map(({ state }) => state).toSorted()).toEqual(['archived', 'gone']);
    expect((await app.get('/sessions/:id', { params: { id: ID } })).anomalies).toEqual({});
    const options = {
      engine: app.store.engine,
      blobs: app.blobs,
      sessionId: ID,
      projectFolder: null,
      replaces: false,
      now: NOW,
    };
    const restored = await restoreSession({ ...options, to: join(scratch, `moved-${name}`) });
    expect(restored.map(({ path }) => path.includes('worktree'))).toEqual([true]);
  });

  it('C7: a session that was moved and then deleted is restored once, to its last folder', async () => {
    using home = createClaudeHome();
    fill(home);
    for (const run of ['wf_1', 'wf_2'])
      home.write(`-home-ada-shop/${ID}/subagents/workflows/${run}/journal.jsonl`, '{"type":"started"}\n');
    await using program = await create(home.path);
    let nowMs = NOW.getTime();
    const clock = { ...fixedClock, now: () => new Date((nowMs += 1_000)) };
    await using app = await openApp({ config: program.config, clock, log: silentLog });
    expect(await app.importNew()).toMatchObject({ failed: [] });
    const project = (folder: string) => join(home.path, 'projects', folder);
    rmSync(join(project('-home-ada-shop'), `${FORK}.jsonl`));
    renameSync(project('-home-ada-shop'), project('-home-ada-worktree'));
    const last = filesBelow(home.path).filter((path) => path.includes(ID));
    expect(await app.importNew()).toMatchObject({ failed: [] });
    rmSync(project('-home-ada-worktree'), { recursive: true });
    expect(await app.importNew()).toMatchObject({ failed: [] });
    const to = join(scratch, `deleted-${name}`);
    const options = { blobs: app.blobs, to, projectFolder: null, replaces: false, now: NOW };
    await restoreSession({ ...options, engine: app.store.engine, sessionId: ID });
    expect(filesBelow(to)).toEqual(last);
  });

  it('F19: rebuilds the store with the same rows', async () => {
    using home = createClaudeHome();
    fill(home);
    await using program = await create(home.path);
    let before = '';
    {
      await using app = await program.open();
      await app.importNew();
      home.append(MAIN, [createTalk(ID, { prefix: 'z' }).user('More.')]);
      await app.importNew();
      home.write(MAIN, [createTalk(ID, { prefix: 'y' }).user('Rewritten.')]);
      await app.importNew();
      before = await dumpStore(app.store.engine);
    }
    const fresh = program.config.databaseUrl === null ? null : await createTestDatabase();
    const config = { ...program.config, databaseUrl: fresh?.url ?? null };
    if (fresh === null)
      for (const tail of ['', '-wal', '-shm']) rmSync(join(config.home, `fuel.db${tail}`), { force: true });
    const options = { config, clock: fixedClock, log: silentLog };
    expect(await rebuild(options, {})).toMatchObject({ sessions_parsed: 2, failed: [], bytes_read: 0 });
    {
      await using app = await openApp(options);
      expect(await dumpStore(app.store.engine)).toBe(before);
      expect((await app.get('/search', { query: { q: 'rewritten', limit: 20 } })).total.places).toBe(1);
    }
    await fresh?.drop();
  });
});

describe('the embedded database', () => {
  it.each(['truncated', 'overwritten'])('F19: is set aside and rebuilt when %s', async (how) => {
    using home = createClaudeHome();
    fill(home);
    const embedded = PROGRAMS[0];
    if (embedded === undefined) throw new Error('no embedded program');
    await using program = await embedded.create(home.path);
    let before = '';
    {
      await using app = await program.open();
      await app.importNew();
      before = await dumpStore(app.store.engine);
    }
    const path = join(program.config.home, 'fuel.db');
    cpSync(path, join(scratch, `before-${how}.db`));
    if (how === 'truncated') truncateSync(path, 5_000);
    else writeFileSync(path, 'this is not a database, but it is long enough to look like one'.repeat(100));
    for (const tail of ['-wal', '-shm']) rmSync(path + tail, { force: true });
    const options = { config: program.config, clock: fixedClock, log: silentLog };
    const report = await rebuild(options, {});
    expect(report.set_aside === null ? null : existsSync(report.set_aside)).toBe(true);
    await using app = await program.open();
    expect(await dumpStore(app.store.engine)).toBe(before);
  });
});
