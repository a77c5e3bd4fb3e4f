import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { appendLogLine, logFolder } from '../../src/lib/log.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { runInPty } from '../support/pty.ts';
import { runProgram } from '../support/run-program.ts';

const ID = 'aaaaaaaa-2222-4333-8444-555555555555';
const NASTY = [
  '\u001b]0;owned\u0007',
  '\u001b[2J\u001b[31mred',
  '\u001b]52;c;aGk=\u0007',
  '\u001b]8;;http://evil\u001b\\link',
  '\u009b2K',
  '\u0090q\u009c',
  'over\rwritten',
  'back\b\b',
  '\u202eesrever\u2066',
  '\u{e0041}tag',
  '\u2028',
  '日本語の題名',
  '👩‍👩‍👧 🇩🇪 ❤️',
  'e\u0301',
].join(' ');
const HUGE = `${'x'.repeat(5_000)}${'漢'.repeat(500)}`;

let claude: ClaudeHome;
let home = '';
let env: Record<string, string> = {};

beforeAll(async () => {
  claude = createClaudeHome();
  const talk = createTalk(ID);
  const nasty = (line: object) => ({ ...line, gitBranch: `b-${NASTY}`, cwd: `/home/ada/${NASTY}` });
  const usage = { input: 3, output: 40 };
  claude.write(`-home-ada-shop/${ID}.jsonl`, [
    nasty(talk.user(`Repair ${NASTY} ${HUGE}\n\n- ${'word '.repeat(80)}\n\t${NASTY}`)),
    nasty(talk.assistant('msg_1', { type: 'thinking', thinking: `Hm ${NASTY}`, signature: 'x' }, usage)),
    nasty(talk.assistant('msg_2', toolUse('toolu_1', `Tool${NASTY}`, { command: `npm ${NASTY} ${HUGE}` }), usage)),
    nasty(talk.result('toolu_1', `${NASTY}\n${HUGE}\n`.repeat(20), true)),
    nasty(
      talk.assistant(
        'msg_3',
        toolUse('toolu_2', 'Edit', { file_path: `/x/${NASTY}`, old_string: `a\n${NASTY}`, new_string: `a\n${HUGE}` }),
        usage,
      ),
    ),
    nasty(talk.result('toolu_2', 'ok')),
    nasty(talk.assistant('msg_4', text(`Done: ${NASTY} ${HUGE}`), usage, `claude-${NASTY}`)),
    talk.assistant('msg_5', text('The end.'), usage),
  ]);
  home = mkdtempSync(join(tmpdir(), 'fuel-code-pty-'));
  env = { FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: claude.path };
  await runProgram(['backfill'], { env });
  await runProgram(['note', ID, `A note ${NASTY} ${HUGE}`], { env });
  await runProgram(['tag', ID, 'release'], { env });
  const entry = { time: new Date().toISOString(), level: 'error', message: NASTY, [NASTY]: HUGE };
  appendLogLine(logFolder(join(home, 'data')), `${JSON.stringify(entry)}\n`);
  mkdirSync(repository());
  execFileSync('git', ['init', '--quiet', repository()]);
  writeFileSync(join(env.FUEL_CODE_HOME ?? '', 'spool', '1794742159014-7503-835519.json'), `{"nasty": "${NASTY}`);
});
afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

/** A prefix of the only workspace. */
const WORKSPACE = '/home/ada/';

const repository = () => join(home, 'shop');
const elsewhere = () => join(home, 'elsewhere');
const talks = () => join(home, 'talks');

/** Arguments of a command line; values known only when the tests run are functions. */
type Words = readonly (string | (() => string))[];

