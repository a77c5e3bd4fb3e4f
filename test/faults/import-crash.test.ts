import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { baseEnv } from '../support/processes.ts';
import { LAUNCHER, runProgram } from '../support/run-program.ts';
import { size } from '../support/sizes.ts';
import { until } from '../support/until.ts';

const SESSIONS = 24;
const KILLS = size('IMPORT_KILLS', 4);
let claude: ClaudeHome;
let scratch = '';
let golden = '';
let allBytes = 0;

/** One device id for all data folders, so that their rows can be compared. */
const DEVICE = '{"id":"01TESTDEVICE000000000000000","name":"test"}';

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'fuel-code-crash-'));
  claude = createClaudeHome();
  for (let n = 0; n < SESSIONS; n++) writeSession(n);
  const home = newHome('golden');
  expect((await backfill(home)).code).toBe(0);
  golden = await dump(home);
  allBytes = sum(home, 'segments', 'size_bytes');
});
afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(scratch, { recursive: true });
});

function writeSession(n: number): void {
  const id = `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;
  const talk = createTalk(id, { prefix: `s${n}-`, startedAt: new Date(Date.UTC(2026, 9, 1, n)).toISOString() });
  const lines = Array.from({ length: 12 }, (_, at) => [
    talk.user(`Question ${at} of session ${n}`),
    talk.assistant(`msg_${n}_${at}`, toolUse(`toolu_${n}_${at}`, 'Bash', { command: 'ls' }), { input: at, output: n }),
    talk.result(`toolu_${n}_${at}`, 'file '.repeat(300)),
    talk.assistant(`msg_${n}_${at}b`, text('done'), { input: 1, output: 1 }),
  ]);
  claude.write(`-home-ada-p${n % 4}/${id}.jsonl`, lines.flat());
}

function newHome(name: string): string {
  const home = join(scratch, name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  execFileSync('sh', ['-c', 'umask 077; printf %s "$1" > "$2/device.json"', 'sh', DEVICE, home]);
  return home;
}

const environment = (home: string) => ({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claude.path });
const backfill = (home: string) => runProgram(['backfill', '--json'], { env: environment(home) });

async function dump(home: string): Promise<string> {
  const engine = openSqlite(join(home, 'fuel.db'));
  try {
    return await dumpStore(engine);
  } finally {
    await engine.close();
  }
}

function count(home: string, table: string): number {
  const path = join(home, table.startsWith('search_') ? 'search.db' : 'fuel.db');
  if (!existsSync(path)) return 0;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0);
  } catch {
    return 0;
  } finally {
    database.close();
  }
}

function sum(home: string, table: string, column: string): number {
  const database = new DatabaseSync(join(home, 'fuel.db'), { readOnly: true });
  try {
    return Number(database.prepare(`SELECT sum(${column}) AS n FROM ${table}`).get()?.n ?? 0);
  } finally {
    database.close();
  }
}

/** The revision of every parsed session, by id. */
function parsedRevisions(home: string): Readonly<Record<string, unknown>> {
  const database = new DatabaseSync(join(home, 'fuel.db'), { readOnly: true });
  try {
    const rows = database.prepare(`SELECT id, revision FROM sessions WHERE parse_status = 'completed'`).all();
    return Object.fromEntries(rows.map(({ id, revision }) => [id, revision]));
  } finally {
    database.close();
  }
}

/** Hides the transcripts, because the program knows the Claude homes it has read before. */
async function withoutTranscripts(work: () => Promise<void>): Promise<void> {
  const away = join(scratch, 'transcripts');
  renameSync(claude.path, away);
  try {
    await work();
  } finally {
    renameSync(away, claude.path);
  }
}

/** Starts an import and kills it once a table has this many rows. */
async function killAt(home: string, table: string, rows: number): Promise<void> {
  const env = { ...baseEnv(), HOME: scratch, ...environment(home) };
  const child = spawn(process.execPath, [LAUNCHER, 'backfill'], { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  await until(() => expect(child.exitCode !== null || count(home, table) >= rows).toBe(true));
  child.kill('SIGKILL');
  await ended;
}

describe('an import that is killed', () => {
  it(`E20, F17: ${KILLS} times at different moments ends with the rows of an uninterrupted import`, async () => {
    const home = newHome('killed');
    for (let kill = 1; kill <= KILLS; kill++) {
      const table = ['source_files', 'transcript_messages', 'content_blocks', 'search_documents'][kill % 4] ?? 'blobs';
      await killAt(home, table, count(home, table) + 1 + kill);
      const database = new DatabaseSync(join(home, 'fuel.db'), { readOnly: true });
      expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      database.close();
    }
    const captured = sum(home, 'segments', 'size_bytes');
    const parsed = parsedRevisions(home);
    const { code, stdout } = await backfill(home);
    expect(code).toBe(0);
    // Nothing is archived or parsed twice.
    expect(JSON.parse(stdout)).toMatchObject({ sessions: SESSIONS, failed: [], bytes_read: allBytes - captured });
    expect(parsedRevisions(home)).toMatchObject(parsed);
    expect(await dump(home)).toBe(golden);
    expect((await runProgram(['verify'], { env: environment(home) })).code).toBe(0);
    expect(JSON.parse((await backfill(home)).stdout)).toMatchObject({
      bytes_read: 0,
      sessions_parsed: 0,
      sessions_indexed: 0,
    });
  });

  it('F19: a database that is lost after a kill is rebuilt from the archive alone', async () => {
    const home = newHome('lost');
    await killAt(home, 'source_files', 5);
    await killAt(home, 'transcript_messages', count(home, 'transcript_messages') + 200);
    const captured = count(home, 'source_files');
    const loseDatabase = () => {
      for (const tail of ['', '-wal', '-shm']) rmSync(join(home, `fuel.db${tail}`), { force: true });
    };
    loseDatabase();
    await withoutTranscripts(async () => {
      const { code, stdout } = await runProgram(['rebuild', '--json'], { env: environment(home) });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ failed: [], bytes_read: 0 });
      expect(count(home, 'source_files')).toBeGreaterThanOrEqual(captured);
      expect((await runProgram(['verify'], { env: environment(home) })).code).toBe(0);
    });
    // With the transcripts, the result has the same rows as an uninterrupted import, and so does another rebuild.
    expect((await backfill(home)).code).toBe(0);
    expect(await dump(home)).toBe(golden);
    loseDatabase();
    await withoutTranscripts(async () => {
      expect((await runProgram(['rebuild'], { env: environment(home) })).code).toBe(0);
    });
    expect(await dump(home)).toBe(golden);
  });

  it('I4: by Ctrl-C stops between two sessions, says so, and continues next time', async () => {
    const home = newHome('interrupted');
    const env = { ...baseEnv(), HOME: scratch, ...environment(home) };
    const child = spawn(process.execPath, [LAUNCHER, 'backfill'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += chunk));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await until(() => expect(child.exitCode !== null || count(home, 'sessions') >= 2).toBe(true));
    child.kill('SIGINT');
    const code = await ended;
    if (code !== 0) expect([code, errors]).toEqual([130, expect.stringContaining('it continues where it stopped')]);
    expect((await backfill(home)).code).toBe(0);
    expect(await dump(home)).toBe(golden);
  });
});

describe('F18: concurrent import, list, status and a second import', () => {
  it('never meet a locked database', async () => {
    const home = newHome('together');
    const env = environment(home);
    const commands = [
      ['backfill', '--json'],
      ['sessions', '--json'],
      ['status', '--json'],
      ['backfill', '--json'],
      ['sessions', '--json', '--no-import'],
    ];
    const runs = await Promise.all(commands.map((args) => runProgram(args, { env })));
    for (const { code, stderr } of runs) {
      expect(
        stderr.replaceAll(
          /^(Another (?:fuel-code )?process is importing; (?:waiting for it to finish\.|showing .*)|More results: .*)\n/gm,
          '',
        ),
      ).toBe('');
      expect(code).toBe(0);
    }
    expect(await dump(home)).toBe(golden);
  });
});

describe('a disk that is full or read-only', () => {
  const isRoot = process.getuid?.() === 0;

  it('E14: is reported, loses nothing, and the import continues once there is space', async ({ skip }) => {
    const home = newHome('full');
    if (!isRoot || !tryMount(home, 'size=600k')) {
      const { code, stderr } = await runProgram(['backfill'], {
        env: { ...environment(home), FUEL_CODE_HOME: LAUNCHER },
      });
      expect(code).toBe(2);
      expect(stderr).toMatch(/Cannot create or use/);
      skip('tested with a file in place of the data folder: no small disk can be mounted');
    }
    try {
      execFileSync('sh', ['-c', 'umask 077; printf %s "$1" > "$2/device.json"', 'sh', DEVICE, home]);
      // Too small for an empty database, then for writes at various points of the import.
      const outcomes: string[] = [];
      for (const size of ['600k', '2600k', '2900k', '3200k', '64m']) {
        execFileSync('mount', ['-o', `remount,size=${size}`, home]);
        const { code, stderr } = await backfill(home);
        expect(stderr).not.toMatch(/\n\s+at /);
        if (code !== 0) expect(stderr).toMatch(/full/);
        const list = await runProgram(['sessions', '--no-import', '--json'], { env: environment(home) });
        outcomes.push(`${code === 0 ? 'done' : 'full'}, ${list.code === 0 ? 'readable' : 'unreadable'}`);
      }
      expect(outcomes).toContain('full, readable');
      expect(outcomes.at(-1)).toBe('done, readable');
      expect((await runProgram(['verify'], { env: environment(home) })).code).toBe(0);
      expect(await dump(home)).toBe(golden);
      execFileSync('mount', ['-o', 'remount,ro', home]);
      const readOnly = await runProgram(['backfill'], { env: environment(home) });
      expect(readOnly.code).not.toBe(0);
      expect(readOnly.stderr).toMatch(/^fuel-code: .*\.\n/);
      expect(readOnly.stderr).not.toMatch(/\n\s+at /);
    } finally {
      execFileSync('umount', [home]);
    }
  });
});

function tryMount(folder: string, options: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `${options},mode=700`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
