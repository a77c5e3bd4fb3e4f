import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRedactor } from '../../src/app/outbound.ts';
import { STATUS_FIELDS } from '../../src/reading/status-line.ts';
import { DOCUMENTED_SECRETS } from '../../src/redact/testing/documented-secrets.ts';
import { createRandom } from '../../src/redact/testing/random.ts';
import { chars, PEM } from '../../src/redact/testing/secrets.ts';
import { TEMPLATED_SECRETS } from '../../src/redact/testing/templated-secrets.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { PROGRAMS } from '../support/programs.ts';
import { runProgram, runWithInput } from '../support/run-program.ts';

// Everything that leaves the machine passes the same redactor.

const ID = 'cccccccc-2222-4333-8444-555555555555';
const token = (letter: string) => `ghp_${letter.repeat(2)}${chars(34)}`;
const KEY_LINE = PEM.split('\n')[1] ?? '';
/** Shorter ones appear in other texts by chance. */
const MIN_CHARS = 8;
/** The recall of each class is measured in test/stories/redaction-recall.test.ts; here each output has to be redacted at all. */
const SECRETS_PER_CLASS = 2;
/** Secrets of every class, each in a separate text, as a tool prints it. */
const PLANTED = [DOCUMENTED_SECRETS, TEMPLATED_SECRETS]
  .flatMap((generators) => Object.values(generators))
  .flatMap((plant, n) =>
    plant(createRandom(n + 2))
      .filter(({ text, secrets }) => secrets.every((one) => one.length >= MIN_CHARS && text.includes(one)))
      .slice(0, SECRETS_PER_CLASS),
  );
/** Only the name of its field identifies it as a secret. */
const inNamed = 'meadow-lantern-77';
const SECRETS = Array.from('abcdefg', token).concat(
  KEY_LINE,
  'harbor-lantern-42',
  inNamed,
  '/srv/people/ada',
  ...PLANTED.flatMap(({ secrets }) => secrets),
);
const [inPrompt = '', inInput = '', inKey = '', inTool = '', inPath = '', inAnswer = '', inBranch = ''] = SECRETS;
const numbered = PEM.split('\n')
  .map((line, n) => `${String(n + 1).padStart(6)}→${line}`)
  .join('\n');

let claude: ClaudeHome;
let home = '';
let env: Record<string, string> = {};
const fuel = (...args: string[]) => runProgram(args, { env });
/** Prompts that become titles: with a capital letter, and cut within the secret. */
const TITLED = [`ghp_zz${chars(34)} is broken`, `sk-ant-api03-${chars(93)}AA is broken too`];
const PIECES = TITLED.flatMap((prompt) => (prompt.split(' ')[0] ?? '').slice(13).match(/.{20}/g) ?? []);
const leaks = (output: string) => [...SECRETS, ...PIECES].filter((secret) => output.includes(secret));

beforeAll(async () => {
  claude = createClaudeHome();
  const talk = createTalk(ID);
  const input = { command: `curl ${inInput}`, env: { SMTP_PASS: 'harbor-lantern-42', [inKey]: 1 } };
  const lines = [
    talk.user(`Use ${inPrompt} in /srv/people/ada/shop`),
    talk.assistant('msg_1', toolUse('toolu_1', 'Bash', input), { input: 3, output: 40 }),
    talk.result('toolu_1', numbered),
    talk.assistant('msg_2', toolUse('toolu_2', `mcp__vault__${inTool}`, { q: 1, api_key: inNamed }), {
      input: 3,
      output: 40,
    }),
    talk.result('toolu_2', 'done'),
    talk.assistant('msg_3', toolUse('toolu_3', 'Read', { file_path: `/srv/x/${inPath}.txt` }), { input: 3, output: 4 }),
    talk.result('toolu_3', 'done'),
    talk.assistant('msg_4', text(`It answers {\\"t\\":\\"\\n${inAnswer}\\"}`), { input: 5, output: 60 }),
  ];
  const planted = PLANTED.flatMap(({ text: output }, n) => [
    talk.assistant(`msg_p${n}`, toolUse(`toolu_p${n}`, 'Bash', { command: 'make' }), { input: 1, output: 1 }),
    talk.result(`toolu_p${n}`, output),
  ]);
  const onBranch = [...lines, ...planted].map((line) => ({ ...line, gitBranch: `try/${inBranch}` }));
  claude.write(`-srv-people-ada-shop/${ID}.jsonl`, onBranch);
  for (const [n, prompt] of TITLED.entries()) {
    const id = `${n}ddddddd-2222-4333-8444-555555555555`;
    const titled = createTalk(id);
    claude.write(`-srv-people-ada-shop/${id}.jsonl`, [
      titled.user(prompt),
      titled.assistant(`msg_t${n}`, text('It is not.'), { input: 1, output: 1 }),
    ]);
  }
  home = mkdtempSync(join(tmpdir(), 'fuel-code-outlets-'));
  env = { HOME: '/srv/people/ada', FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: claude.path };
  await fuel('backfill');
});
afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

