import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCommands } from '../../src/app/commands.ts';
import { makeStatusLine } from '../../src/app/statusline/status-line.ts';
import { textWidth } from '../../src/lib/terminal-text.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { middayZone } from '../support/midday-zone.ts';
import { fixedClock, NOW, PROGRAMS } from '../support/programs.ts';
import { runInPty } from '../support/pty.ts';
import { type Run, runProgram, runWithInput } from '../support/run-program.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const OTHER = '99999999-2222-4333-8444-555555555555';
/** Nano-dollars of this many output tokens of Opus 4.6, plus 100 read from and 10 written to the cache. */
const opus = (output: number) => output * 25_000 + 100 * 500 + 10 * 6_250;
const usd = (nanos: number) => `$${(nanos / 1e9).toFixed(2)}`;

const run = (input: string | null, env: Record<string, string>, args: readonly string[] = []) =>
  runWithInput(['statusline', ...args], input, { NO_COLOR: '1', ...env });

const CLIENT = {
  session_id: ID,
  model: { id: 'claude-opus-4-6', display_name: 'Opus 4.6' },
  cost: { total_cost_usd: 1.234 },
  context_window: { used_percentage: 42.4, context_window_size: 200_000 },
  rate_limits: { five_hour: { used_percentage: 12, resets_at: 1 }, seven_day: { used_percentage: 88 } },
};

describe.each(PROGRAMS)('the status line on $name', ({ create }) => {
  it('shows what costs and budgets show, and what was not imported yet', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    const at = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000).toISOString();
    const talk = createTalk(ID, { startedAt: at(-1) });
    const other = createTalk(OTHER, { startedAt: at(-11), prefix: 'o' });
    home.write(`-w/${OTHER}.jsonl`, [
      other.user('Hm.'),
      other.assistant('msg_0', text('?'), { input: 0, output: 40_000 }),
    ]);
    home.write(`-w/${ID}.jsonl`, [
      talk.user('Go.'),
      talk.assistant('msg_1', text('Yes.'), { input: 0, output: 20_000 }),
    ]);
    await using app = await program.open();
    await app.importNew();
    const set = createCommands(app, fixedClock, () => {})['POST /budgets'];
    await set({ params: {}, query: { zone: 'UTC' }, body: { period: 'day', amount_usd: 5 } });
    const { workspaces } = await app.get('/workspaces', { query: { limit: 50 } });
    const workspace_id = workspaces[0]?.id ?? '';
    await set({ params: {}, query: { zone: 'UTC' }, body: { period: 'month', amount_usd: 2, workspace_id } });
    const format = '{session_cost} | {today_cost} | {block_cost} | {block_left} | {budget}';
    const line = async (input: object) =>
      makeStatusLine(JSON.stringify(input), {
        config: { ...program.config, statuslineFormat: format, statuslineColor: false },
        format: null,
        hasColor: true,
        columns: null,
        now: NOW,
      });
    const input = { session_id: ID, transcript_path: join(home.path, `projects/-w/${ID}.jsonl`) };
    const { active_block, total } = await app.get('/cost', { query: { by: 'block', zone: 'UTC' } });
    const [first, all] = [opus(20_000), opus(20_000) + opus(40_000)];
    expect([active_block?.total.cost_nanos, total.cost_nanos]).toEqual([first, all]);
    const left = `${Math.floor((active_block?.minutes_left ?? 0) / 60)}h 00m`;
    expect(await line(input)).toBe(
      [usd(first), usd(all), usd(first), left, `${usd(2e9 - all)} left this month here`].join(' | '),
    );
    home.append(`-w/${ID}.jsonl`, [talk.assistant('msg_2', text('More.'), { input: 0, output: 8_000 })]);
    const more = opus(8_000);
    expect(await line(input)).toBe(
      [
        usd(first + more),
        usd(all + more),
        usd(first + more),
        left,
        `${usd(2e9 - all - more)} left this month here`,
      ].join(' | '),
    );
    // A message that is partly imported is not counted again.
    await app.importNew();
    home.append(`-w/${ID}.jsonl`, [talk.assistant('msg_2', text('And more.'), { input: 0, output: 8_000 })]);
    expect(await line(input)).toContain(usd(all + more));
    expect(await line({ session_id: OTHER })).toContain(usd(opus(40_000)));
  });
});

