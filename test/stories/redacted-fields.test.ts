import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AN, createRandom } from '../../src/redact/testing/random.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { runProgram } from '../support/run-program.ts';

// A secret in every field of every line that clients write, none of which may leave the machine.

const FIXTURES = new URL('../../src/transcript/schema/fixtures/', import.meta.url);
const random = createRandom(11);
/** Where each secret was planted. */
const planted = new Map<string, string>();
function secret(place: string): string {
  const token = `ghp_${random.chars(AN, 36)}`;
  planted.set(token, place);
  return token;
}

/** Fields that say what a line is and how lines are linked, and bytes. A line with other values would be unknown. */
const KEPT =
  /^(?:type|subtype|role|kind|status|mode|operation|data|signature|media_type|stop_reason|version|timestamp|.*[uU]uid|.*[iI]d|.*ID|.*At)$/;

/** Adds a secret to every other text of a line. */
function plant(value: unknown, place: string, name = ''): unknown {
  if (typeof value === 'string') return KEPT.test(name) ? value : `${value} ${secret(place)}`;
  if (Array.isArray(value)) return value.map((item) => plant(item, place, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plant(item, `${place}.${key}`, key)]));
}

/** Claude Code writes a dash for every character that is neither a letter nor a digit. */
const FOLDER = `-srv-shop-${secret('name of a folder').replace('_', '-')}`;