const OK: readonly Words[] = [
  ['sessions'],
  ['session', ID],
  ['session', ID, '--transcript'],
  ['session', ID, '--transcript', '--full', '--subagents'],
  ['session', ID, '--steps'],
  ['session', ID, '--events'],
  ['emit', 'deploy', `note=${NASTY}`],
  ['emit', 'review', '--session', ID, `note=${HUGE}`],
  ['events'],
  ['upload', () => join(claude.path, `projects/-home-ada-shop/${ID}.jsonl`)],
  ['session', ID, '--git'],
  ['timeline'],
  ['workspaces'],
  ['workspace', WORKSPACE],
  ['devices'],
  ['search', 'Repair'],
  ['cost'],
  ['cost', '--by', 'block'],
  ['cost', '--by', 'branch'],
  ['cost', '--by', 'model'],
  ['budget'],
  ['budget', 'set', 'day', '0.01'],
  ['stats'],
  ['tools'],
  ['files'],
  ['share', ID, '--preview'],
  ['share', ID, '--file', () => mkdtempSync(join(home, 'page-'))],
  ['shares'],
  ['delete', '--list'],
  ['forget', '--secrets', '--dry-run'],
  ['export', '--to', talks],
  ['tag', ID],
  ['note', ID],
  ['status'],
  ['logs'],
  ['config'],
  ['queue', 'status'],
  ['recover'],
  ['verify'],
  ['backfill', '--status'],
  ['backfill', '--dry-run'],
  ['reparse', ID],
  ['archive', '--dry-run'],
  ['archive', '--older-than', '100y'],
  ['workspace', WORKSPACE, '--rename', `shop ${NASTY}`],
  ['workspaces'],
  ['workspace', 'shop', '--rename', WORKSPACE],
  ['pin', ID],
  ['pin', ID, '--remove'],
  ['doctor'],
  ['drift'],
  ['backfill'],
  ['restore', ID, '--to', elsewhere],
  ['restore', ID, '--to', elsewhere],
  ['rebuild'],
  ['queue', 'drain'],
  ['queue', 'dead-letter'],
  ['hooks', 'install'],
  ['hooks', 'status'],
  ['hooks', 'uninstall'],
  ['mcp', 'install', '--yes'],
  ['mcp', 'status'],
  ['mcp', 'uninstall'],
  ['statusline'],
  ['statusline', 'install', '--dry-run'],
  ['statusline', 'install', '--yes'],
  ['statusline', 'status'],
  ['statusline', 'uninstall'],
  ['git-hooks', 'install', repository],
  ['git-hooks', 'status', repository],
  ['git-hooks', 'uninstall', repository],
  ['worker', '--once'],
  ['--help'],
];

/** Their columns grow with the terminal; the lines of other commands only wrap later. */
const TABLES: readonly Words[] = [
  ['sessions'],
  ['session', ID],
  ['workspaces'],
  ['search', 'Repair'],
  ['cost'],
  ['tools'],
];

/** These run until Ctrl-C. */
const SERVING: readonly Words[] = [
  ['start', '--no-open', '--port', '0'],
  ['open', ID, '--no-open', '--port', '0'],
  ['demo', '--no-open', '--port', '0'],
];

/** These print scripts for a shell, with lines of any length. */
const SCRIPTS: readonly Words[] = [
  ['completion', 'bash'],
  ['completion', 'zsh'],
  ['completion', 'fish'],
  ['session', ID, '--export', 'parsed'],
  ['session', ID, '--export', 'html'],
  ['session', ID, '--export', 'md'],
];
const REFUSED: readonly (readonly [number, readonly string[]])[] = [
  [2, ['sessions', `--${NASTY.slice(0, 20)}`]],
  [2, ['sessions', '--since', NASTY]],
  [3, ['session', NASTY]],
  [3, ['sessions', '--workspace', `nowhere ${NASTY}`]],
  [3, ['sessions', '--device', `nobody ${NASTY}`]],
];

const OUR_CONTROLS = /\u001b\[(?:0|1|2|31|32|33|36)m|\r\u001b\[2K|\r\n/g;
const FOREIGN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
const WIDE = /^(?:\p{RGI_Emoji}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hangul}\uff01-\uff60])/v;

/** Columns as a terminal counts them, computed independently of the program. */
function widthOf(line: string): number {
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(line);
  return [...segments].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);
}

const said = (word: Words[number]) => (typeof word === 'string' ? word : word());
const named = (words: Words) =>
  [words.map((word) => (typeof word === 'string' ? word : '…')).join(' '), words] as const;

function expectSafe(output: string): void {
  expect(output.replaceAll(OUR_CONTROLS, '')).not.toMatch(FOREIGN);
}

