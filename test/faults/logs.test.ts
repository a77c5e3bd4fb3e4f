import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BackgroundLog, withBackgroundLog } from '../../src/cli/background-log.ts';
import type { CommandContext } from '../../src/cli/command.ts';
import { createTerminal } from '../../src/cli/terminal.ts';
import { loadConfig } from '../../src/config.ts';
import { appendLogLine, LOG_START, logFolder, MAX_LOG_FILE_BYTES, MAX_LOG_FILES, readLog } from '../../src/lib/log.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { whyNot } from '../support/hook-home.ts';
import { childEnv } from '../support/processes.ts';
import { runProgram, startProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const FLOOD = here('../support/flood-log.ts');
const MODE_BITS = 0o777;

let home = '';
let folder = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fuel-code-log-'));
  folder = logFolder(home);
});
afterEach(() => rmSync(home, { recursive: true }));

const lineOf = (message: string, level = 'warn', time = '2026-11-15T12:00:00.000Z') =>
  `${JSON.stringify({ time, level, message })}\n`;
const messages = () => readLog(folder, LOG_START).entries.map(({ message }) => message);
const fileOf = (number: number) => join(folder, `${String(number).padStart(6, '0')}.jsonl`);

describe('I6: the log', () => {
  it('stays within its limit while two processes flood it, without lost or torn lines', async () => {
    const count = 11_000;
    const flood = (by: string) =>
      promisify(execFile)(process.execPath, [FLOOD, folder, by, String(count)], { env: childEnv() });
    await Promise.all([flood('a'), flood('b')]);
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(sizes).toHaveLength(MAX_LOG_FILES);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_LOG_FILE_BYTES);
    const { entries, broken } = readLog(folder, LOG_START);
    expect(broken).toBe(0);
    for (const by of ['a', 'b']) {
      const numbers = entries.filter(({ fields }) => fields.by === by).map(({ fields }) => Number(fields.number));
      const first = numbers[0] ?? count;
      expect(numbers).toEqual(Array.from({ length: count - first }, (_, at) => first + at));
    }
    expect(entries.length).toBeLessThan(2 * count);
  });

  it('is readable only by its owner, whatever the umask', () => {
    execFileSync('sh', ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, FLOOD, folder, 'a', '1']);
    expect(statSync(folder).mode & MODE_BITS).toBe(0o700);
    expect(statSync(fileOf(1)).mode & MODE_BITS).toBe(0o600);
  });

  it('follows no link to a folder or file, and continues in a new file beside a linked one', () => {
    const victim = join(home, 'victim');
    mkdirSync(victim);
    symlinkSync(victim, folder);
    expect(() => appendLogLine(folder, lineOf('one'))).toThrow(/symbolic link/);
    expect(readdirSync(victim)).toEqual([]);
    rmSync(folder);
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(victim, 'file'), 'untouched');
    symlinkSync(join(victim, 'file'), fileOf(1));
    appendLogLine(folder, lineOf('two'));
    execFileSync('mkfifo', [fileOf(3)]);
    appendLogLine(folder, lineOf('three'));
    expect(messages()).toEqual(['two', 'three']);
    expect(readFileSync(join(victim, 'file'), 'utf8')).toBe('untouched');
  });

  it('a line cut off by a full disk damages no other line', () => {
    appendLogLine(folder, lineOf('one'));
    appendFileSync(fileOf(1), lineOf('two').slice(0, 20));
    appendLogLine(folder, lineOf('three'));
    expect(readLog(folder, LOG_START)).toMatchObject({
      entries: [{ message: 'one' }, { message: 'three' }],
      broken: 1,
    });
  });

  it('continues from the last position, across files', () => {
    appendLogLine(folder, lineOf('one'));
    const { end } = readLog(folder, LOG_START);
    appendFileSync(fileOf(1), lineOf('two') + lineOf('three').slice(0, 20));
    const next = readLog(folder, end);
    expect(next.entries).toMatchObject([{ message: 'two' }]);
    appendFileSync(fileOf(1), lineOf('three').slice(20));
    writeFileSync(fileOf(2), lineOf('four'));
    expect(readLog(folder, next.end).entries).toMatchObject([{ message: 'three' }, { message: 'four' }]);
  });
});

describe('I6: a disk that cannot store the log', () => {
  const { config } = loadConfig({ FUEL_CODE_HOME: '/nonexistent' });
  const streams = { write: () => true };
  const terminal = createTerminal(() => process.stdin, streams, streams, {});

  function logTo(work: (log: BackgroundLog) => Promise<void>): Promise<void> {
    const context = { terminal, clock: fixedClock } as unknown as CommandContext;
    return withBackgroundLog(context, { by: 'worker', config: { ...config, home } }, work);
  }

  it('does not affect the work, and the missing lines are counted once it can', async ({ skip }) => {
    await using disk = await unwritable();
    await logTo(async ({ log }) => {
      log.warn('one');
      log.warn('two');
      disk.repair();
      log.warn('three');
    });
    expect(readLog(folder, LOG_START).entries).toMatchObject([
      { message: 'three' },
      { message: 'the log was temporarily not writable', fields: { lines: 2 } },
    ]);
    skip(disk.refused !== null, `tested with a file instead of a read-only disk: ${disk.refused}`);
  });

  it('does not affect the work when it is full', async ({ skip }) => {
    const refused = await mount('size=16k');
    skip(refused !== null, `no small disk can be mounted: ${refused}`);
    try {
      const lines = Array.from({ length: 100 }, (_, at) => `${at} ${'x'.repeat(500)}`);
      await logTo(async ({ log }) => lines.forEach((line) => log.warn(line)));
      const { entries } = readLog(folder, LOG_START);
      expect(entries.length).toBeGreaterThan(10);
      expect(entries.map(({ message }) => message)).toEqual(lines.slice(0, entries.length));
    } finally {
      execFileSync('umount', [folder]);
    }
  });

  /** A read-only mount instead of the folder; if nothing can be mounted, a file. */
  async function unwritable() {
    const refused = await mount('ro');
    if (refused === null) {
      return {
        refused,
        repair: () => execFileSync('mount', ['-o', 'remount,rw', folder]),
        [Symbol.asyncDispose]: async () => void execFileSync('umount', [folder]),
      };
    }
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    return { refused, repair: () => rmSync(folder), [Symbol.asyncDispose]: async () => {} };
  }

  function mount(options: string): Promise<string | null> {
    mkdirSync(folder, { mode: 0o700 });
    return whyNot('mount', '-t', 'tmpfs', '-o', `${options},mode=0700`, 'tmpfs', folder);
  }
});

