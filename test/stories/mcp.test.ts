import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/mcp/slice.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { createGitSandbox, type GitSandbox } from '../support/git-sandbox.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { LAUNCHER, runProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

// The official client, over standard input and output, against the built program.

const USAGE = { input: 3, output: 40 };
const idOf = (n: number) => `${String(n).padStart(8, '0')}-aaaa-4bbb-8ccc-dddddddddddd`;
const SESSIONS = 7;
/** The session with turns of every size. */
const LONG = idOf(1);

/** A session that starts with a copy of another one, in another workspace. */
const FORKED = 2;
const FORK = 'ffffffff-aaaa-4bbb-8ccc-dddddddddddd';

let claude: ClaudeHome;
let sandbox: GitSandbox;
let root = '';
let shop = '';
let env: Record<string, string> = {};
let mcp: McpClient;

function writeSession(n: number, cwd: string): void {
  const talk = createTalk(idOf(n), { startedAt: `2026-11-0${n}T10:00:00.000Z` });
  const lines = [
    talk.user(`Sail number ${n}: why does the harbour test fail?`),
    talk.assistant(`m1-${n}`, toolUse(`t1-${n}`, 'Bash', { command: 'npm test' }), USAGE),
    talk.result(`t1-${n}`, `Exit code 1\nFAIL src/harbour.test.ts\nexpected ${n} to be 0`, true),
    talk.assistant(`m2-${n}`, text(`The tide table of sail ${n} is wrong.`), USAGE),
    talk.assistant(
      `m3-${n}`,
      toolUse(`t2-${n}`, 'Write', { file_path: `${cwd}/src/tide.ts`, content: `export const n = ${n};\n` }),
      USAGE,
    ),
    talk.result(`t2-${n}`, 'File created successfully'),
    talk.assistant(`m4-${n}`, toolUse(`t3-${n}`, 'Bash', { command: 'npm test -- --run' }), USAGE),
    talk.result(`t3-${n}`, 'all passed'),
    talk.assistant(`m5-${n}`, text('It works now.'), USAGE),
  ];
  if (n === FORKED) {
    const next = createTalk(FORK, { startedAt: '2026-11-08T10:00:00.000Z' }).user('Another sail, another harbour.');
    const fork = [...lines, { ...next, parentUuid: lines.at(-1)?.uuid }];
    claude.write(
      `-forks/${FORK}.jsonl`,
      fork.map((line) => ({ ...line, sessionId: FORK, cwd: join(root, 'forks') })),
    );
  }
  const more = n === 1 ? longTurns(talk) : [];
  claude.write(
    `-shop/${idOf(n)}.jsonl`,
    [...lines, ...more].map((line) => ({ ...line, cwd })),
  );
}

function longTurns(talk: ReturnType<typeof createTalk>): object[] {
  return Array.from({ length: 12 }, (_, n) => [
    talk.user(`Question ${n}: ${'what about this? '.repeat(n)}`),
    talk.assistant(
      `a${n}`,
      text(Array.from({ length: n * 40 }, (_line, at) => `line ${n}.${at}`).join('\n') || 'ok'),
      USAGE,
    ),
  ]).flat();
}

beforeAll(async () => {
  claude = createClaudeHome();
  sandbox = createGitSandbox();
  root = sandbox.path;
  for (const name of ['elsewhere', 'forks']) mkdirSync(join(root, name));
  shop = sandbox.init('shop');
  sandbox.git(shop, 'remote', 'add', 'origin', 'https://example.invalid/ada/shop.git');
  for (const n of [3, 4, 5]) {
    sandbox.at(`2026-11-0${n}T10:00:05Z`);
    sandbox.commit(shop, `tide-${n}.ts`, `fix: tide of sail ${n}`);
  }
  for (let n = 1; n <= SESSIONS; n += 1) writeSession(n, n === SESSIONS ? join(root, 'elsewhere') : shop);
  env = { FUEL_CODE_HOME: join(root, 'data'), CLAUDE_CONFIG_DIR: claude.path };
  // The server imports for a limited time before each answer, which may not be enough on a busy machine.
  await runProgram(['backfill'], { env });
  mcp = await connectMcp({ env, cwd: shop });
});
afterAll(async () => {
  await mcp[Symbol.asyncDispose]();
  claude[Symbol.dispose]();
  sandbox[Symbol.dispose]();
});