function expectCalm(output: string, columns: number): void {
  expectSafe(output);
  const lines = output.replaceAll(/\u001b\[\d+m/g, '').split(/\r\n|\r\u001b\[2K/);
  for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(columns);
}

describe.each([
  { columns: 40, commands: OK },
  { columns: 80, commands: TABLES },
  { columns: 160, commands: TABLES },
])('I1, I2: in a terminal of $columns columns', ({ columns, commands }) => {
  it.each(commands.map(named))('%s stays within them', async (_, words) => {
    const { code, output } = await runInPty(words.map(said), { columns, env });
    expectCalm(output, columns);
    expect(code).toBe(0);
  });

  it('I4: tail follows until Ctrl-C', async () => {
    const { code, output } = await runInPty(['tail', ID], { columns, env, until: /The end\.\r\n/ });
    expectCalm(output, columns);
    expect(code).toBe(130);
  });

  it('I4: watch runs until Ctrl-C', async () => {
    const { code, output } = await runInPty(['watch'], { columns, env, until: /Ctrl-C to\s+stop/ });
    expectCalm(output, columns);
    expect(code).toBe(130);
  });
});

describe('in a terminal', () => {
  it.each(SERVING.map(named))('I4: %s runs until Ctrl-C and prints no foreign control characters', async (_, words) => {
    const { code, output } = await runInPty(words.map(said), { columns: 80, env, until: /#token=\w+/ });
    expectSafe(output);
    expect(code).toBe(130);
  });

  it.each(SCRIPTS.map(named))('%s prints no foreign control characters', async (_, words) => {
    const { code, output } = await runInPty(words.map(said), { columns: 80, env });
    expectSafe(output);
    expect(code).toBe(0);
  });

  it.each(REFUSED)('I11: is rejected with exit code %i and a message', async (exit, args) => {
    const { code, output } = await runInPty(args, { columns: 40, env });
    expectCalm(output, 40);
    expect(output).not.toContain('    at ');
    expect(code).toBe(exit);
  });

  it('every command is run, not only its help', () => {
    const run = new Set([...OK, ...SERVING, ...SCRIPTS].map(([name]) => name));
    expect(Object.keys(COMMANDS).filter((name) => !run.has(name))).toEqual(['pick', 'tail', 'watch']);
  });

  it('output for people goes through the pager, output for programs does not', async () => {
    const paged = { columns: 80, env: { ...env, PAGER: 'sed s/^/paged:/' } };
    expect((await runInPty(['sessions'], paged)).output).toMatch(/paged:\S*ID/);
    expect((await runInPty(['sessions', '--no-pager'], paged)).output).not.toContain('paged:');
    expect((await runInPty(['sessions', '--json'], paged)).output).not.toContain('paged:');
  });

  it('leaving the pager early prints no error', async () => {
    const { code, output } = await runInPty(['session', ID, '--transcript', '--full'], {
      columns: 80,
      env: { ...env, PAGER: 'head -1' },
    });
    expect(code).toBe(0);
    expect(output.trim().split('\n')).toHaveLength(1);
  });

  it.each(['--json', '--csv'])(
    'I1: sessions, tools, search %s contain no foreign control characters',
    async (format) => {
      for (const words of [['sessions'], ['tools'], ['search', 'Repair'], ['timeline'], ['workspaces']]) {
        const { code, output } = await runInPty([...words, format], { columns: 80, env });
        expect(output.replaceAll(OUR_CONTROLS, '')).not.toMatch(FOREIGN);
        expect(code).toBe(0);
      }
    },
  );

  it('I1: ids for shell completion contain only line breaks and tabs as control characters', async () => {
    const ids = await runInPty(['completion', 'ids'], { columns: 80, env });
    expect(ids.output.replaceAll(OUR_CONTROLS, '')).not.toMatch(FOREIGN);
    expect(ids.output).toMatch(/^aaaaaaaa\tRepair/);
  });

  it('search shows the whole cost in a narrow terminal, and its matches in columns', async () => {
    const plain = { ...env, NO_COLOR: '1' };
    const narrow = await runInPty(['search', 'Repair OR npm', '--no-import'], { columns: 60, env: plain });
    expect(narrow.output).toMatch(/^aaaaaaaa .* · \$\d+\.\d{2,4}\r?$/m);
    const starts = narrow.output.split(/\r?\n/).flatMap((line) => /^ {2}\w+ +(?=\S)/.exec(line)?.[0].length ?? []);
    expect(starts.length).toBeGreaterThan(1);
    expect(new Set(starts).size).toBe(1);
  });

  it('colors are used, except with NO_COLOR', async () => {
    expect((await runInPty(['sessions'], { columns: 80, env })).output).toContain('\u001b[1m');
    const plain = await runInPty(['sessions'], { columns: 80, env: { ...env, NO_COLOR: '1' } });
    expect(plain.output).not.toContain('\u001b[1m');
  });
});