describe('data that leaves the machine', () => {
  it('the stored session contains every secret', async () => {
    const { stdout } = await fuel('session', ID, '--export', 'parsed', '--raw');
    expect(leaks(stdout)).toEqual(expect.arrayContaining(SECRETS));
  });

  it.each([
    ['session', ID, '--export', 'parsed'],
    ['session', ID, '--export', 'html'],
    ['session', ID, '--export', 'md'],
    ['session', ID, '--export', 'json'],
    ['session', ID, '--export', 'csv'],
    ['sessions', '--csv'],
    ['search', 'api_key', '--csv'],
    ['search', 'curl', '--csv'],
    ['search', 'tool:Bash', '--csv'],
    ['timeline', '--csv'],
    ['files', '--csv'],
    ['tools', '--csv'],
    ['cost', '--by', 'session', '--csv'],
    ['cost', '--by', 'branch', '--csv'],
    ['workspaces', '--csv'],
  ])('%s %s %s %s', async (...args) => {
    const { code, stdout, stderr } = await fuel(...args.filter((arg) => arg !== undefined));
    expect([code, leaks(stdout), stderr.includes('Not redacted')]).toEqual([0, [], false]);
    expect(stdout.length).toBeGreaterThan(20);
  });

  it('the status line', async () => {
    const path = join(claude.path, `projects/-srv-people-ada-shop/${ID}.jsonl`);
    const input = {
      session_id: ID,
      transcript_path: path,
      cwd: `/srv/${inPath}`,
      session_name: inPrompt,
      model: 'Opus',
    };
    const all = Object.keys(STATUS_FIELDS).map((field) => `{${field}}`);
    const words = ['statusline', '--format', all.join(' | ')];
    const { stdout } = await runWithInput(words, JSON.stringify(input), { ...env, NO_COLOR: '1' });
    expect([stdout.startsWith('Opus | '), leaks(stdout)]).toEqual([true, []]);
  });

  it.each(['md', 'html', 'json', 'csv'])('a folder of exports as %s', async (format) => {
    const folder = join(home, `folder-${format}`);
    expect((await fuel('export', '--to', folder, '--format', format)).code).toBe(0);
    const files = readdirSync(folder);
    expect(files.length).toBeGreaterThan(TITLED.length + 1);
    expect(leaks(files.join('\n'))).toEqual([]);
    for (const name of files) expect([name, leaks(readFileSync(join(folder, name), 'utf8'))]).toEqual([name, []]);
  });

  it('a page in a file', async () => {
    const path = join(home, 'page.html');
    expect((await fuel('share', ID, '--file', path)).code).toBe(0);
    const page = readFileSync(path, 'utf8');
    expect([leaks(page), page.includes('[secret:private-key]')]).toEqual([[], true]);
  });

  // A value that only its name in the tool input identifies as a secret.
  it.each([true, false])('Markdown copied from the page, redact: %s', async (redact) => {
    await using program = await (PROGRAMS[0] as (typeof PROGRAMS)[number]).create(claude.path);
    await using app = await program.open();
    await app.importNew();
    const { text: copied } = await app.get('/sessions/:id/markdown', {
      params: { id: ID },
      query: { from: 0, limit: 1000, redact },
    });
    expect(leaks(copied).includes(inNamed)).toBe(!redact);
    // This process has another home.
    if (redact) expect(leaks(copied)).toEqual(['/srv/people/ada']);
    else expect(leaks(copied).length).toBeGreaterThan(SECRETS.length / 2);
  });

  it.each(['md', 'json', 'csv'])('%s contains them with --raw', async (format) => {
    const { stdout, stderr } = await fuel('session', ID, '--export', format, '--raw');
    expect(leaks(stdout)).toEqual(expect.arrayContaining([inPrompt, inAnswer]));
    expect(stderr).toContain('Not redacted (--raw)');
  });

  it('a JSON export keeps its structure', async () => {
    const [safe, raw] = await Promise.all(
      [[], ['--raw']].map(async (more) =>
        JSON.parse((await fuel('session', ID, '--export', 'parsed', ...more)).stdout),
      ),
    );
    const shape = (value: unknown): unknown =>
      typeof value === 'object' && value !== null ? Object.values(value).map(shape) : typeof value;
    expect(shape(safe)).toEqual(shape(raw));
    expect(safe.session.messages.map(({ id }: { id: string }) => id)).toEqual(
      raw.session.messages.map(({ id }: { id: string }) => id),
    );
  });

  it('--raw turns it off and says so on stderr', async () => {
    for (const args of [
      ['session', ID, '--export', 'parsed', '--raw'],
      ['sessions', '--csv', '--raw'],
    ]) {
      const { code, stdout, stderr } = await fuel(...args);
      expect([code, stdout.includes(inPrompt), stderr.includes('Not redacted (--raw)')]).toEqual([0, true, true]);
    }
    const page = await fuel('session', ID, '--export', 'html', '--raw');
    expect([page.code, page.stdout]).toEqual([2, '']);
    expect((await fuel('sessions', '--raw')).code).toBe(2);
  });
});