describe('the tools', () => {
  it('describe what they are for and that they change nothing', async () => {
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search_sessions',
      'list_sessions',
      'read_session',
      'find_failures',
      'file_history',
      'list_commits',
      'cost',
    ]);
    for (const { name, title, description, annotations, inputSchema } of tools) {
      expect([name, annotations?.readOnlyHint, annotations?.destructiveHint]).toEqual([name, true, false]);
      expect([title, description].every((words) => (words?.length ?? 0) > 5)).toBe(true);
      expect(Object.keys(inputSchema.properties ?? {})).not.toContain('raw');
      expect(JSON.stringify(inputSchema)).not.toMatch(/redact/i);
    }
    const search = tools.find(({ name }) => name.includes('search'));
    expect(search?.inputSchema).toMatchObject({ required: ['query'], properties: { query: { type: 'string' } } });
    expect(mcp.client.getInstructions()).toContain('search_sessions');
  });

  it('import new transcripts before they answer', async () => {
    using home = createClaudeHome();
    const talk = createTalk(idOf(9), { startedAt: '2026-11-09T10:00:00.000Z' });
    home.write(`-shop/${idOf(9)}.jsonl`, [{ ...talk.user('Is the ninth sail torn?'), cwd: shop }]);
    const ownEnv = { FUEL_CODE_HOME: join(root, 'data-of-first-import'), CLAUDE_CONFIG_DIR: home.path };
    await using first = await connectMcp({ env: ownEnv, cwd: shop });
    // On a busy machine the import takes longer than an answer waits; the next question continues it.
    await until(async () => expect(await first.ask('list_sessions')).toContain(idOf(9)));
  });

  it('search finds the words, says where, and reading there shows them', async () => {
    const answer = await mcp.ask('search_sessions', { query: '"sail 3" tide' });
    expect(answer).toContain(`session ${idOf(3)}`);
    const [, position] = /#(\d+) answer: The tide table of sail 3 is wrong/.exec(answer) ?? [];
    const read = await mcp.ask('read_session', { session: idOf(3), around: Number(position), max_tokens: 1_000 });
    expect(read).toContain('The tide table of sail 3 is wrong.');
    expect(read).toContain('expected 3 to be 0');
  });

  it('an overview lists the turns, and a turn has its prompt, calls and answers', async () => {
    const overview = await mcp.ask('read_session', { session: LONG.slice(0, 8) });
    expect(overview).toContain('Turn 1 [#0]');
    expect(overview).toContain('Question 11: what about this?');
    const turn = await mcp.ask('read_session', { session: LONG, turn: 1 });
    expect(turn).toContain('Sail number 1: why does the harbour test fail?');
    expect(turn).toContain('**Bash** `npm test` (exit 1)');
    expect(turn).not.toContain('Question 1');
    expect(await mcp.call('read_session', { session: LONG, turn: 99 })).toMatchObject({
      isError: true,
      text: 'There is no turn 99: the session has 13 turns.',
    });
  });

  it('failures include what followed', async () => {
    const answer = await mcp.ask('find_failures', { topic: 'harbour', limit: 1 });
    expect(answer).toContain('Bash npm test (exit 1)');
    expect(answer).toContain('expected 6 to be 0');
    expect(answer).toContain('Claude then said: The tide table of sail 6 is wrong.');
    expect(answer).toMatch(/Changed: \S+\/src\/tide\.ts/);
    expect(answer).toMatch(/Worked: #\d+ Bash npm test -- --run/);
    expect(await mcp.ask('find_failures', { file: 'src/harbour.test.ts' })).toContain('FAIL src/harbour.test.ts');
    // The failed test does not mention the file, but its session changed it.
    const message = 'Error: FAIL src/harbour.test.ts (1 test';
    expect(await mcp.ask('find_failures', { topic: message.slice('Error: '.length) })).toContain('FAIL');
    const long = { topic: `${message} ${'x'.repeat(150)}`, file: `src/${'y'.repeat(400)}.ts` };
    expect(await mcp.ask('find_failures', long)).toContain('No failed or denied call');
    expect(await mcp.ask('find_failures', { file: 'src/tide.ts' })).toContain('No failed or denied call');
  });

  it('failures in the copied beginning of a fork are those of the original', async () => {
    const pages = await mcp.pages('find_failures', { topic: 'harbour', workspace: 'all', limit: 1 });
    const failures = pages.join('\n').match(/expected \d to be 0/g) ?? [];
    expect(failures.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => `expected ${n} to be 0`));
    expect(await mcp.ask('search_sessions', { query: '"another sail"', workspace: 'forks' })).toContain(FORK);
  });

  it('files, their history and cost', async () => {
    expect(await mcp.ask('file_history')).toMatch(/src\/tide\.ts: 6 changes · \+6 −0 lines · 6 sessions/);
    const history = await mcp.ask('file_history', { path: 'TIDE.ts', limit: 2 });
    expect(history.match(/session 0000000\d/g)).toEqual(['session 00000006', 'session 00000005']);
    const cost = await mcp.ask('cost', { by: 'session' });
    expect(cost).toMatch(/^Total of workspace shop: \$0\.\d+ · /);
    expect(cost.match(/^session /gm)).toHaveLength(SESSIONS - 1);
    expect(await mcp.ask('cost', { by: 'workspace', workspace: 'all' })).toContain('elsewhere: $');
  });
});