describe('I6: worker and server', () => {
  const environment = (claudeHome: string) => ({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claudeHome });

  it('a worker writes nothing unless something goes wrong', async () => {
    using claude = createClaudeHome();
    const id = '11111111-2222-4333-8444-555555555555';
    claude.write(`-w/${id}.jsonl`, [createTalk(id).user('One.')]);
    expect(await runProgram(['worker', '--once'], { env: environment(claude.path) })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    ['worker', '--once'],
    ['start', '--no-open', '--port', '0'],
  ])('the log says why %s ended; without a log it ends the same way', async (...words) => {
    using claude = createClaudeHome();
    mkdirSync(join(home, 'fuel.db'));
    const env = environment(claude.path);
    const first = await runProgram(words, { env });
    expect(first).toMatchObject({ code: 6 });
    expect(readLog(folder, LOG_START).entries).toMatchObject([
      {
        level: 'error',
        message: expect.stringContaining('stopped because of an error'),
        fields: { code: 'store_unavailable' },
      },
    ]);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    expect(await runProgram(words, { env })).toEqual(first);
  });

  it('doctor names the log and its last error', async () => {
    using claude = createClaudeHome();
    const env = environment(claude.path);
    const ask = async () => {
      const { stdout } = await runProgram(['doctor', '--json'], { env });
      return (JSON.parse(stdout) as { checks: { readonly name: string }[] }).checks.find(({ name }) => name === 'log');
    };
    expect(await ask()).toMatchObject({ state: 'ok', message: expect.stringContaining(folder) });
    appendLogLine(folder, lineOf('long ago', 'error', '2020-01-01T00:00:00.000Z'));
    expect(await ask()).toMatchObject({ state: 'ok', message: expect.stringContaining('errors in the last day: 0') });
    appendLogLine(folder, lineOf('it broke', 'error', new Date().toISOString()));
    expect(await ask()).toMatchObject({ state: 'warn', message: expect.stringMatching(/last day: 1,.*it broke/) });
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    expect(await ask()).toMatchObject({ state: 'warn', message: expect.stringContaining('is not writable') });
  });
});

describe('fuel-code logs', () => {
  const logs = (...words: string[]) => runProgram(['logs', ...words], { env: { FUEL_CODE_HOME: home } });

  it('shows the last lines by level and age, and as JSON', async () => {
    const now = Date.now();
    const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
    appendLogLine(folder, lineOf('old', 'error', hoursAgo(50)));
    appendLogLine(folder, lineOf('calm', 'info', hoursAgo(2)));
    const words = { path: 'a b', error: 'no\u001b[31m' };
    appendLogLine(
      folder,
      `${JSON.stringify({ time: '2999-01-01T12:00:00.000Z', level: 'warn', message: 'late', by: 'worker', pid: 7, ...words })}\n`,
    );
    expect((await logs()).stdout.split('\n')).toHaveLength(4);
    expect((await logs('--limit', '1')).stdout).toBe(
      '2999-01-01T12:00:00Z warn  worker[7]: late path="a b" error=no␛[31m\n',
    );
    const shown = async (...options: string[]) =>
      (await logs('--json', ...options)).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).message);
    expect(await shown()).toEqual(['old', 'calm', 'late']);
    expect(await shown('--level', 'warn')).toEqual(['old', 'late']);
    expect(await shown('--since', '1d')).toEqual(['calm', 'late']);
    expect(JSON.parse((await logs('--json', '-n', '1')).stdout)).toMatchObject({ by: 'worker', pid: 7, ...words });
  });

  it('says when there is no log, and rejects unknown arguments', async () => {
    expect(await logs()).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(folder) });
    expect(existsSync(folder)).toBe(false);
    writeFileSync(folder, 'no folder at all');
    expect(await logs()).toMatchObject({ code: 0, stdout: '' });
    expect(await logs('--level', 'loud')).toMatchObject({ code: 2, stderr: expect.stringContaining('debug, info') });
    expect(await logs('--since', 'ever')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Invalid date "ever" for --since'),
    });
  });

  it('follows from before the first line until it is stopped', async () => {
    const child = startProgram(['logs', '--follow', '--json'], { env: { FUEL_CODE_HOME: home } });
    let shown = '';
    child.stdout.on('data', (chunk) => (shown += chunk));
    const gone = new Promise((resolve) => child.on('close', resolve));
    try {
      for (const message of ['one', 'two']) {
        appendLogLine(folder, lineOf(message));
        await until(() => expect(shown).toContain(message));
      }
      child.kill('SIGINT');
      expect(await gone).toBe(130);
    } finally {
      child.kill('SIGKILL');
      await gone;
    }
    expect(shown.trim().split('\n')).toHaveLength(2);
  });
});
