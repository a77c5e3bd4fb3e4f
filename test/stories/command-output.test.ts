import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withBackgroundLog } from '../../src/cli/background-log.ts';
import type { CommandContext } from '../../src/cli/command.ts';
import { COMMANDS, loadCommands } from '../../src/cli/commands.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { loadConfig } from '../../src/config.ts';
import { logFolder } from '../../src/lib/log.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { runProgram } from '../support/run-program.ts';
import { fillWithSecrets, LEAKY, PLANTED, tokenFor } from '../support/secret-home.ts';

/*
 * Every command is in exactly one of these lists, so a new one must declare what it does with session texts. Output meant to
 * be passed on is redacted (`--csv`, exports, shares, answers to Claude); output that people paste into bug reports contains
 * no session text (`doctor`, `status`, `logs`); only the owner's screen and pipes show sessions unredacted.
 */

/** Prints facts about the store, never session text. */
const WITHOUT_TEXTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  doctor: [[], ['--json']],
  status: [[], ['--json']],
  logs: [[], ['--json']],
  config: [[], ['--json']],
  drift: [[], ['--json']],
  verify: [[], ['--json']],
  queue: [['status'], ['dead-letter'], ['status', '--json']],
  recover: [[], ['--json']],
  reparse: [[LEAKY.slice(0, 8)]],
  backfill: [[], ['--json']],
  archive: [['--dry-run'], ['--dry-run', '--json']],
  devices: [[], ['--json'], ['browsers']],
  hooks: [['status']],
  'git-hooks': [['status']],
  completion: [['bash']],
  forget: [
    ['--secrets', '--dry-run'],
    ['--secrets', '--dry-run', '--json'],
  ],
  shares: [[], ['--json']],
  delete: [['--list'], ['--list', '--json']],
  statusline: [['--help']],
};

/** Rows for a spreadsheet. */
const CSV: Readonly<Record<string, readonly (readonly string[])[]>> = {
  sessions: [['--csv'], ['--csv', '--fields', 'id,title,initial_prompt,git_branch']],
  search: [
    ['token', '--csv'],
    ['ghp', '--csv', '--fields', 'session_id,hits.snippet'],
  ],
  timeline: [['--csv'], ['--csv', '--fields', 'kind,session.title']],
  cost: ['session', 'branch', 'workspace', 'day'].map((by) => ['--by', by, '--csv']),
  stats: [['--csv']],
  workspaces: [['--csv']],
  tools: [['--csv']],
  files: [['--csv']],
  events: [['--csv'], ['--csv', '--fields', 'type,data']],
};

/** Tested in detail in `redacted-output.test.ts`. */
const CHECKED_THERE = ['session', 'export', 'share', 'mcp'];

/** Why a command may print session text unredacted. */
const FOR_THE_OWNER: Readonly<Record<string, string>> = {
  start: 'the page is for the owner, behind a token; its answers are those of the API',
  open: 'opens the page',
  demo: 'has sample sessions only',
  pick: 'the keyboard of the owner',
  tail: 'the screen or a pipe of the owner',
  watch: 'the screen or a pipe of the owner',
  tag: 'prints what the owner wrote',
  note: 'prints what the owner wrote',
  pin: 'prints what the owner wrote',
  budget: 'prints the names of workspaces; alerts are checked in `budgets.test.ts`',
  workspace: 'prints the names of folders of the owner',
  worker: 'prints nothing but its log, which is checked below',
  upload: 'prints the id, and the path that was given',
  emit: 'prints the id of the event',
  restore: 'writes the original files, for which it is there',
  rebuild: 'prints what `backfill` prints',
};

let claude: ClaudeHome;
let home = '';
let env: Record<string, string> = {};
const fuel = (...args: readonly string[]) => runProgram(args, { env });
const leaks = (output: string) => PLANTED.filter((secret) => output.toLowerCase().includes(secret));