describe('commits', () => {
  it('include the session they were made in, newest first, each once over all pages', async () => {
    const all = await mcp.ask('list_commits');
    expect(all.match(/fix: tide of sail \d/g)).toEqual([5, 4, 3].map((n) => `fix: tide of sail ${n}`));
    expect(all).toMatch(new RegExp(`fix: tide of sail 4\\n +session ${idOf(4)}`));
    const pages = await mcp.pages('list_commits', { limit: 1 });
    const packed = (text: string) => text.match(/^[\da-f]{7,10} · /gm) ?? [];
    expect(pages.flatMap(packed)).toEqual(packed(all));
    expect(await mcp.ask('list_commits', { contains: 'SAIL 5' })).not.toContain('sail 4');
    expect(await mcp.ask('list_commits', { after: '2026-11-04', before: '2026-11-05' })).toContain('sail 4');
  });
});

describe('the workspace', () => {
  it('is that of the folder the server was started in, unless another one is named', async () => {
    const count = async (client: McpClient, workspace?: string) => {
      const pages = await client.pages('list_sessions', workspace === undefined ? {} : { workspace });
      return pages.join('\n').match(/^session /gm)?.length ?? 0;
    };
    expect(await count(mcp)).toBe(SESSIONS - 1);
    expect(await count(mcp, 'all')).toBe(SESSIONS + 1);
    expect(await count(mcp, 'elsewhere')).toBe(1);
    const unknown = await mcp.call('list_sessions', { workspace: 'shpo' });
    expect([unknown.isError, unknown.text]).toEqual([true, expect.stringContaining('shop')]);
    // No query can escape it.
    for (const query of ['sail OR elsewhere', 'workspace:elsewhere', '"sail 7" OR tide', '-nothing sail']) {
      const pages = await mcp.pages('search_sessions', { query });
      expect(pages.join('\n')).not.toContain(idOf(SESSIONS));
    }
  });

  it('is that of the first root of a client that has roots', async () => {
    const roots = [pathToFileURL(shop).href, pathToFileURL(root).href];
    await using other = await connectMcp({ env, cwd: root, roots });
    expect(await other.ask('list_sessions', { limit: 1 })).toContain('Sessions of workspace shop');
    expect((await other.client.listResources()).resources).toHaveLength(SESSIONS - 1);
  });

  it('may have no sessions, which the answer says', async () => {
    await using other = await connectMcp({ env, cwd: root });
    const { isError, text: sentence } = await other.call('search_sessions', { query: 'sail' });
    expect([isError, sentence]).toEqual([
      true,
      expect.stringMatching(/^No sessions are stored for the current workspace/),
    ]);
    expect((await other.client.listResources()).resources).toEqual([]);
  });
});

