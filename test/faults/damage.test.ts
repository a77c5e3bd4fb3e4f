import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCommands, sendTo } from '../../src/app/commands.ts';
import { openApp } from '../../src/app/open-app.ts';
import { rebuild } from '../../src/app/rebuild.ts';
import { addDeviceToken } from '../../src/store/queries/devices/device-tokens.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { fixedClock, NOW, PROGRAMS, type Program, silentLog } from '../support/programs.ts';
import { type CommandRun, runCommand } from '../support/run-command.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const SESSIONS = 12;

function idOf(number: number): string {
  return `${String(number).padStart(8, '0')}-2222-4333-8444-555555555555`;
}

function fill(home: ClaudeHome): void {
  for (let number = 1; number <= SESSIONS; number++) {
    const id = number === 1 ? ID : idOf(number);
    const talk = createTalk(id, { prefix: `s${number}` });
    const lines = [talk.user(`Find leak ${number}.`)];
    for (let turn = 0; turn < 20; turn++) {
      lines.push(talk.assistant(`msg_${number}_${turn}`, text(`Answer ${turn}. `.repeat(40)), { input: 1, output: 2 }));
    }
    home.write(`-home-ada-shop/${id}.jsonl`, lines);
  }
  home.write('../history.jsonl', '{"display":"Find the leak.","timestamp":1}\n');
}

function run(program: Program, ...words: string[]): Promise<CommandRun> {
  return runCommand(words, { config: program.config, openApp: () => program.open() });
}

async function createFilled(home: ClaudeHome, which = 0): Promise<Program> {
  const kind = PROGRAMS[which];
  if (kind === undefined) throw new Error('no such program');
  fill(home);
  const program = await kind.create(home.path);
  await using app = await program.open();
  await app.importNew();
  return program;
}

async function dump(program: Program): Promise<string> {
  await using app = await program.open();
  return await dumpStore(app.store.engine);
}

const databaseOf = ({ config }: Program) => join(config.home, 'fuel.db');
const journalOf = ({ config }: Program) => join(config.home, 'archive/journal.jsonl');

function loseDatabase(program: Program): void {
  for (const tail of ['', '-wal', '-shm']) rmSync(databaseOf(program) + tail, { force: true });
}

/** Our own generator, for the same bytes every time. */
function damage(path: string, seed: number, flips: number): void {
  const size = statSync(path).size;
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const file = openSync(path, 'r+');
  for (let flip = 0; flip < flips; flip++) writeSync(file, Buffer.from([random(256)]), 0, 1, random(size));
  closeSync(file);
}

