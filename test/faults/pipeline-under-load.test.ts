import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import { loadConfig } from '../../src/config.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { fixedClock, silentLog } from '../support/fixed-clock.ts';
import { childEnv } from '../support/processes.ts';
import { LAUNCHER } from '../support/run-program.ts';
import { size } from '../support/sizes.ts';
import { until } from '../support/until.ts';

const DEVICE = '{"id":"01TESTDEVICE000000000000000","name":"test"}';
const SESSIONS = size('LOAD_SESSIONS', 40);
let claude: ClaudeHome;
let scratch = '';

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'fuel-code-load-'));
  claude = createClaudeHome();
  for (let n = 0; n < SESSIONS; n++) {
    const id = `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;
    const talk = createTalk(id, { prefix: `s${n}-` });
    const lines = Array.from({ length: 10 }, (_, at) => [
      talk.user(`Question ${at} of session ${n}`),
      talk.assistant(`msg_${n}_${at}`, toolUse(`toolu_${n}_${at}`, 'Bash', {}), { input: at, output: n }),
      talk.result(`toolu_${n}_${at}`, 'file '.repeat(300)),
    ]);
    claude.write(`-w/${id}.jsonl`, lines.flat());
  }
});
afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(scratch, { recursive: true });
});

function newHome(name: string): string {
  const home = join(scratch, name);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'device.json'), DEVICE, { mode: 0o600 });
  return home;
}

const environment = (home: string, claudeHome = claude.path) => ({
  FUEL_CODE_HOME: home,
  CLAUDE_CONFIG_DIR: claudeHome,
});

async function importHere(home: string): Promise<string> {
  const { config } = loadConfig(environment(home));
  await using app = await openApp({ config, clock: fixedClock, log: silentLog });
  expect((await app.importNew()).failed).toEqual([]);
  return await dumpStore(app.store.engine);
}

function start(args: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [LAUNCHER, ...args], {
    env: childEnv({ HOME: scratch, ...env }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** One query to the database of a running program; null while it does not exist yet. */
function ask<T>(home: string, sql: string): T | null {
  try {
    const database = new DatabaseSync(join(home, 'fuel.db'), { readOnly: true });
    try {
      return (database.prepare(sql).get() ?? null) as T | null;
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}

describe('F16: SIGTERM under load', () => {
  it.each([
    { what: 'the worker', args: ['worker'] },
    { what: 'the server', args: ['start', '--no-open', '--port', '0'] },
  ])('ends $what with exit code 0, loses nothing and leaves nothing claimed', async ({ what, args }) => {
    const golden = await importHere(newHome(`golden of ${what}`));
    const home = newHome(what);
    const child = start(args, environment(home));
    const ended = once(child, 'exit');
    await until(() =>
      expect(
        ask(home, `SELECT count(*) AS n FROM sessions WHERE parse_status = 'completed' HAVING n > 3`),
      ).toBeTruthy(),
    );
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const left = ask<{ n: number }>(home, `SELECT count(*) AS n FROM sessions WHERE claim_expires_at_ms > 0`);
    expect(left).toEqual({ n: 0 });
    expect(ask(home, `SELECT count(*) AS n FROM leases WHERE expires_at_ms > 0`)).toEqual({ n: 0 });
    expect(await importHere(home)).toBe(golden);
  });
});

describe('F11: a large session', () => {
  it('is parsed in its own thread while the server keeps answering', async () => {
    using large = createClaudeHome();
    const talk = createTalk('11111111-2222-4333-8444-555555555555');
    const lines = Array.from({ length: 4_000 }, (_, n) => [
      talk.user(`Question ${n} ${'word '.repeat(800)}`),
      talk.assistant(`msg_${n}`, text('answer '.repeat(800)), { input: 1, output: 1 }),
    ]);
    large.write('-w/11111111-2222-4333-8444-555555555555.jsonl', lines.flat());
    const home = newHome('large');
    const child = start(['start', '--no-open', '--port', '0'], environment(home, large.path));
    const ended = once(child, 'exit');
    let printed = '';
    child.stdout?.on('data', (chunk) => (printed += chunk));
    await until(() => expect(printed).toMatch(/http:\/\/127\.0\.0\.1:\d+/));
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '';
    const isParsing = () => ask<{ s: string }>(home, 'SELECT parse_status AS s FROM sessions')?.s === 'parsing';
    await until(() => expect(isParsing()).toBe(true));
    let answers = 0;
    while (isParsing()) {
      expect((await fetch(`${address}/api/health`)).status).toBe(200);
      if (isParsing()) answers++;
    }
    expect(answers).toBeGreaterThan(0);
    await until(() => expect(ask<{ s: string }>(home, 'SELECT parse_status AS s FROM sessions')?.s).toBe('completed'));
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
