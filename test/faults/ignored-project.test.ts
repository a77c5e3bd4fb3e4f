import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app/open-app.ts';
import { type ClaudeHome, createClaudeHome, createTalk } from '../support/claude-home.ts';
import { whyNot } from '../support/hook-home.ts';
import { fixedClock, PROGRAMS, silentLog } from '../support/programs.ts';
import { LAUNCHER } from '../support/run-program.ts';

const SECRET = '11111111-2222-4333-8444-555555555555';
const OPEN = '99999999-2222-4333-8444-555555555555';
const CANARY = 'the canary sings at midnight';
const IGNORED = '/home/ada/secret';

/** An excluded project, with the canary in every file of its session, and one that is not excluded. */
function fill(home: ClaudeHome): void {
  const talk = createTalk(SECRET);
  home.write(`-home-ada-secret/${SECRET}.jsonl`, [talk.user(CANARY)]);
  home.write(`-home-ada-secret-below/${SECRET}/subagents/agent-a1.jsonl`, [talk.user(CANARY)]);
  home.write(`-home-ada-secret/${SECRET}/subagents/agent-a2.jsonl`, [talk.user(CANARY)]);
  home.write(`-home-ada-secret/${SECRET}/tool-results/toolu_1.txt`, CANARY);
  home.write(`../tasks/${SECRET}/1.json`, JSON.stringify({ id: '1', subject: CANARY }));
  home.write(`../file-history/${SECRET}/ab@v1`, CANARY);
  home.write('../history.jsonl', [{ display: CANARY, project: IGNORED, sessionId: SECRET }]);
  home.write(`-home-ada-open/${OPEN}.jsonl`, [createTalk(OPEN, { prefix: 'o' }).user('Hello.')]);
}

/** The client's hook payload at the end of a turn. */
function spoolHookPayload(dataHome: string, home: ClaudeHome): void {
  mkdirSync(join(dataHome, 'spool'), { mode: 0o700 });
  const transcript_path = join(home.path, `projects/-home-ada-secret/${SECRET}.jsonl`);
  const payload = {
    session_id: SECRET,
    hook_event_name: 'Stop',
    cwd: IGNORED,
    transcript_path,
    last_assistant_message: CANARY,
  };
  writeFileSync(join(dataHome, 'spool/1790000000000-1-1.json'), JSON.stringify(payload), { mode: 0o600 });
}

/** Every row and every blob, and every file of the data folder. */
async function everythingKept(app: App): Promise<string> {
  const { kysely, name } = app.store.engine;
  const tables = await kysely.introspection.getTables();
  const rows = await Promise.all(
    tables.map(async (table) =>
      JSON.stringify((await sql`SELECT * FROM ${sql.table(table.name)}`.execute(kysely)).rows),
    ),
  );
  expect(rows.length, name).toBeGreaterThan(20);
  const blobs = await Promise.all((await Array.fromAsync(app.blobs.list())).map((sha256) => app.blobs.get(sha256)));
  const files = readdirSync(app.config.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  return Buffer.concat([Buffer.from(rows.join('\n')), ...blobs, ...files]).toString('latin1');
}

describe.each(PROGRAMS)('J14: an ignored project, on $name', ({ create }) => {
  it('leaves no trace of its text', async () => {
    using home = createClaudeHome();
    fill(home);
    await using program = await create(home.path);
    const config = { ...program.config, ignore: [IGNORED] };
    spoolHookPayload(config.home, home);
    await using app = await openApp({ config, clock: fixedClock, log: silentLog });
    await app.drainHooks();
    await app.importNew();
    expect((await app.get('/sessions', { query: { limit: 10 } })).sessions.map(({ id }) => id)).toEqual([OPEN]);
    const kept = await everythingKept(app);
    expect(kept).toContain('Hello.');
    expect(kept).not.toContain(CANARY);
  });
});

describe('J14: the files of an ignored project', () => {
  it('are not even opened', async ({ skip }) => {
    const refused = await whyNot('strace', '-f', 'true');
    skip(refused !== null, `strace is needed to see which files are opened: ${refused}`);
    using home = createClaudeHome();
    fill(home);
    const data = mkdtempSync(join(tmpdir(), 'fuel-code-ignored-'));
    try {
      const trace = join(data, 'trace');
      const env = {
        PATH: process.env.PATH ?? '',
        HOME: data,
        FUEL_CODE_HOME: join(data, 'home'),
        CLAUDE_CONFIG_DIR: home.path,
        FUEL_CODE_IGNORE: IGNORED,
      };
      const words = ['-f', '-qq', '-e', 'trace=open,openat', '-o', trace, process.execPath, LAUNCHER, 'backfill'];
      execFileSync('strace', words, { env, stdio: 'ignore' });
      // Folders are listed, so that files of their sessions elsewhere are excluded too.
      const opened = readFileSync(trace, 'utf8').split('\n').filter(isOfFile);
      expect(opened.filter((line) => line.includes(`/${OPEN}.jsonl"`))).not.toEqual([]);
      expect(opened.filter((line) => line.includes(SECRET) || line.includes('history.jsonl'))).toEqual([]);
    } finally {
      rmSync(data, { recursive: true });
    }
  });
});

function isOfFile(call: string): boolean {
  return !call.includes('O_DIRECTORY');
}
