import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CostReport } from '../../src/api/usage.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { runProgram } from '../support/run-program.ts';

const ID = 'aaaaaaaa-2222-4333-8444-555555555555';
const EVIL = '=HYPERLINK("http://x") \u001b]0;owned\u0007 \u202e end';

let claude: ClaudeHome;
let folder = '';
let env: Record<string, string> = {};

beforeAll(() => {
  claude = createClaudeHome();
  const talk = createTalk(ID);
  claude.write(`-home-ada-shop/${ID}.jsonl`, [
    talk.user(EVIL),
    talk.assistant('msg_1', text('Yes.'), { input: 3, output: 40 }),
    { ...talk.assistant('msg_2', text('Yes, too.'), { input: 5, output: 60 }), gitBranch: '@evil' },
    talk.assistant('msg_3', text('?'), { input: 1, output: 1 }, '-llama,"9"\u001b[2J'),
  ]);
  folder = mkdtempSync(join(tmpdir(), 'fuel-code-cost-'));
  env = { FUEL_CODE_HOME: join(folder, 'data'), CLAUDE_CONFIG_DIR: claude.path, TZ: 'UTC' };
});
afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const cost = (...args: string[]) => runProgram(['cost', ...args], { env });
const fresh = (name: string) => ({ ...env, FUEL_CODE_HOME: join(folder, name) });
const NANOS = 8 * 5_000 + 100 * 25_000 + 2 * (100 * 500 + 10 * 6_250);