describe('paging', () => {
  it.each([
    ['search_sessions', { query: 'sail', limit: 1 }],
    ['list_sessions', { limit: 1 }],
    ['list_sessions', { limit: 4, filter: 'has:error' }],
    ['find_failures', { topic: 'harbour', limit: 1 }],
    ['file_history', { path: 'tide', limit: 1 }],
    ['cost', { by: 'session', limit: 1 }],
  ])('%s %j returns everything once', async (name, args) => {
    const pages = await mcp.pages(name, args);
    const ids = pages.flatMap((page) => page.match(/session [\da-f-]{36}/g) ?? []);
    expect(ids).toHaveLength(SESSIONS - 1);
    expect(new Set(ids).size).toBe(SESSIONS - 1);
  });

  it.each([200, 333, 1_000])('a session in pieces of %i tokens is the same as in one piece', async (max_tokens) => {
    const whole = await mcp.pages('read_session', { session: LONG, around: 0, max_tokens: 20_000 });
    expect(whole).toHaveLength(1);
    const pages = await mcp.pages('read_session', { session: LONG, around: 0, max_tokens });
    expect(pages.length).toBeGreaterThan(3);
    // The first page starts before the position; the pages after it only lack the spaces between them.
    const packed = (texts: readonly string[]) => texts.join('').replaceAll(/\s+/g, '');
    expect(packed(pages)).toBe(packed(whole));
    for (const page of pages) expect(estimateTokens(page)).toBeLessThanOrEqual(max_tokens);
  });

  it('turns of an overview are listed once', async () => {
    const pages = await mcp.pages('read_session', { session: LONG, max_tokens: 200 });
    const turns = pages.flatMap((page) => page.match(/^Turn \d+/gm) ?? []);
    expect(turns).toEqual(Array.from({ length: 13 }, (_, at) => `Turn ${at + 1}`));
  });

  it('resources are the sessions of the workspace', async () => {
    const { resources } = await mcp.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([6, 5, 4, 3, 2, 1].map((n) => `fuel-code://session/${idOf(n)}`));
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['fuel-code://session/{id}']);
    const { contents } = await mcp.client.readResource({ uri: `fuel-code://session/${idOf(2)}` });
    expect(contents[0]).toMatchObject({ mimeType: 'text/markdown', text: expect.stringContaining('Sail number 2') });
  });
});

