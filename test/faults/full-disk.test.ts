import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { MAX_ATTEMPTS } from '../../src/domain/pipeline.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { childEnv } from '../support/processes.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';
import { LAUNCHER } from '../support/run-program.ts';

const run = promisify(execFile);
const SESSIONS = 6;

function fill(home: ClaudeHome): void {
  for (let number = 1; number <= SESSIONS; number++) {
    const id = `${String(number).padStart(8, '0')}-2222-4333-8444-555555555555`;
    const talk = createTalk(id, { prefix: `s${number}` });
    const answer = (turn: number) =>
      talk.assistant(`msg_${number}_${turn}`, text(`Answer ${turn}. `.repeat(200)), { input: 1, output: 2 });
    home.write(`-home-ada-shop/${id}.jsonl`, [
      talk.user('Find it.'),
      ...Array.from({ length: 20 }, (_, n) => answer(n)),
    ]);
  }
}

async function createEmbedded(home: ClaudeHome): Promise<Program> {
  const [embedded] = PROGRAMS;
  if (embedded === undefined) throw new Error('no embedded program');
  return embedded.create(home.path);
}

/** For SQLite, a database that may not grow is the same as a full disk: it returns SQLITE_FULL. */
async function allowPages(app: App, more: number | null): Promise<void> {
  const { kysely } = app.store.engine;
  const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(kysely);
  const pages = more === null ? 1_073_741_823 : (rows[0]?.page_count ?? 0) + more;
  await sql`PRAGMA max_page_count = ${sql.lit(pages)}`.execute(kysely);
}

describe('a full disk', () => {
  it('is reported, counts against no session, and the next import does everything', async () => {
    using home = createClaudeHome();
    fill(home);
    await using program = await createEmbedded(home);
    await using app = await program.open();
    for (let attempt = 0; attempt <= MAX_ATTEMPTS + 1; attempt++) {
      await allowPages(app, 3);
      await expect(app.importNew()).rejects.toMatchObject({
        code: 'disk_full',
        exitCode: 7,
        hint: expect.stringContaining('Free some space'),
      });
    }
    const { kysely } = app.store.engine;
    const rows = await kysely.selectFrom('sessions').select(['attempts', 'lifecycle', 'parse_error']).execute();
    expect(rows.filter(({ lifecycle, parse_error }) => lifecycle === 'failed' || parse_error !== null)).toEqual([]);
    expect(Math.max(0, ...rows.map(({ attempts }) => attempts))).toBe(0);
    await allowPages(app, null);
    const { out, error } = await runCommand(['backfill', '--json'], {
      config: program.config,
      openApp: () => program.open(),
    });
    expect(error).toBeNull();
    expect(JSON.parse(out)).toMatchObject({ sessions: SESSIONS, failed: [], pending: [] });
    const parsed = await kysely.selectFrom('sessions').select('id').where('revision', '>', 0).execute();
    expect(parsed).toHaveLength(SESSIONS);
  });

  it('backfill names what is left and fails while a session waits for its next attempt', async () => {
    using home = createClaudeHome();
    fill(home);
    await using program = await createEmbedded(home);
    {
      await using app = await program.open();
      await app.importNew();
      const { kysely } = app.store.engine;
      await kysely
        .updateTable('sessions')
        .set({ lifecycle: 'failed', parse_status: 'failed', parse_error: 'It broke.', parser_version: 0 })
        .set({ attempts: 2, next_try_at_ms: Date.now() + 600_000 })
        .where('id', 'like', '00000003%')
        .execute();
    }
    const { out, error } = await runCommand(['backfill'], { config: program.config, openApp: () => program.open() });
    expect([error?.code, error?.exitCode]).toEqual(['incomplete', 7]);
    expect(out).toContain('Pending: 00000003-2222-4333-8444-555555555555: It broke.');
  });

  // A real full disk, if this machine allows a test to mount one.
  it('on a small disk: doctor and backfill fail with 7, and everything works once there is space', async ({ skip }) => {
    using home = createClaudeHome();
    fill(home);
    const disk = mkdtempSync(join(tmpdir(), 'fuel-code-disk-'));
    const refused = await run('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', disk]).then(
      () => null,
      (error: Error) => error.message,
    );
    try {
      skip(refused !== null, `no small disk can be mounted: ${refused}`);
      expect(await runOnSmallDisk(disk, home.path)).toBe(SESSIONS);
    } finally {
      if (refused === null) await run('umount', ['-l', disk]);
      rmSync(disk, { recursive: true, force: true });
    }
  });
});

/** Returns the final number of sessions. */
async function runOnSmallDisk(disk: string, claudeHome: string): Promise<number> {
  const env = childEnv({ FUEL_CODE_HOME: join(disk, 'data'), CLAUDE_CONFIG_DIR: claudeHome });
  const command = (...words: string[]) =>
    run(process.execPath, [LAUNCHER, ...words], { env }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  mkdirSync(join(disk, 'data'), { mode: 0o700 });
  await useFull(disk, command);
  const { code, stdout } = await command('backfill', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ failed: [], pending: [] });
  return (JSON.parse(stdout) as { readonly sessions: number }).sessions;
}

