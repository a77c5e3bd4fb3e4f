import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { runProgram, startProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const ID = 'aaaaaaaa-2222-4333-8444-555555555555';
const FILE = `-home-ada-shop/${ID}.jsonl`;
const usage = { input: 3, output: 40 };

let claude: ClaudeHome;
let home = '';
let env: Record<string, string> = {};
const talk = createTalk(ID);

beforeAll(async () => {
  claude = createClaudeHome();
  const agent = createTalk(ID, { prefix: 'a' });
  const lines = [
    talk.user('Repair the basket.'),
    talk.assistant('msg_1', { type: 'thinking', thinking: 'The sum is wrong.', signature: 'x' }, usage),
    talk.assistant('msg_2', toolUse('toolu_1', 'Bash', { command: 'npm test' }), usage),
    talk.result('toolu_1', '\u001b[31m1 test failed\u001b[0m\nprogress 1%\rprogress 100%', true),
    talk.assistant(
      'msg_3',
      toolUse('toolu_2', 'Edit', { file_path: '/w/a.ts', old_string: 'a\nb', new_string: 'a\nc' }),
      usage,
    ),
    talk.result('toolu_2', 'The file was updated.'),
    talk.assistant('msg_4', toolUse('toolu_3', 'Task', { description: 'Look around', prompt: 'Look.' }), usage),
    {
      ...talk.result('toolu_3', 'Nothing there.'),
      toolUseResult: { status: 'completed', agentId: 'a1b2c3d4e5f6a7b8c' },
    },
  ];
  const answer = talk.assistant('msg_5', text('It was the rounding.'), usage);
  claude.write(FILE, [
    ...lines,
    answer,
    talk.user('And the other one?'),
    talk.assistant('msg_5b', text('That one is fine.'), usage),
    { ...talk.user('Another way, please.'), parentUuid: answer.uuid },
    talk.assistant('msg_6', text('Otherwise, then.'), usage),
  ]);
  const sidechain = { isSidechain: true, agentId: 'a1b2c3d4e5f6a7b8c' };
  claude.write(`-home-ada-shop/${ID}/subagents/agent-a1b2c3d4e5f6a7b8c.jsonl`, [
    { ...agent.user('Look.'), ...sidechain },
    { ...agent.assistant('msg_a1', text('I looked everywhere.'), usage), ...sidechain },
  ]);
  home = mkdtempSync(join(tmpdir(), 'fuel-code-transcript-'));
  env = { FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: claude.path, COLUMNS: '80' };
  await runProgram(['backfill'], { env });
});
afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

const transcript = async (...flags: string[]) =>
  (await runProgram(['session', ID, '--transcript', ...flags], { env })).stdout;

describe('a transcript in the terminal', () => {
  it('shows calls with their results as a tree, and an edit as a diff', async () => {
    const shown = await transcript();
    expect(shown).toContain('  ✻ thinking · 17 characters\n  ├─ Bash  npm test  failed');
    expect(shown).toContain('  │  1 test failed\n  │  progress 100%\n');
    expect(shown).toContain('  ├─ Edit  /w/a.ts\n  │  +1 −1\n  │    a\n  │  - b\n  │  + c\n');
    expect(shown).toContain('  └─ Task  Look around');
    expect(shown).toContain('\n\n  It was the rounding.\n');
  });

  it('shows a sub-agent as one line where it was called, and in full on request', async () => {
    const short = await transcript();
    expect(short).toMatch(/Look around.*\n     ⧉ Sub-agent.* 2 messages/);
    expect(short).not.toContain('I looked everywhere.');
    expect(await transcript('--subagents')).toContain('     ┊   I looked everywhere.\n');
  });

  it('shows thinking on request', async () => {
    expect(await transcript()).not.toContain('The sum is wrong.');
    expect(await transcript('--thinking')).toContain('The sum is wrong.');
  });

  it('marks branches', async () => {
    expect(await transcript()).toMatch(
      /⑂ Branch 1 of 2, abandoned\n❯ You.*\n  And the other one\?[^⑂]*⑂ Branch 2 of 2, current\n/,
    );
  });

  it('--tag adds a tag, and the session shows its summary', async () => {
    const { stdout } = await runProgram(['session', ID, '--tag', 'release'], { env });
    expect(stdout).toContain('Tags        release');
    expect(stdout).toContain('Asked “Repair the basket.”');
    expect((await runProgram(['sessions', '--tag', 'release', '--json'], { env })).stdout).toContain(ID);
    expect((await runProgram(['sessions', '--tag', 'other'], { env })).stdout).toContain(
      'No sessions match (1 in total).',
    );
  });
});

describe('names', () => {
  it('that match nothing are rejected with the available names', async () => {
    const { stdout } = await runProgram(['devices', '--json'], { env });
    const [device] = (JSON.parse(stdout) as { devices: { name: string }[] }).devices;
    const { code, stderr } = await runProgram(['sessions', '--device', 'nowhere'], { env });
    expect(code).toBe(3);
    expect(stderr).toContain(`Known devices: ${device?.name}.`);
    for (const slip of ['shpo', 'shopp'])
      expect((await runProgram(['sessions', '--workspace', slip], { env })).stderr).toContain('Did you mean shop');
    expect((await runProgram(['sesions'], { env })).stderr).toContain('Did you mean `sessions`?');
  });
});

describe('tail', () => {
  it('shows new messages and ends cleanly', async () => {
    const child = startProgram(['tail', ID, '-n', '1'], { env });
    let shown = '';
    const saw = (words: string) =>
      new Promise<void>((resolve) => {
        const look = () => shown.includes(words) && resolve();
        child.stdout.on('data', look);
        look();
      });
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk));
    const ended = new Promise((resolve) => child.on('close', resolve));
    await saw('Otherwise, then.');
    claude.append(FILE, [talk.assistant('msg_7', text('One more thing.'), usage)]);
    await saw('One more thing.');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(shown).not.toContain('Repair the basket.');
  });
});

