import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { runProgram, startProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const SESSIONS = 60;
let claude: ClaudeHome;
let scratch: string;

beforeAll(() => {
  claude = createClaudeHome();
  scratch = mkdtempSync(join(tmpdir(), 'fuel-code-interrupt-'));
  for (let n = 0; n < SESSIONS; n++) {
    const id = `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;
    const talk = createTalk(id);
    const lines = Array.from({ length: 200 }, (_, at) => [
      talk.user(`Question ${at} ${'word '.repeat(40)}`),
      talk.assistant(`msg_${n}_${at}`, text('answer '.repeat(40)), { input: 1, output: 1 }),
    ]);
    claude.write(`-w/${id}.jsonl`, lines.flat());
  }
});

afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(scratch, { recursive: true });
});

function environment(name: string) {
  return { FUEL_CODE_HOME: join(scratch, name), CLAUDE_CONFIG_DIR: claude.path, FUEL_CODE_PORT: '0' };
}

function countParsed(home: string): number {
  const path = join(home, 'fuel.db');
  if (!existsSync(path)) return 0;
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    const row = database.prepare(`SELECT count(*) AS n FROM sessions WHERE parse_status = 'completed'`).get();
    return Number(row?.['n'] ?? 0);
  } catch {
    return 0;
  }
}

/** Starts the command and sends the signal once the import is running. */
async function interrupt(
  words: readonly string[],
  signal: 'SIGINT' | 'SIGTERM',
  more: Readonly<Record<string, string>> = {},
) {
  const env = { ...environment(`${words[0]}-${signal}`), ...more };
  const child = startProgram(words, { env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const ended = once(child, 'close');
  await until(() => expect(countParsed(env.FUEL_CODE_HOME)).toBeGreaterThan(0));
  child.kill(signal);
  const [code] = (await ended) as [number | null];
  return { env, code, stdout, stderr, parsed: countParsed(env.FUEL_CODE_HOME) };
}

/** What the next import does first. */
async function releaseClaimsIn(env: Readonly<Record<string, string>>): Promise<void> {
  const log = createLog({ level: 'error', clock: systemClock, write: () => {} });
  await using app = await openApp({ config: loadConfig(env).config, clock: systemClock, log });
  await app.openPipeline();
}

describe('a command that is interrupted during its import', () => {
  // A partial import must not look like an answer.
  it.each([
    { words: ['sessions', '--json'], signal: 'SIGINT' as const, code: 130 },
    { words: ['stats'], signal: 'SIGTERM' as const, code: 143 },
    { words: ['search', 'word'], signal: 'SIGINT' as const, code: 130 },
    { words: ['backfill'], signal: 'SIGTERM' as const, code: 143 },
  ])('$words.0 prints no answer and exits with $code', async ({ words, signal, code }) => {
    const stopped = await interrupt(words, signal);
    expect([stopped.code, stopped.stdout]).toEqual([code, '']);
    // The second sentence is for machines that are too slow for a clean shutdown.
    expect(stopped.stderr).toMatch(/interrupted|stopped/i);
    expect(stopped.parsed).toBeLessThan(SESSIONS);
  });

  // Regression: `rebuild` reported twice that it was interrupted, in different words.
  it('says so once, even if something keeps the process from ending', async () => {
    const keepAlive = { NODE_OPTIONS: '--import=data:text/javascript,setInterval(()=>{},1e9)' };
    const { code, stderr } = await interrupt(['stats'], 'SIGINT', keepAlive);
    expect([code, stderr.match(/^fuel-code: .*/gm)?.length]).toEqual([130, 1]);
  });

  // Regression: it ran until everything was imported and indexed.
  it('start stops, says that the import continues next time, counts no attempt, and the next run completes it', async () => {
    const stopped = await interrupt(['start', '--no-open'], 'SIGINT');
    expect(stopped.code).toBe(130);
    expect(stopped.parsed).toBeLessThan(SESSIONS);
    expect(stopped.stderr).toContain('continues');
    using database = new DatabaseSync(join(stopped.env.FUEL_CODE_HOME, 'fuel.db'));
    expect(database.prepare('SELECT max(attempts) AS n FROM sessions').get()).toEqual({ n: 0 });
    await releaseClaimsIn(stopped.env);
    const held = database.prepare('SELECT max(attempts) AS n, count(claim_holder) AS held FROM sessions').get();
    expect(held).toEqual({ n: 0, held: 0 });
    const { code, stdout } = await runProgram(['backfill', '--json'], { env: stopped.env });
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ sessions: SESSIONS, failed: [] })]);
  });
});

// Regression: a second server silently started on the next port.
describe('start while the page is already served', () => {
  it('prints the address, starts nothing, and starts once the first has ended', async () => {
    const env = environment('twice');
    const first = startProgram(['start', '--no-open'], { env });
    let printed = '';
    first.stdout.on('data', (chunk) => (printed += chunk));
    const ended = once(first, 'close');
    await until(() => expect(printed).toMatch(/#token=\w+\n/));
    const address = /http:\S+/.exec(printed)?.[0] ?? '';
    const second = await runProgram(['start', '--no-open'], { env });
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining(address) });
    expect(second.stderr).toContain('already running');
    first.kill('SIGTERM');
    await ended;
    expect(existsSync(join(env.FUEL_CODE_HOME, 'server.json'))).toBe(false);
  });

  it('a mistyped option is not logged as a failure of the server', async () => {
    const env = environment('mistyped');
    const { code } = await runProgram(['start', '--port', 'x'], { env });
    expect(code).toBe(2);
    const { stdout } = await runProgram(['logs', '--json'], { env });
    expect(stdout).not.toContain('stopped because of an error');
  });
});
