import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textWidth } from '../../src/lib/terminal-text.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { type PtyOptions, runInPty } from '../support/pty.ts';
import { runProgram } from '../support/run-program.ts';

const TILL = 'aaaaaaaa-2222-4333-8444-555555555555';
const FLOOR = 'bbbbbbbb-2222-4333-8444-555555555555';
const NASTY = '\u001b]0;owned\u0007 \u001b[2J 日本語の題名 👩‍👩‍👧 over\rwritten';

let claude: ClaudeHome;
let home = '';
let env: Record<string, string> = {};
const folder = () => join(home, 'shop');

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'fuel-code-pick-'));
  mkdirSync(folder());
  mkdirSync(join(home, 'bin'));
  const fake = `#!/bin/sh\necho "claude in $PWD with $*"\n`;
  writeFileSync(join(home, 'bin/claude'), fake, { mode: 0o755 });
  claude = createClaudeHome();
  const write = (id: string, prompts: readonly string[], answer: string) => {
    const talk = createTalk(id);
    const lines = prompts.flatMap((prompt, at) => [
      talk.user(prompt),
      talk.assistant(`msg_${id.slice(0, 4)}_${at}`, text(answer), { input: 3, output: 40 }),
    ]);
    const placed = lines.map((line) => ({ ...line, cwd: folder() }));
    return claude.write(`-shop/${id}.jsonl`, placed);
  };
  write(TILL, [`Repair the till ${NASTY}`, 'Now polish the brass handles.'], 'The till rings again.');
  write(FLOOR, [`Sweep the floor of the workshop.${` ${FLAG}`.repeat(80)}`], 'The floor is clean.');
  env = {
    FUEL_CODE_HOME: join(home, 'data'),
    CLAUDE_CONFIG_DIR: claude.path,
    PATH: `${join(home, 'bin')}:${process.env.PATH ?? ''}`,
  };
  await runProgram(['backfill'], { env });
});
afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

const [ENTER, ESCAPE, CTRL_C, CTRL_R, DOWN] = ['\r', '\u001b', '\u0003', '\u0012', '\u001b[B'];
const FLAG = '\u{1f1eb}\u{1f1f7}';
const SHOWN = /2 of 2 sessions[^]*Esc leave/;
const pick = (args: readonly string[], keys: PtyOptions['keys'] = [], columns = 80) =>
  runInPty(['pick', ...args], { columns, env, keys });

/** Colors, cursor movements of the picker, and bracketed paste. */
const OUR_CONTROLS = /\u001b\[\??\d*(?:;\d+)?[mGABKhl]|\r\n|\r/g;
const FOREIGN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

describe('pick', () => {
  it.each([40, 60, 80, 120, 160, 200])(
    'shows the sessions and its keys in %i columns, safe text only',
    async (columns) => {
      const { code, output } = await pick([], [[SHOWN, ESCAPE]], columns);
      expect(code).toBe(130);
      expect(output).toContain('Repair the till');
      expect(output).toContain('Sweep the floor');
      const plain = output.replaceAll(OUR_CONTROLS, '\n');
      expect(plain).not.toMatch(FOREIGN);
      for (const line of plain.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(columns);
      // A flag is one character of two code points: it is shown completely or not at all.
      expect(plain.isWellFormed()).toBe(true);
      expect(plain).toContain(FLAG);
      expect(plain.replaceAll(FLAG, '')).not.toMatch(/\p{Regional_Indicator}/u);
    },
  );

  it('finds a session by letters in order and reads it', async () => {
    const { code, output } = await pick(
      [],
      [
        [SHOWN, 'swp flr'],
        [/1 of 2 sessions[^]*Esc leave/, ENTER],
      ],
    );
    expect(code).toBe(0);
    expect(output.slice(output.lastIndexOf('Esc leave'))).toContain('The floor is clean.');
  });

  it('finds a session by a later prompt', async () => {
    const { output, code } = await pick(
      ['--do', 'id'],
      [
        [SHOWN, 'brass handles'],
        [/0 of 2 sessions[^]*1 of 2 sessions[^]*polish the brass[^]*Esc leave/, ENTER],
      ],
    );
    expect([code, output.trimEnd().endsWith(TILL)]).toEqual([0, true]);
  });

  it('moves down, starts with words of the command line, and prints the id', async () => {
    const second = await pick(
      ['--do', 'id'],
      [
        [SHOWN, DOWN],
        [/›/, ENTER],
      ],
    );
    const first = await pick(['--do', 'id'], [[SHOWN, ENTER]]);
    const ids = [first, second].map(({ output }) => output.trimEnd().slice(-TILL.length)).toSorted();
    expect(ids).toEqual([TILL, FLOOR]);
    const named = await pick(['--do', 'id', 'workshop', 'floor'], [[/1 of 2 sessions[^]*Esc leave/, ENTER]]);
    expect(named.output.trimEnd().endsWith(FLOOR)).toBe(true);
  });

  it('restores a deleted transcript and resumes it in its folder', async () => {
    rmSync(join(claude.path, 'projects/-shop', `${FLOOR}.jsonl`));
    const { code, output } = await pick(['floor'], [[/1 of 2 sessions[^]*Esc leave/, CTRL_R]]);
    expect(output).toContain(`claude in ${folder()} with --resume ${FLOOR}`);
    expect(output).toContain('Restored 1 file');
    expect(code).toBe(0);
  });

  it('ends with 130 on Ctrl-C, and refuses to run without a terminal', async () => {
    expect((await pick([], [[SHOWN, CTRL_C]])).code).toBe(130);
    const { code, stderr } = await runProgram(['pick', '--no-import'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('requires a terminal')]);
    expect((await runProgram(['pick', '--do', 'fly'], { env })).stderr).toContain(
      'Valid values: read, open, resume, id.',
    );
  });
});