type RunCommand = (
  ...words: string[]
) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;

async function useFull(disk: string, command: RunCommand): Promise<void> {
  fillUp(join(disk, 'filler'));
  expect(await command('doctor')).toMatchObject({ code: 7, stdout: expect.stringMatching(/BAD +disk/) });
  const full = await command('backfill');
  expect(full).toMatchObject({ code: 7, stderr: expect.stringContaining('disk is full') });
  expect(full.stderr).toContain('Free some space');
  rmSync(join(disk, 'filler'));
}

/** Down to the last byte. */
function fillUp(path: string): void {
  const file = openSync(path, 'w');
  for (const bytes of [1_048_576, 4_096, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes, 1));
    } catch {
      // Full for writes of this size.
    }
  }
  closeSync(file);
}

describe('output that cannot be written', () => {
  it.each(['--help', 'sessions', 'status'])('gives one message and exit code 7: %s', async (word) => {
    using home = createClaudeHome();
    fill(home);
    await using program = await createEmbedded(home);
    const shell = 'exec "$0" "$@" > /dev/full';
    const failure = run('sh', ['-c', shell, process.execPath, LAUNCHER, word], {
      env: childEnv(program.env),
    });
    await expect(failure).rejects.toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/^fuel-code: Could not write the output: the disk is full\.\n[^\n]+\n$/),
    });
  });
});

const NOBODY = 65_534;

/** Root can write everywhere, so the commands run as another user. */
function readerOptions(env: Readonly<Record<string, string>>) {
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  return { ...account, env: childEnv(env), cwd: '/' };
}

async function runAsReader(words: readonly string[], env: Readonly<Record<string, string>>) {
  return run(process.execPath, [LAUNCHER, ...words], readerOptions(env)).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

/** Starts the web interface as a reader, asks it for sessions, and stops it. */
async function readPage(env: Readonly<Record<string, string>>): Promise<void> {
  const server = spawn(process.execPath, [LAUNCHER, 'start', '--no-open', '--port', '0'], readerOptions(env));
  const exit = once(server, 'exit');
  try {
    const printed = await Promise.race([firstLine(server.stdout), exit]);
    const [, address = '', token = ''] = /running at (\S+)#token=(\w+)/.exec(String(printed)) ?? [];
    const answer = await fetch(`${address}api/sessions`, { headers: { authorization: `Bearer ${token}` } });
    expect(((await answer.json()) as { sessions: unknown[] }).sessions).toHaveLength(SESSIONS);
  } finally {
    server.kill();
  }
  expect(await exit).toEqual([0, null]);
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface(stream)) return line;
  return '';
}

describe('a data folder that cannot be written', () => {
  it.each(['closed', 'with a log that waits'])('is readable: a database %s', async (how) => {
    using home = createClaudeHome();
    fill(home);
    await using program = await createEmbedded(home);
    const copy = mkdtempSync(join(tmpdir(), 'fuel-code-read-only-'));
    try {
      {
        await using app = await program.open();
        await app.importNew();
        // While it is open, the newest rows are only in the log.
        if (how !== 'closed') cpSync(program.config.home, copy, { recursive: true });
      }
      if (how === 'closed') cpSync(program.config.home, copy, { recursive: true });
      else rmSync(join(copy, 'fuel.db-shm'), { force: true });
      lock(copy);
      chmodSync(home.path, 0o755);
      const env = { ...program.env, FUEL_CODE_HOME: copy };
      const sessions = await runAsReader(['sessions', '--json'], env);
      expect(sessions).toMatchObject({ code: 0, stderr: expect.stringContaining('not writable') });
      expect(JSON.parse(sessions.stdout).sessions).toHaveLength(SESSIONS);
      for (const words of [['status'], ['cost'], ['session', '00000001'], ['search', 'answer'], ['verify']]) {
        expect([words, await runAsReader(words, env)]).toMatchObject([words, { code: 0 }]);
      }
      const doctor = await runAsReader(['doctor'], env);
      expect(doctor).toMatchObject({ code: 2, stdout: expect.stringMatching(/BAD +data folder/) });
      expect(doctor.stdout.match(/^BAD/gm)).toHaveLength(1);
      const tag = await runAsReader(['tag', '00000001', 'add', 'x'], env);
      expect(tag).toMatchObject({ code: 7, stderr: expect.not.stringContaining('EACCES') });
      expect((await runAsReader(['backfill'], env)).code).toBe(7);
      await readPage(env);
    } finally {
      unlock(copy);
      rmSync(copy, { recursive: true });
    }
  });
});

function lock(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o555 : 0o444);
  }
  chmodSync(folder, 0o555);
}

/** Only root can remove files from a read-only folder. */
function unlock(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
  }
}