describe('fuel-code statusline', () => {
  let claude: ClaudeHome;
  let folder = '';
  let env: Record<string, string> = {};
  const parts = ({ stdout }: Run) => stdout.trimEnd().split(' | ');

  beforeAll(async () => {
    claude = createClaudeHome();
    const talk = createTalk(ID, { startedAt: new Date().toISOString() });
    claude.write(`-w/${ID}.jsonl`, [
      talk.user('Go.'),
      talk.assistant('msg_1', text('Yes.'), { input: 0, output: 20_000 }),
    ]);
    folder = mkdtempSync(join(tmpdir(), 'fuel-code-line-'));
    env = { FUEL_CODE_HOME: join(folder, 'data'), CLAUDE_CONFIG_DIR: claude.path, TZ: middayZone() };
    await runProgram(['backfill'], { env });
    await runProgram(['budget', 'set', 'day', '20'], { env });
  });
  afterAll(() => {
    claude[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });

  it('prints one line with the figures of the client and of the store', async () => {
    const done = await run(JSON.stringify(CLIENT), env);
    expect([done.code, done.stderr]).toEqual([0, '']);
    const [model, context, session, today, block, budget, ...rest] = parts(done);
    expect([model, context, session, rest]).toEqual(['Opus 4.6', '42% context', '$1.23 session', []]);
    expect(today).toBe(`${usd(opus(20_000))} today`);
    // A block starts at the full hour, which may just have begun.
    expect(block).toMatch(/^\$0\.50 block, (?:[34]h \d\dm|5h 00m) left, \$\d\.\d\d\/h$/);
    expect(budget).toBe(`${usd(20e9 - opus(20_000))} left today`);
  });

  it.each([
    ['nothing', ''],
    ['garbage', '\u0000{"model":'],
    ['a list', '[1,2]'],
    ['null', 'null'],
    ['other types', '{"model":5,"cost":"x","context_window":[],"session_id":{},"rate_limits":null}'],
    ['numbers that cannot be', '{"cost":{"total_cost_usd":-1},"context_window":{"used_percentage":1e999}}'],
    ['two megabytes', `{"x":"${'y'.repeat(2 * 1024 * 1024)}"}`],
  ])('never fails: %s on standard input', async (_, input) => {
    const done = await run(input, env);
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(parts(done)[0]).toBe(`${usd(opus(20_000))} today`);
  });

  it('does not wait for an input that never ends', async () => {
    expect(await run(null, env)).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('today') });
  });

  it('no control sequence of a hostile model name reaches the terminal', async () => {
    const done = await run(JSON.stringify({ model: { display_name: `\u001b]0;x\u0007${'漢'.repeat(500)}` } }), env);
    expect(done.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(done.stdout.split('\n')).toHaveLength(2);
  });

  it.each([40, 60, 80, 120, 160, 200])('fits into %i columns and ends between two parts', async (columns) => {
    const done = await run(JSON.stringify(CLIENT), { ...env, COLUMNS: String(columns) });
    const line = done.stdout.trimEnd();
    expect(textWidth(line)).toBeLessThanOrEqual(columns);
    const whole = (await run(JSON.stringify(CLIENT), { ...env, COLUMNS: '1000' })).stdout.trimEnd();
    expect(whole.startsWith(line.split(' | ').slice(0, 3).join(' | '))).toBe(true);
    expect(line).toMatch(/^Opus 4\.6 \| 42% context/);
    const { code, output } = await runInPty(['statusline'], { columns, env });
    expect(code).toBe(0);
    for (const shown of output.replaceAll(/\u001b\[\d+m/g, '').split(/\r?\n/))
      expect(textWidth(shown)).toBeLessThanOrEqual(columns);
  });

  it('a single part that is too wide is cut', async () => {
    const done = await run('{"model":"a-very-long-name-of-a-model"}', { ...env, COLUMNS: '10' }, [
      '--format',
      '{model}',
    ]);
    expect(done.stdout).toBe('a-very-lo…\n');
  });

  it('shows the fields of the format as far as they have a value, and unknown ones as written', async () => {
    const format = 'a {contxt} | {limit_5h} of 5h | plain | {limit_7d}|{block_projection} x';
    const done = await run(JSON.stringify(CLIENT), env, ['--format', format]);
    expect(done.stdout).toMatch(/^a \{contxt\} \| 12% of 5h \| plain \| 88% \| \$\d+\.\d\d x\n$/);
    expect((await run('{}', env, ['--format', '{limit_5h} of 5h | plain'])).stdout).toBe('plain\n');
    await runProgram(['config', 'set', 'statuslineFormat', '{context} only'], { env });
    expect((await run(JSON.stringify(CLIENT), env)).stdout).toBe('42% only\n');
    await runProgram(['config', 'unset', 'statuslineFormat'], { env });
  });

  it('has colors by meaning unless they are off', async () => {
    const full = JSON.stringify({ context_window: { used_percentage: 91 } });
    const args = ['--format', '{context}'];
    expect((await run(full, { ...env, NO_COLOR: '' }, args)).stdout).toBe('\u001b[31m91%\u001b[0m\n');
    expect((await run(full, { ...env, NO_COLOR: '1' }, args)).stdout).toBe('91%\n');
    expect((await run(full, { ...env, NO_COLOR: '', TERM: 'dumb' }, args)).stdout).toBe('91%\n');
    expect((await run(full, { ...env, NO_COLOR: '', FUEL_CODE_STATUSLINE_COLOR: 'false' }, args)).stdout).toBe('91%\n');
  });

  it.each<[string, (home: string) => (() => void) | void]>([
    ['there is no store', (home) => rmSync(join(home, 'fuel.db'))],
    ['the store is damaged', (home) => writeFileSync(join(home, 'fuel.db'), 'x'.repeat(9_000))],
    ['the store is empty', (home) => writeFileSync(join(home, 'fuel.db'), '')],
    [
      'the store is locked',
      (home) => {
        const database = new DatabaseSync(join(home, 'fuel.db'));
        database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE x (y)');
        return () => database.close();
      },
    ],
    ['the configuration is broken', (home) => writeFileSync(join(home, 'config.json'), '{')],
  ])('shows only what the client reports if %s', async (_, breakIt) => {
    const home = mkdtempSync(join(folder, 'broken-'));
    const broken = { ...env, FUEL_CODE_HOME: home };
    await runProgram(['backfill'], { env: broken });
    const repair = breakIt(home);
    const done = await run(JSON.stringify(CLIENT), broken);
    repair?.();
    expect(done).toEqual({ code: 0, stderr: '', stdout: 'Opus 4.6 | 42% context | $1.23 session\n' });
  });

  it('neither imports nor writes', async () => {
    const database = join(folder, 'data/fuel.db');
    appendFileSync(join(claude.path, `projects/-w/${ID}.jsonl`), '{"type":"mode","mode":"normal"}\n');
    const before = statSync(database).mtimeMs;
    await run(JSON.stringify(CLIENT), env);
    expect(statSync(database).mtimeMs).toBe(before);
  });
});

describe('fuel-code statusline install', () => {
  const FOREIGN = '{ "type": "command", /* mine */ "command": "~/line.sh", "padding": 0 }';
  it.each([
    ['no file', null],
    ['other settings', '{\n  // keep\n  "model": "opus",\n}\n'],
    ['a foreign status line', `{\r\n\t"statusLine": ${FOREIGN},\r\n\t"b": 1 // note\r\n}\r\n`],
  ])('is undone exactly, with %s', async (_, before) => {
    const root = mkdtempSync(join(tmpdir(), 'fuel-code-line-install-'));
    mkdirSync(join(root, 'claude'));
    const env = { FUEL_CODE_HOME: join(root, 'data it'), CLAUDE_CONFIG_DIR: join(root, 'claude') };
    const path = join(root, 'claude/settings.json');
    if (before !== null) writeFileSync(path, before, { mode: 0o640 });
    const line = (...args: string[]) => runProgram(['statusline', ...args], { env });
    const state = async () => (JSON.parse((await line('status', '--json')).stdout) as { state: string }).state;
    expect(await line('install')).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing was changed.') });
    const dry = await line('install', '--dry-run');
    expect(dry.stdout.includes('"command": "~/line.sh"')).toBe(before?.includes('line.sh') ?? false);
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before);
    expect(await line('install', '--yes')).toMatchObject({ code: 0, stderr: '' });
    expect(await state()).toBe('installed');
    const text = readFileSync(path, 'utf8');
    expect((await line('install', '--yes')).stdout).toContain('Already installed');
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(await line('install', '--yes', '--format', '{model} it’s')).toMatchObject({ code: 0 });
    const { statusLine } = JSON.parse(readFileSync(path, 'utf8').replaceAll(/\/\/.*|,(?=\s*\})/g, '')) as {
      statusLine: { type: string; command: string };
    };
    const shown = await new Promise<string>((resolve) => {
      const child = spawn('sh', ['-c', statusLine.command], { env: { PATH: process.env.PATH ?? '', NO_COLOR: '1' } });
      child.stdout.on('data', (chunk) => resolve(String(chunk)));
      child.stdin.end('{"model":"Opus"}');
    });
    expect(shown).toBe('Opus it’s\n');
    expect((await line('uninstall')).stdout.replaceAll('\n', ' ')).toContain('Removed from');
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before);
    expect(await state()).toBe(before?.includes('line.sh') === true ? 'foreign' : 'missing');
    expect((await line('uninstall')).stdout).toContain('Not installed');
    expect(await line('install', '--yes', '--format', '{nothing}')).toMatchObject({ code: 2 });
    rmSync(root, { recursive: true });
  });

  it('does not touch a status line that someone set later', async () => {
    const root = mkdtempSync(join(tmpdir(), 'fuel-code-line-install-'));
    const env = { FUEL_CODE_HOME: join(root, 'data'), CLAUDE_CONFIG_DIR: root };
    const path = join(root, 'settings.json');
    await runProgram(['statusline', 'install', '--yes'], { env });
    writeFileSync(path, `{"statusLine": ${FOREIGN}}`);
    expect((await runProgram(['statusline', 'uninstall'], { env })).stdout).toContain('Not installed');
    expect(readFileSync(path, 'utf8')).toBe(`{"statusLine": ${FOREIGN}}`);
    rmSync(root, { recursive: true });
  });
});