/** Questions that reach every text of the session, through every tool. */
const QUESTIONS: readonly (readonly [name: string, args: object])[] = [
  ...[
    'use',
    'mcp',
    'done',
    'make',
    'curl',
    'try',
    'tool:Bash',
    'type:output',
    'type:input,answer,prompt',
    '/[a-z0-9]{9,}/',
  ].map((query) => ['search_sessions', { query, limit: 20 }] as const),
  ['list_sessions', {}],
  ['read_session', { session: ID }],
  ['read_session', { session: ID, max_tokens: 200 }],
  ['read_session', { session: ID, turn: 1, max_tokens: 20_000 }],
  // Small pages cut texts everywhere.
  ['read_session', { session: ID, turn: 1, max_tokens: 200 }],
  ['read_session', { session: ID, around: 3, max_tokens: 300 }],
  ['find_failures', {}],
  ['find_failures', { topic: 'make OR curl OR done' }],
  ['find_failures', { file: 'x' }],
  ['file_history', {}],
  ['file_history', { path: '/' }],
  // Small pages have cursors, which must not reveal what is on the page.
  ['file_history', { path: '/', limit: 1 }],
  ['list_sessions', { limit: 1 }],
  ['list_commits', {}],
  ...['day', 'model', 'session', 'branch', 'workspace'].map((by) => ['cost', { by }] as const),
];

async function everything(mcp: McpClient): Promise<string> {
  const texts: string[] = [];
  for (const [name, args] of QUESTIONS) {
    const all = name === 'read_session' ? args : { ...args, workspace: 'all' };
    texts.push(...(await mcp.pages(name, all)));
  }
  const { resources } = await mcp.client.listResources();
  const { contents } = await mcp.client.readResource({ uri: `fuel-code://session/${ID}` });
  // Errors repeat the request.
  const wrong = await mcp.call('search_sessions', { query: `"${inPrompt}`, workspace: 'all' });
  const unknown = await mcp.call('list_sessions', { workspace: inPrompt });
  return [...texts, JSON.stringify(resources), JSON.stringify(contents), wrong.text, unknown.text].join('\n');
}