describe('hostile and invalid requests', () => {
  it.each([
    ['search_sessions', {}, /^Invalid arguments: query must be a string\.$/],
    ['search_sessions', { query: '' }, /query must not be empty/],
    ['search_sessions', { query: 'a', raw: true }, /unknown fields: "raw"/],
    ['search_sessions', { query: 'x'.repeat(501) }, /query must not be longer than 500 characters/],
    ['search_sessions', { query: 'a\u0000b' }, /control characters/],
    ['search_sessions', { query: '\ud800' }, /./],
    ['search_sessions', { query: '((((' }, /missing closing parenthesis/],
    ['search_sessions', { query: '"open' }, /missing closing quote/],
    ['search_sessions', { query: 'sail', cursor: 'nonsense' }, /Invalid cursor/],
    ['search_sessions', { query: 'sail', limit: 1e9 }, /limit must be at most 20/],
    ['search_sessions', { query: 'modle:opus' }, /model/],
    ['list_sessions', { filter: 'words only' }, /./],
    ['list_sessions', { cursor: 'eyJzIjoxfQ' }, /Invalid cursor/],
    ['read_session', { session: '../../etc/passwd' }, /must be a session id/],
    ['read_session', { session: '..' }, /must be a session id/],
    ['read_session', { session: 'fffffffe' }, /starts with "fffffffe"\. Ids are in the answers of list_sessions/],
    ['read_session', { session: '0000000' }, /Several session ids/],
    ['read_session', { session: LONG, turn: 1, around: 1 }, /not both/],
    ['read_session', { session: LONG, cursor: '1' }, /Invalid cursor/],
    ['read_session', { session: LONG, max_tokens: 5 }, /max_tokens must be at least 200/],
    ['cost', { by: 'mood' }, /by must be one of/],
    ['cost', { after: 'whenever' }, /Invalid date/],
    ['cost', { cursor: '-1' }, /Invalid cursor/],
    ['list_commits', { workspace: 'nowhere-at-all' }, /nowhere-at-all/],
    ['find_failures', { topic: 'a) OR (b' }, /./],
  ])('%s %j returns an answer or an error in a sentence', async (name, args, sentence) => {
    const { text: words, isError } = await mcp.call(name, args);
    expect(words).toMatch(sentence);
    expect(words).not.toMatch(/\n\s+at |node:internal|SQLITE|\[object/);
    if (name !== 'find_failures' && !JSON.stringify(args).includes('ud800')) expect(isError).toBe(true);
  });

  it.each([{ path: '%_\\' }, { path: "'; DROP TABLE sessions; --" }, { path: '"'.repeat(400) }])(
    'a path of %j is only a text',
    async (args) => {
      expect(await mcp.ask('file_history', args)).toContain('No session in');
      expect((await mcp.call('find_failures', { file: args.path })).text).not.toBe('');
      expect(await mcp.ask('list_commits', { contains: args.path })).toContain('No commits');
    },
  );

  it('a search that never ends is stopped', async () => {
    const answer = await mcp.call('search_sessions', { query: '/(a+)+$/ OR /(x*)*y/' });
    expect(answer.text).not.toBe('');
  });

  it('unknown tools and resources are protocol errors', async () => {
    await expect(mcp.client.callTool({ name: 'delete_all' })).rejects.toThrow(/Unknown tool "delete_all"/);
    for (const uri of ['file:///etc/passwd', 'fuel-code://session/', 'fuel-code://session/../x']) {
      await expect(mcp.client.readResource({ uri })).rejects.toThrow(/No such resource|No session/);
    }
    await expect(mcp.client.listResources({ cursor: 'nonsense' })).rejects.toThrow('Invalid cursor');
  });
});

describe('the process', () => {
  it('writes nothing but the protocol to stdout and ends with its input', async () => {
    const child = spawn(process.execPath, [LAUNCHER, 'mcp'], { env: { ...env, PATH: process.env.PATH }, cwd: shop });
    let out = '';
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    child.stdin.write('this is not JSON\n{"jsonrpc":"1.0"}\n\n');
    send({ id: 1, method: 'initialize', params: initialize });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'search_sessions', arguments: { query: 'sail' } } });
    send({ id: 3, method: 'no/such/method' });
    await until(() => expect(out.split('\n').length).toBeGreaterThan(3));
    child.stdin.end();
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
    const messages = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { jsonrpc: string; id: number });
    expect(messages.map(({ jsonrpc }) => jsonrpc)).toEqual(['2.0', '2.0', '2.0']);
    expect(new Set(messages.map(({ id }) => id))).toEqual(new Set([1, 2, 3]));
  });

  it('sees sessions that were written after its start', async () => {
    const id = 'eeeeeeee-aaaa-4bbb-8ccc-dddddddddddd';
    const talk = createTalk(id, { startedAt: '2026-11-09T10:00:00.000Z' });
    claude.write(`-shop/${id}.jsonl`, [{ ...talk.user('A lighthouse was added.'), cwd: shop }]);
    expect(await mcp.ask('search_sessions', { query: 'lighthouse' })).toContain(id);
  });
});
