import { closeSync, copyFileSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rebuild } from '../../src/app/rebuild.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { searchPathOf } from '../../src/store/sqlite/search-file.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { dumpStore, WITH_TEXTS } from '../support/dump-store.ts';
import { findText } from '../support/find-text.ts';
import { fixedClock, PROGRAMS, type Program, silentLog } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

/** F19: the full text follows from the rows, so its file may be lost, damaged or old. */

const EMBEDDED = PROGRAMS[0] as (typeof PROGRAMS)[number];
const ALL = 5;

function writeSession(claude: ClaudeHome, n: number): void {
  const id = `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;
  const talk = createTalk(id, { prefix: `s${n}-`, startedAt: new Date(Date.UTC(2026, 9, 1, n)).toISOString() });
  claude.write(`-home-ada-shop/${id}.jsonl`, [
    talk.user(`Find leak number${n}.`),
    ...Array.from({ length: 40 }, (_, turn) =>
      talk.assistant(`msg_${n}_${turn}`, text(`Leak ${n} word${n}x${turn} `.repeat(20)), { input: 1, output: 2 }),
    ),
  ]);
}

async function createFilled(claude: ClaudeHome): Promise<Program> {
  for (let n = 0; n < ALL; n++) writeSession(claude, n);
  const program = await EMBEDDED.create(claude.path);
  await importNew(program);
  return program;
}

async function importNew(program: Program): Promise<number> {
  await using app = await program.open();
  const report = await app.importNew();
  expect(report.failed).toEqual([]);
  return report.sessions_indexed;
}

async function found(program: Program, q = 'leak'): Promise<number> {
  await using app = await program.open();
  return (await app.get('/search', { query: { q, limit: 20 } })).total.sessions;
}

async function dump(program: Program): Promise<string> {
  await using app = await program.open();
  return await dumpStore(app.store.engine, WITH_TEXTS);
}

const searchOf = ({ config }: Program) => searchPathOf(join(config.home, 'fuel.db'));

function lose(program: Program): void {
  for (const tail of ['', '-wal', '-shm']) rmSync(searchOf(program) + tail, { force: true });
}

/** The second half is overwritten: the file opens, but its tables cannot be read. */
function damageInside(program: Program): void {
  const path = searchOf(program);
  const from = Math.ceil(statSync(path).size / 8_192) * 4_096;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(statSync(path).size - from, 0xa5), 0, statSync(path).size - from, from);
  closeSync(file);
}

async function doctor(program: Program): Promise<string> {
  return (await runCommand(['doctor'], { config: program.config, openApp: () => program.open() })).out;
}

describe('F19: a full-text index that is', () => {
  const losses: readonly (readonly [string, (program: Program) => void])[] = [
    ['missing', lose],
    ['not a database', (program) => writeFileSync(searchOf(program), 'x'.repeat(9_000))],
    ['empty', (program) => writeFileSync(searchOf(program), '')],
  ];

  it.each(losses)('%s is created again, and every session is indexed again', async (_, damage) => {
    using claude = createClaudeHome();
    await using program = await createFilled(claude);
    const before = await dump(program);
    damage(program);
    expect(await found(program)).toBe(0);
    expect(await doctor(program)).toContain('5 sessions are not searchable yet');
    expect(await importNew(program)).toBe(ALL);
    expect(await dump(program)).toBe(before);
    expect(await doctor(program)).toContain('all sessions are searchable');
  });

  it('damaged inside is detected by a search and by doctor, which say what happens next', async () => {
    using claude = createClaudeHome();
    await using program = await createFilled(claude);
    const before = await dump(program);
    damageInside(program);
    expect(await doctor(program)).toMatch(/index was damaged and is\s+created again: 5\s+sessions/);
    expect(await importNew(program)).toBe(ALL);
    damageInside(program);
    await expect(found(program)).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining('search.db') });
    expect(await found(program)).toBe(0);
    expect(await importNew(program)).toBe(ALL);
    expect(await dump(program)).toBe(before);
  });

  it('removed while the database is open is created by the same process', async () => {
    using claude = createClaudeHome();
    await using program = await createFilled(claude);
    await using app = await program.open();
    lose(program);
    expect((await app.importNew()).sessions_indexed).toBe(ALL);
    expect((await app.get('/search', { query: { q: 'leak', limit: 20 } })).total.sessions).toBe(ALL);
  });

  it('older than the database is rebuilt; one that is as new is kept', async () => {
    using claude = createClaudeHome();
    await using program = await createFilled(claude);
    const copy = `${searchOf(program)}.copy`;
    copyFileSync(searchOf(program), copy);
    lose(program);
    copyFileSync(copy, searchOf(program));
    expect(await importNew(program)).toBe(0);
    writeSession(claude, ALL);
    expect(await importNew(program)).toBe(1);
    const before = await dump(program);
    lose(program);
    copyFileSync(copy, searchOf(program));
    expect(await importNew(program)).toBe(ALL + 1);
    expect(await dump(program)).toBe(before);
  });

  it('of another database is emptied', async () => {
    using claude = createClaudeHome();
    await using program = await createFilled(claude);
    await using other = await createFilled(claude);
    const before = await dump(program);
    lose(program);
    copyFileSync(searchOf(other), searchOf(program));
    expect(await found(program)).toBe(0);
    expect(await importNew(program)).toBe(ALL);
    expect(await dump(program)).toBe(before);
  });
});

describe('a thread that writes the full text', () => {
  it('F16: is stopped with the import, and the same process completes it later', async () => {
    using claude = createClaudeHome();
    await using golden = await createFilled(claude);
    await using program = await EMBEDDED.create(claude.path);
    {
      await using app = await program.open();
      const stop = new AbortController();
      const onProgress = ({ files_done }: { readonly files_done: number }) => {
        if (files_done >= 2) stop.abort();
      };
      await app.importNew({ threads: 1, signal: stop.signal, onProgress });
      expect((await app.importNew({ threads: 1 })).failed).toEqual([]);
    }
    expect(await found(program)).toBe(ALL);
    const texts = async (of: Program) => (await dump(of)).split('== search_documents')[1];
    expect(await texts(program)).toBe(await texts(golden));
  });
});

describe('the full text of a deleted session', () => {
  // F1: the process exits between the two files.
  it('is gone from its file after a purge, even if the deletion stopped halfway', async () => {
    using claude = createClaudeHome();
    await using program = await createFilled(claude);
    const engine = openSqlite(join(program.config.home, 'fuel.db'));
    await engine.writeSearch(null, async ({ insertDocuments, addWords }) => {
      const columns = ['id', 'session_id', 'message_id', 'block_order', 'part', 'kind', 'chars', 'call_id'];
      await insertDocuments(columns, [[7, 'gone', 'm', 0, 0, 'answer', 9, null]]);
      await addWords([{ id: 7, words: 'canaryword', parts: '' }]);
    });
    await engine.close();
    await using app = await program.open();
    expect(await findText(app, 'canaryword')).not.toEqual([]);
    expect(await app.store.engine.scrub()).toBe(true);
    expect(await findText(app, 'canaryword')).toEqual([]);
    expect((await app.get('/search', { query: { q: 'leak', limit: 20 } })).total.sessions).toBe(ALL);
  });
});

describe('a rebuild', () => {
  it('F19: creates its own full text and leaves no other file', async () => {
    using claude = createClaudeHome();
    await using program = await createFilled(claude);
    const before = await dump(program);
    await rebuild({ config: program.config, clock: fixedClock, log: silentLog }, {});
    expect(await importNew(program)).toBe(0);
    expect(await found(program)).toBe(ALL);
    expect(await dump(program)).toBe(before);
    expect(statSync(`${searchOf(program)}.rebuild`, { throwIfNoEntry: false })).toBeUndefined();
  });
});