const idOf = (n: number) => `${n}eeeeeee-2222-4333-8444-555555555555`;
const readLines = (name: string): { sessionId?: string; type?: string; shape?: string; value?: unknown }[] =>
  readFileSync(new URL(name, FIXTURES), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The tools whose inputs the program understands, and any other. */
const CALLS: readonly (readonly [tool: string, input: object])[] = [
  ['Bash', { command: 'git commit -m "Fix"', description: 'Commit' }],
  ['Bash', { command: 'gh pr create --title "Fix"' }],
  ['TodoWrite', { todos: [{ content: 'Fix', status: 'pending', activeForm: 'Fixing' }] }],
  ['ExitPlanMode', { plan: '# Plan' }],
  ['Task', { description: 'Look', prompt: 'Look.', subagent_type: 'Explore', name: 'bob', team_name: 'team' }],
  ['TeamCreate', { team_name: 'team', description: 'A team' }],
  ['TaskCreate', { subject: 'Fix', description: 'Fix it.' }],
  ['SendMessage', { to: 'bob', message: 'Hello' }],
  ['Skill', { skill: 'deploy', args: 'now' }],
  ['WebFetch', { url: 'https://example.org/?q=1', prompt: 'Read' }],
  ['WebSearch', { query: 'ferry' }],
  ['Read', { file_path: '/srv/shop/a.ts' }],
  ['Edit', { file_path: '/srv/shop/b.ts', old_string: 'a', new_string: 'b' }],
  ['Write', { file_path: '/srv/shop/c.ts', content: 'c' }],
  [
    'AskUserQuestion',
    { questions: [{ question: 'Which?', header: 'H', options: [{ label: 'A', description: 'a' }] }] },
  ],
  ['mcp__vault__read', { q: 'x' }],
];

function everyCall(): readonly object[] {
  const talk = createTalk(idOf(9));
  const usage = { input: 1, output: 1 };
  return [
    talk.user('Fix it'),
    talk.assistant('msg_0', text('Yes'), usage, 'claude-opus-4-6'),
    ...CALLS.flatMap(([tool, input], n) => [
      talk.assistant(`msg_${n}x`, toolUse(`toolu_${n}`, tool, input), usage),
      talk.result(`toolu_${n}`, '[main 0a1b2c3] Fix\n 1 file changed', n % 3 === 0),
    ]),
    { type: 'summary', summary: 'Fixed' },
    { type: 'custom-title', customTitle: 'Fixing', sessionId: idOf(9) },
    { type: 'tag', tag: 'fix', sessionId: idOf(9) },
  ].map((line, n) => plant(line, `call ${n}`) as object);
}

function everyResult(): readonly object[] {
  const talk = createTalk(idOf(8));
  return readLines('tool-results.jsonl').flatMap(({ shape, value }, n) => [
    talk.assistant(`msg_${n}r`, toolUse(`toolu_${n}`, 'Bash', {}), { input: 1, output: 1 }),
    { ...talk.result(`toolu_${n}`, 'ok'), toolUseResult: plant(value, String(shape)) },
  ]);
}

let claude: ClaudeHome;
let home = '';
let env: Record<string, string> = {};
const fuel = (...args: string[]) => runProgram(args, { env });
/** The places whose secrets are in the output, entirely or in part. */
const leaks = (output: string) =>
  [...planted]
    .filter(([token]) => [4, 16, 28].some((at) => output.includes(token.slice(at, at + 12))))
    .map(([, at]) => at);

beforeAll(async () => {
  claude = createClaudeHome();
  const files = ['lines-today.jsonl', 'lines-middle.jsonl', 'lines-old.jsonl', 'attachments.jsonl'];
  const sessions = files.map((file) => readLines(file).map((line) => plant(line, `${file} ${line.type}`) as object));
  for (const [n, lines] of [...sessions, everyResult(), everyCall()].entries()) {
    const id = idOf(n + 4);
    const own = lines.map((line) => ('sessionId' in line ? { ...line, sessionId: id } : line));
    claude.write(`${FOLDER}/${id}.jsonl`, own);
  }
  const agent = secret('name of an agent file');
  const talk = createTalk(idOf(9));
  const lines = [
    talk.user('Look.'),
    talk.assistant('msg_a', toolUse(`toolu_${secret('id of a call')}`, 'Bash', {}), { input: 1, output: 1 }),
  ].map((line) => ({ ...line, isSidechain: true, agentId: agent }));
  claude.write(`${FOLDER}/${idOf(9)}/subagents/agent-${agent}.jsonl`, lines);
  home = mkdtempSync(join(tmpdir(), 'fuel-code-fields-'));
  env = { FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: claude.path };
  await fuel('backfill');
});
afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

const IDS = [4, 5, 6, 7, 8, 9].map(idOf);

describe('a secret in every field of a transcript', () => {
  it('is stored', async () => {
    const raw = await Promise.all(IDS.map((id) => fuel('session', id, '--export', 'parsed', '--raw')));
    expect(leaks(raw.map(({ stdout }) => stdout).join('')).length).toBeGreaterThan(planted.size / 2);
  });

  it.each(['md', 'html', 'json', 'csv', 'parsed'])('is not in an export as %s', async (format) => {
    const exports = await Promise.all(IDS.map((id) => fuel('session', id, '--export', format)));
    expect(exports.map(({ code, stdout, stderr }) => [code, leaks(stdout + stderr)])).toEqual(IDS.map(() => [0, []]));
  });

  it.each(['md', 'html', 'json', 'csv'])(
    'is neither in the names nor in the files of a folder as %s',
    async (format) => {
      const folder = join(home, `folder-${format}`);
      expect((await fuel('export', '--to', folder, '--format', format)).code).toBe(0);
      const files = readdirSync(folder);
      expect(files.length).toBeGreaterThan(IDS.length / 2);
      for (const name of files) expect(leaks(`${name}\n${readFileSync(join(folder, name), 'utf8')}`)).toEqual([]);
    },
  );

  it.each(IDS)('is not on the page of session %s', async (id) => {
    const path = join(home, `${id}.html`);
    expect((await fuel('share', id, '--file', path)).code).toBe(0);
    expect(leaks(readFileSync(path, 'utf8'))).toEqual([]);
  });

  it.each([
    ...['sessions', 'timeline', 'files', 'tools', 'workspaces', 'events', 'stats'].map((command) => [command, '--csv']),
    ...['session', 'branch', 'model', 'workspace'].map((by) => ['cost', '--csv', '--by', by]),
    ['search', '--csv', 'type:prompt,answer,output,input'],
    ['drift'],
    ['drift', '--json'],
    ['share', idOf(9), '--preview'],
    ['doctor'],
    ['status'],
    ['forget', '--secrets', '--dry-run'],
  ])('is not printed by %s %s', async (...args) => {
    const { code, stdout, stderr } = await fuel(...args);
    expect([code, leaks(stdout + stderr)]).toEqual([0, []]);
  });

  it('is not in an answer to Claude', async () => {
    await using mcp = await connectMcp({ env, cwd: home });
    const questions = [
      ...['list_sessions', 'find_failures', 'list_commits', 'cost', 'file_history'].map((name) => [name, {}] as const),
      ...IDS.map((session) => ['read_session', { session }] as const),
      ['read_session', { session: idOf(9), turn: 1, max_tokens: 20_000 }] as const,
    ];
    for (const [name, args] of questions) {
      const all = name === 'read_session' ? args : { ...args, workspace: 'all' };
      expect([name, leaks((await mcp.pages(name, all)).join('\n'))]).toEqual([name, []]);
    }
  });
});