describe('tail of all sessions', () => {
  // Regression: it printed nothing while no session was running, and then only which session had changed.
  it('says that it is waiting, then shows new messages', async () => {
    const child = startProgram(['tail'], { env });
    let [shown, remarks] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (remarks += chunk));
    const ended = new Promise((resolve) => child.on('close', resolve));
    await until(() => expect(remarks).toContain('No session is running; waiting for one.'));
    claude.append(FILE, [talk.assistant('msg_8', text('A second thing.'), usage)]);
    await until(() => expect(shown).toContain('A second thing.'));
    claude.append(FILE, [talk.assistant('msg_9', text('A third thing.'), usage)]);
    await until(() => expect(shown).toContain('A third thing.'));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(shown.split('A second thing.')).toHaveLength(2);
  });
});

describe('completion', () => {
  it('is a valid shell script that contains every command', async () => {
    const { stdout } = await runProgram(['completion', 'bash'], { env });
    const words = `${stdout}\nCOMP_WORDS=(fuel-code ''); COMP_CWORD=1; _fuel_code; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(fuel-code cost --b); COMP_CWORD=2; _fuel_code; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(fuel-code budget re); COMP_CWORD=2; _fuel_code; echo "\${COMPREPLY[@]}"`;
    const [names = '', options, actions] = (await promisify(execFile)('bash', ['-c', words])).stdout.split('\n');
    expect(names.split(' ').toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
    expect([options, actions]).toEqual(['--by --breakdown', 'remove']);
  });

  it.each(['zsh', 'fish'])('names every command for %s', async (shell) => {
    const { stdout } = await runProgram(['completion', shell], { env });
    for (const name of Object.keys(COMMANDS)) expect(stdout).toContain(name);
  });

  it('lists ids without an import, and rejects an unknown shell', async () => {
    expect((await runProgram(['completion', 'ids'], { env })).stdout).toMatch(/^aaaaaaaa\t/);
    expect((await runProgram(['completion', 'cmd'], { env })).code).toBe(2);
  });
});

describe('open', () => {
  it('serves the page at that session', async () => {
    const child = startProgram(['open', 'aaaa', '--no-open', '--port', '0'], { env });
    const address = await new Promise<string>((resolve) => {
      child.stdout.setEncoding('utf8').once('data', resolve);
    });
    expect(address).toMatch(new RegExp(`#token=[0-9a-f]{64}&to=/session/${ID}\n`));
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