describe('fuel-code cost', () => {
  it('answers before the first import, says so on standard error, and writes nothing', async () => {
    const run = await runProgram(['cost', '--json'], { env: fresh('never') });
    expect(run).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Calculated directly from the transcripts; [^\n]+\n$/),
    });
    const report = JSON.parse(run.stdout) as CostReport;
    expect(report).toMatchObject({ source: 'transcripts', by: 'day', total: { messages: 3, cost_nanos: NANOS } });
    expect(() => rmSync(join(folder, 'never'))).toThrow('ENOENT');
  });

  it('gives the same rows from the store, without a message', async () => {
    const scanned = JSON.parse((await cost('--json')).stdout) as CostReport;
    expect((await runProgram(['backfill'], { env })).code).toBe(0);
    const { stdout, stderr, code } = await cost('--json');
    const { source, rows, total } = JSON.parse(stdout) as CostReport;
    expect({ code, stderr, source }).toEqual({ code: 0, stderr: '', source: 'store' });
    expect({ rows, total }).toEqual({ rows: scanned.rows, total: scanned.total });
  });

  it('imports first when the answer needs it', async () => {
    const run = await runProgram(['cost', '--by', 'workspace', '--json'], { env: fresh('by-workspace') });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toMatchObject({ source: 'store', rows: [{ label: 'shop', cost_nanos: NANOS }] });
  });

  it('prefers the user’s own prices', async () => {
    const priced = fresh('priced');
    await runProgram(['status'], { env: priced });
    const file = join(priced.FUEL_CODE_HOME ?? '', 'prices.json');
    const prices = [
      { models: ['claude-opus-4-6'], usdPerMillion: { input: 1, output: 1, cacheRead: 0, cacheWrite5m: 0 } },
    ];
    writeFileSync(file, JSON.stringify({ prices }));
    const { stdout } = await runProgram(['cost', '--json'], { env: priced });
    expect(JSON.parse(stdout)).toMatchObject({ prices: { user_file: file }, total: { cost_nanos: 108_000 } });
  });

  it.each([40, 80, 160])('I1, I2: shows a table in %i columns without a foreign control character', async (columns) => {
    for (const by of ['day', 'block', 'model', 'session', 'branch']) {
      const { code, stdout } = await runProgram(['cost', '--by', by], { env: { ...env, COLUMNS: String(columns) } });
      expect(code).toBe(0);
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
      expect(stdout).toMatch(/^Total .*\$0\.00\d+\+\?$/m);
      expect(stdout.replaceAll('\n', ' ')).toMatch(/No price for -llama,"9".*Prices: built-in price list of 2026-/);
    }
  });

  it('prints CSV that a spreadsheet can neither misread nor run', async () => {
    const { stdout } = await cost('--by', 'model', '--csv');
    const [head, ...lines] = stdout.split('\r\n');
    expect(head).toBe(
      'key,label,sessions,messages,tokens_in,tokens_out,cache_read_tokens,cache_write_tokens,cache_write_1h_tokens,cost_usd,cost_nanos,subagent_cost_usd,subagent_cost_nanos,unpriced_messages,models',
    );
    expect(lines[0]).toBe(
      `claude-opus-4-6,claude-opus-4-6,1,2,8,100,200,20,0,${NANOS / 1e9},${NANOS},0,0,0,claude-opus-4-6`,
    );
    expect(lines[1]).toMatch(/^"'-llama,""9""\S+","'-llama/);
    expect((await cost('--by', 'branch', '--csv')).stdout).toContain("\r\n'@evil,'@evil,1,");
    expect((await cost('--by', 'session', '--csv')).stdout).toMatch(new RegExp(`^${ID},"'=HYPERLINK`, 'm'));
  });

  it.each([
    [['--by', 'colour'], 'Unknown value "colour" for --by.'],
    [['--since', 'soon'], 'Invalid date "soon" for --since.'],
    [['--timezone', 'Mars'], 'Unknown time zone "Mars"'],
    [['--since', '2026-11-02', '--until', '2026-11-01'], 'is after the end date'],
    [['--json', '--csv'], 'cannot be combined'],
  ])('rejects %j with a message', async (args, sentence) => {
    expect(await cost(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) });
  });

  it('breaks rows down by model: parts add up to their row, in JSON, in the table and as CSV', async () => {
    const { rows } = JSON.parse((await cost('--breakdown', '--json')).stdout) as CostReport;
    expect(rows.map(({ by_model = [] }) => by_model.map(({ model }) => model))).toEqual([
      ['claude-opus-4-6', '-llama,"9"\u001b[2J'],
    ]);
    for (const { by_model = [], messages, tokens_out, cost_nanos } of rows) {
      const sum = (pick: (part: (typeof by_model)[number]) => number) =>
        by_model.reduce((all, part) => all + pick(part), 0);
      expect([sum((part) => part.messages), sum((part) => part.tokens_out)]).toEqual([messages, tokens_out]);
      expect(sum((part) => part.cost_nanos ?? 0)).toBe(cost_nanos);
    }
    const { stdout } = await cost('--breakdown');
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\d .*\n├ claude-opus-4-6 .*\n└ /m);
    const csv = (await cost('--breakdown', '--csv', '--raw')).stdout.trimEnd().split('\r\n');
    expect(csv).toHaveLength(3);
    expect((JSON.parse((await cost('--json')).stdout) as CostReport).rows[0]).not.toHaveProperty('by_model');
  });

  it('says so when there is no usage', async () => {
    expect((await cost('--since', '2026-11-10')).stdout).toBe('No usage since 2026-11-10.\n');
    expect((await cost('--since', '2020-01-01', '--until', '2020-01-02')).stdout).toBe(
      'No usage from 2020-01-01 to 2020-01-02.\n',
    );
    const empty = { ...fresh('empty'), CLAUDE_CONFIG_DIR: join(folder, 'nowhere') };
    const { stdout, stderr } = await runProgram(['cost'], { env: empty });
    expect(stdout).toMatch(/^No usage yet\./);
    expect(stderr).toContain(`No Claude home found at ${empty.CLAUDE_CONFIG_DIR}.`);
    expect(stderr).toContain('fuel-code demo');
  });

  it('uses the days of the given time zone', async () => {
    const { rows } = JSON.parse((await cost('--timezone', 'Pacific/Kiritimati', '--json')).stdout) as CostReport;
    expect(rows.map(({ key }) => key)).toEqual(['2026-11-02']);
  });
});