describe('a damaged database', () => {
  it.each([1, 2, 3, 4])('is rebuilt from the archive, whatever bytes are flipped (%i)', async (seed) => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    const before = await dump(program);
    damage(databaseOf(program), seed, 40);
    const report = await rebuild({ config: program.config, clock: fixedClock, log: silentLog }, {});
    expect(report.failed).toEqual([]);
    expect(await dump(program)).toBe(before);
    expect((await run(program, 'verify')).error).toBeNull();
  });

  it('is found by doctor and verify, which say how to repair it', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    const path = databaseOf(program);
    const file = openSync(path, 'r+');
    // Whole pages from the second on: the file opens, but its tables cannot be read.
    writeSync(file, Buffer.alloc(statSync(path).size - 8_192, 0xa5), 0, statSync(path).size - 8_192, 8_192);
    closeSync(file);
    const verify = await run(program, 'verify');
    expect([verify.error?.exitCode, verify.error?.code]).toEqual([7, 'store_corrupt']);
    expect(verify.error?.hint).toContain('fuel-code rebuild');
    const doctor = await run(program, 'doctor');
    expect(doctor.error?.exitCode).toBe(7);
    expect(doctor.out).toContain('fuel-code rebuild');
    const sessions = await run(program, 'sessions');
    expect([sessions.error?.exitCode, sessions.error?.hint]).toEqual([7, expect.stringContaining('fuel-code rebuild')]);
  });

  it('keeps data that the archive does not have: notes, tokens, events and shares', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    {
      await using app = await program.open();
      const send = sendTo(createCommands(app, fixedClock, () => {}));
      await send('PATCH /sessions/:id', { params: { id: ID }, body: { tags: ['leak'] } });
      await addDeviceToken(
        app.store.engine.kysely,
        { id: 't1', name: 'laptop', sha256: 'x', isWriteOnly: false },
        NOW.toISOString(),
      );
      await app.store.engine.kysely
        .insertInto('events')
        .values({
          id: 'event-1',
          type: 'session.end',
          timestamp: '2026-11-08T12:00:01.000Z',
          device_id: app.device.id,
          session_id: ID,
          data: JSON.stringify({ session_id: ID, end_reason: 'logout' }),
          ingested_at: NOW.toISOString(),
        })
        .execute();
    }
    rmSync(journalOf(program));
    const report = await rebuild({ config: program.config, clock: fixedClock, log: silentLog }, {});
    expect(report).toMatchObject({ captures_replayed: 0, captures_from_database: SESSIONS + 1, rows_lost: [] });
    expect(report.set_aside).toBeNull();
    await using app = await program.open();
    const { kysely } = app.store.engine;
    expect(await kysely.selectFrom('device_tokens').select('name').execute()).toEqual([{ name: 'laptop' }]);
    expect(await kysely.selectFrom('events').select('session_id').execute()).toEqual([{ session_id: ID }]);
    expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
      tags: ['leak'],
      end_reason: 'logout',
    });
  });

  // Killed at any point, the swap is either completed or not started.
  it('is replaced atomically, even when the process is killed', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    const before = await dump(program);
    const path = databaseOf(program);
    // The state after a kill: the note is written, the new database is ready, and the log of the old one still exists.
    writeFileSync(`${path}.rebuild`, readFileSync(path));
    writeFileSync(`${path}-wal`, 'the log of another database');
    writeFileSync(`${path}.swap`, JSON.stringify({ fresh: 'fuel.db.rebuild', aside: 'fuel.db.broken' }));
    damage(path, 5, 2_000);
    expect(await dump(program)).toBe(before);
    expect(readdirSync(program.config.home).filter((name) => name.includes('.swap'))).toEqual([]);
    expect(readFileSync(`${path}.broken-wal`, 'utf8')).toBe('the log of another database');
  });

  it('is replaced under a process that has it open, which continues with the new one', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    await using app = await program.open();
    expect((await app.get('/status')).sessions).toBe(SESSIONS);
    await app.store.engine.kysely.updateTable('sessions').set({ title: 'WRONG' }).execute();
    await rebuild({ config: program.config, clock: fixedClock, log: silentLog }, {});
    const { sessions } = await app.get('/sessions', { query: { limit: 50 } });
    expect(sessions.filter(({ title }) => title === 'WRONG')).toEqual([]);
    const send = sendTo(createCommands(app, fixedClock, () => {}));
    await send('PATCH /sessions/:id', { params: { id: ID }, body: { tags: ['later'] } });
    await using other = await program.open();
    expect((await other.get('/sessions/:id', { params: { id: ID } })).tags).toEqual(['later']);
  });

  it('stays unchanged when its rebuild is interrupted', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    const before = await dump(program);
    const stop = new AbortController();
    stop.abort();
    const rebuilding = rebuild({ config: program.config, clock: fixedClock, log: silentLog }, { signal: stop.signal });
    await expect(rebuilding).rejects.toMatchObject({ code: 'interrupted' });
    expect(await dump(program)).toBe(before);
    expect(readdirSync(program.config.home).filter((name) => name.startsWith('fuel.db.'))).toEqual([]);
  });
});

describe('a lost database', () => {
  it('is reported by every command that would show nothing', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    loseDatabase(program);
    rmSync(join(home.path, 'projects'), { recursive: true });
    rmSync(join(home.path, 'history.jsonl'));
    const sentence = `The archive contains ${SESSIONS + 1} captures that the database does not have. Run \`fuel-code rebuild\`.`;
    for (const command of ['status', 'doctor', 'verify']) {
      const { out, err, error } = await run(program, command);
      expect(`${out}${err}`.replaceAll(/\s+/g, ' ')).toContain(sentence);
      if (command !== 'status') expect(error?.exitCode).toBe(7);
    }
    // An empty list or a cost of zero would look like an answer.
    for (const words of ['sessions', 'sessions --json', 'stats', 'cost', 'cost --json', 'search apples', 'timeline']) {
      const { out, error } = await run(program, ...words.split(' '));
      expect([words, out, error?.exitCode]).toEqual([words, '', 7]);
      expect(error?.message).toContain(`the archive holds ${SESSIONS + 1} captures`);
      expect(error?.hint).toContain('fuel-code rebuild');
    }
    expect((await run(program, 'rebuild')).error).toBeNull();
    for (const command of ['sessions', 'status', 'doctor', 'verify']) {
      const { out, err, error } = await run(program, command);
      expect(`${out}${err}`).not.toContain('does not know');
      expect(error).toBeNull();
    }
  });

  it('comes back with the operating system and architecture of this machine', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    loseDatabase(program);
    await rebuild({ config: program.config, clock: fixedClock, log: silentLog }, {});
    await using app = await program.open();
    const { kysely } = app.store.engine;
    expect(await kysely.selectFrom('devices').select(['os', 'arch', 'type']).execute()).toEqual([
      { os: process.platform, arch: process.arch, type: 'local' },
    ]);
  });
});