/** Transcripts with unreadable lines, which are logged and counted. */
function writeBrokenLines(): void {
  const id = '55555555-2222-4333-8444-555555555555';
  const talk = createTalk(id);
  const whole = [
    talk.user(`Look at ${tokenFor('prompt')}`),
    { type: tokenFor('view'), payload: tokenFor('plan'), sessionId: id },
    { ...talk.assistant('msg_1', text('Yes.'), { input: 1, output: 1 }), [tokenFor('skill')]: tokenFor('task') },
    { type: 'system', subtype: tokenFor('agent'), content: tokenFor('meta'), sessionId: id, uuid: id },
  ];
  claude.write(`-home-ada-shop/${id}.jsonl`, whole);
  const broken = `{"type":"user","message":{"content":"${tokenFor('answer')}\n${tokenFor('thinking')}\n`;
  appendFileSync(join(claude.path, `projects/-home-ada-shop/${id}.jsonl`), broken);
}

/** A hook event that is not JSON, and a script event. */
function writeSpool(): void {
  const spool = join(env['FUEL_CODE_HOME'] ?? '', 'spool');
  mkdirSync(spool, { recursive: true });
  writeFileSync(join(spool, '1-broken.json'), `{"hook_event_name": "${tokenFor('event')}`);
}

beforeAll(async () => {
  claude = createClaudeHome();
  home = mkdtempSync(join(tmpdir(), 'fuel-code-commands-'));
  env = { HOME: home, FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: claude.path };
  fillWithSecrets(claude, `/srv/${tokenFor('commit')}`);
  writeBrokenLines();
  await fuel('backfill');
  writeSpool();
  await fuel('emit', 'deploy', '--session', LEAKY, `note=${tokenFor('event')}`);
  await fuel('note', 'add', LEAKY, tokenFor('note'));
  await fuel('budget', 'set', 'month', '1', '--workspace', tokenFor('commit'));
});
afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

describe('every command', () => {
  it('is in exactly one list', () => {
    const listed = [WITHOUT_TEXTS, CSV, FOR_THE_OWNER].flatMap((list) => Object.keys(list)).concat(CHECKED_THERE);
    expect(listed.toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
  });

  it('with --csv is in the list of those, or has no texts', async () => {
    const names = (await loadCommands()).filter(({ options }) => Object.hasOwn(options, 'csv')).map(({ name }) => name);
    const known = new Set([...Object.keys(CSV), ...Object.keys(WITHOUT_TEXTS), ...CHECKED_THERE]);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});

const lines = (list: typeof CSV) =>
  Object.entries(list).flatMap(([name, all]) =>
    all.map((args) => [[name, ...args].join(' '), [name, ...args]] as const),
  );

describe('no secret of a session', () => {
  it.each([...lines(CSV), ...lines(WITHOUT_TEXTS)])('in %s', async (_, args) => {
    const { stdout, stderr, code } = await fuel(...args);
    expect([leaks(stdout), leaks(stderr), code === 2 && args[0] !== 'doctor' ? stderr : '']).toEqual([[], [], '']);
    expect(stdout + stderr).not.toBe('');
  });

  it('in the log of a background process, whatever an error quotes', async () => {
    const { config } = loadConfig(env);
    const screen: string[] = [];
    const terminal = { err: (line: string) => screen.push(line) } as unknown as Terminal;
    const context = { terminal, clock: fixedClock } as CommandContext;
    const quoted = `Unexpected token "${tokenFor('answer')}", "{"a":"${tokenFor('prompt')}" is not valid JSON`;
    const run = withBackgroundLog(context, { by: 'worker', config }, async ({ log }) => {
      log.warn('a file or session could not be imported', { path: `/srv/${tokenFor('file')}/a.jsonl`, error: quoted });
      throw new Error(quoted);
    });
    await expect(run).rejects.toThrow(quoted);
    const folder = logFolder(config.home);
    const written = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect([written.join('').split('\n').length, leaks(written.join('')), leaks(screen.join(''))]).toEqual([3, [], []]);
    expect(written.join('')).toContain('/srv/[secret:github-token]/a.jsonl');
  });

  it.each([
    ['session', 'zzzz'],
    ['search', '"unclosed'],
    ['cost', '--by', 'nothing'],
    ['upload', '/nonexistent.jsonl'],
    ['delete', 'zzzz'],
    ['session', LEAKY, '--turns', '99-98', '--export', 'md'],
  ])('in the error of %s %s', async (...args) => {
    const { code, stdout, stderr } = await fuel(...args);
    expect([code === 0, leaks(stdout + stderr)]).toEqual([false, []]);
  });
});