describe('answers to Claude', () => {
  it('contain no secret, whatever it asks and wherever an answer is cut', async () => {
    await using mcp = await connectMcp({ env, cwd: home });
    const answers = await everything(mcp);
    expect(leaks(answers)).toEqual([]);
    const decoded = (answers.match(/[\w+/-]{24,}/g) ?? []).map((run) => Buffer.from(run, 'base64').toString('latin1'));
    expect(decoded.length).toBeGreaterThan(2);
    expect(leaks(decoded.join('\n'))).toEqual([]);
    const parts = SECRETS.flatMap((secret) => (secret.length < 32 ? [] : (secret.match(/.{24}/g) ?? [])));
    expect(parts.filter((part) => answers.includes(part))).toEqual([]);
    expect(answers).toContain('[secret:private-key]');
    expect(answers).toContain('~/shop');
  });

  it('contain them if the user starts the server with --raw', async () => {
    await using mcp = await connectMcp({ env, cwd: home, args: ['--raw'] });
    const answers = await everything(mcp);
    expect(answers).toContain(inPrompt);
    expect(answers).toContain(inAnswer);
    expect(leaks(answers).length).toBeGreaterThan(SECRETS.length / 2);
    expect(mcp.stderr()).toContain('Not redacted (--raw)');
  });
});

/** Texts in which a snippet around the canary starts or ends within a secret, each in a separate session. */
const TORN_TOKEN = `ghp_${chars(36)}`;
const COLOURED = `${TORN_TOKEN.slice(0, 12)}\u001b[1m${TORN_TOKEN.slice(12)}\u001b[0m`;
const KEY_LINES = PEM.split('\n').slice(1, -1);
/** A word in the middle of a key matches the key itself; the snippet has neither its first nor its last line. */
const BODY = Array.from({ length: 12 }, (_, n) => (n === 5 ? `canary/${chars(57)}` : chars(64)));
const LONG_KEY = ['-----BEGIN PRIVATE KEY-----', ...BODY, '-----END PRIVATE KEY-----'].join('\n');
const TORN_TEXTS = Array.from({ length: 16 }, (_, n) => 'ab '.repeat(n * 5)).flatMap((gap) => [
  `${gap}\n${LONG_KEY}`,
  `canary ${gap}${TORN_TOKEN} end`,
  `canary ${gap}${COLOURED} end`,
  `canary ${gap}\n${PEM}`,
  `${PEM.replace(KEY_LINES.at(-1) ?? '', `${KEY_LINES.at(-1)} canary`)}${gap}`,
  `${'word '.repeat(30)}Authorization: Bearer ${TORN_TOKEN}/${TORN_TOKEN} ${gap.slice(0, 40)} canary`,
]);
/** Long enough to count as part of a secret. */
const parts = [TORN_TOKEN, ...KEY_LINES, ...BODY].flatMap((secret) => secret.match(/.{16}/g) ?? []);
const torn = (snippets: readonly string[]) => snippets.filter((one) => parts.some((part) => one.includes(part)));

// Regression: snippets for a spreadsheet were cut before they were redacted.
describe('snippets that leave the machine', () => {
  it('are taken from redacted text, wherever they start and end', async () => {
    using home = createClaudeHome();
    for (const [n, output] of TORN_TEXTS.entries()) {
      const id = `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;
      const talk = createTalk(id);
      const call = talk.assistant('msg_1', toolUse('toolu_1', 'Bash', { command: 'make' }), { input: 1, output: 1 });
      home.write(`-srv-shop/${id}.jsonl`, [talk.user('Go.'), call, talk.result('toolu_1', output)]);
    }
    await using program = await (PROGRAMS[0] as (typeof PROGRAMS)[number]).create(home.path);
    await using app = await program.open();
    await app.importNew();
    const redactor = openRedactor(program.config);
    const search = async (redact: boolean) => {
      const { sessions } = await app.get('/search', { query: { q: 'canary', limit: 100, redact } });
      expect(sessions).toHaveLength(TORN_TEXTS.length);
      return sessions.flatMap(({ hits }) => hits.map(({ snippet }) => redactor.text(snippet).value));
    };
    expect(torn(await search(true))).toEqual([]);
    // The texts are hard enough: redacting only the snippets leaves parts of secrets.
    expect(torn(await search(false)).length).toBeGreaterThan(0);
  });
});