describe.each(PROGRAMS.map(({ name }, which) => ({ name, which })))('a damaged archive, on $name', ({ which }) => {
  it('makes rebuild fail when a blob is missing, and keeps the existing rows', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home, which);
    let lost = '';
    {
      await using app = await program.open();
      const { kysely } = app.store.engine;
      const segment = await kysely
        .selectFrom('segments as s')
        .innerJoin('source_files as f', 'f.id', 's.source_file_id')
        .select('s.blob_sha256')
        .where('f.session_id', '=', ID)
        .executeTakeFirstOrThrow();
      lost = segment.blob_sha256;
      await app.blobs.delete(lost);
    }
    const { error, out } = await run(program, 'rebuild');
    expect([error?.exitCode, error?.code]).toEqual([7, 'incomplete']);
    expect(out).toContain(lost);
    await using app = await program.open();
    expect(
      (await app.get('/sessions/:id/transcript', { params: { id: ID }, query: { limit: 50 } })).messages.length,
    ).toBeGreaterThan(10);
  });

  it('is reported when the journal is incomplete, and repaired from the store', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home, which);
    {
      await using app = await program.open();
      const { kysely } = app.store.engine;
      await kysely
        .insertInto('session_tags')
        .values({ session_id: ID, tag: 'x', created_at: NOW.toISOString() })
        .execute();
      // A capture that only the store has.
      const file = await kysely.selectFrom('generations').selectAll().executeTakeFirstOrThrow();
      await kysely
        .insertInto('generations')
        .values({ ...file, number: 7, size_bytes: 0, sha256: null })
        .execute();
    }
    const { error } = await run(program, 'verify');
    expect([error?.exitCode, error?.code]).toEqual([7, 'incomplete']);
    expect((await run(program, 'verify', '--heal')).error).toBeNull();
    await using app = await program.open();
    const records = await Array.fromAsync(app.journal.read());
    expect(records).toContainEqual(expect.objectContaining({ what: 'tagged', sessionId: ID, tags: ['x'] }));
  });
});

describe('a damaged journal', () => {
  it('is counted, reported and repaired while the database exists', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    const lines = readFileSync(journalOf(program), 'utf8').split('\n');
    const digit = lines[3]?.search(/"sha256":"[0-9a-f]/) ?? 0;
    lines[3] = `${lines[3]?.slice(0, digit + 10)}${lines[3]?.[digit + 10] === 'f' ? '0' : 'f'}${lines[3]?.slice(digit + 11)}`;
    lines[5] = '{"format":1,';
    writeFileSync(journalOf(program), lines.join('\n'));
    const { error, out } = await run(program, 'verify');
    expect(error?.exitCode).toBe(7);
    expect(out).toContain('line 4 of the journal');
    expect(out).toContain('line 6 of the journal');
    const doctor = await run(program, 'doctor');
    expect([doctor.error?.exitCode, doctor.out]).toEqual([7, expect.stringContaining('journal')]);
    expect((await run(program, 'rebuild')).error).toBeNull();
    expect((await run(program, 'verify')).error).toBeNull();
    loseDatabase(program);
    rmSync(join(home.path, 'projects'), { recursive: true });
    expect((await run(program, 'rebuild')).error).toBeNull();
    await using app = await program.open();
    expect((await app.get('/status')).sessions).toBe(SESSIONS);
  });

  it('makes rebuild fail when the database is lost too, and restores the rest', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    const lines = readFileSync(journalOf(program), 'utf8').split('\n');
    writeFileSync(journalOf(program), [...lines.slice(0, 4), 'garbage', ...lines.slice(5)].join('\n'));
    loseDatabase(program);
    rmSync(join(home.path, 'projects'), { recursive: true });
    const { error, out } = await run(program, 'rebuild');
    expect(error?.exitCode).toBe(7);
    expect(out).toContain('line 5 of the journal');
    await using app = await program.open();
    expect((await app.get('/status')).sessions).toBeGreaterThanOrEqual(SESSIONS - 1);
  });

  it('that was deleted is written again by the next import', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    const before = await dump(program);
    rmSync(journalOf(program));
    {
      await using app = await program.open();
      await app.importNew();
    }
    loseDatabase(program);
    expect((await run(program, 'rebuild')).error).toBeNull();
    expect(await dump(program)).toBe(before);
  });

  it('loses no record to a line cut off by a crash or to separators inside texts', async () => {
    using home = createClaudeHome();
    await using program = await createFilled(home);
    appendFileSync(journalOf(program), '{"format":1,"half');
    await using app = await openApp({ config: program.config, clock: fixedClock, log: silentLog });
    await app.journal.append({ format: 1, what: 'test', text: 'a\u2028b\u2029c\r' });
    const records = await Array.fromAsync(app.journal.read());
    expect(records.at(-1)).toEqual({ format: 1, what: 'test', text: 'a\u2028b\u2029c\r' });
  });
});
