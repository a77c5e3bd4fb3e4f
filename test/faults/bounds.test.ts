import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { childEnv } from '../support/processes.ts';
import { LAUNCHER } from '../support/run-program.ts';
import { size } from '../support/sizes.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const run = promisify(execFile);

let home = '';
let claude: ClaudeHome;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fuel-code-bounds-'));
  claude = createClaudeHome();
});
afterEach(() => {
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

/** Runs the built program with options for Node.js itself. */
function runMain(args: readonly string[], nodeOptions: readonly string[] = []) {
  const env = childEnv({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claude.path });
  return run(process.execPath, [...nodeOptions, LAUNCHER, ...args], { env });
}

describe('a process after an unhandled error', () => {
  /** Causes an unhandled rejection as soon as the database exists: in the middle of an import. */
  const REJECT = `
    import { existsSync } from 'node:fs';
    const timer = setInterval(() => {
      if (!existsSync(${JSON.stringify('HOME')} + '/fuel.db')) return;
      clearInterval(timer);
      void Promise.reject(new Error('nobody looks at me'));
    }, 1);
    timer.unref();`;

  it('F21: ends with an error, and the next one finishes its work', async () => {
    for (let n = 0; n < 20; n++) {
      const id = ID.replace('11111111', String(n).padStart(8, '0'));
      claude.write(`-w/${id}.jsonl`, [createTalk(id, { prefix: `s${n}` }).user(`Question ${n}`)]);
    }
    const preload = `data:text/javascript,${encodeURIComponent(REJECT.replace('HOME', home))}`;
    await expect(runMain(['backfill'], ['--import', preload])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nobody looks at me'),
    });
    const { stdout } = await runMain(['backfill', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ sessions: 20, failed: [] });
  });
});

describe('a session much larger than the available memory', () => {
  const HEAP_MB = 64;
  /** 150 MB with the long run; by default still several times the heap. */
  const RESULTS = size('LARGE_SESSION_RESULTS', 1_000);
  const RESULT_CHARS = 100_000;

  it('F20: is parsed', async () => {
    const talk = createTalk(ID);
    const result = 'word '.repeat(RESULT_CHARS / 5);
    claude.write(`-w/${ID}.jsonl`, [talk.user('Read all of it.')]);
    for (let n = 0; n < RESULTS; n++) {
      claude.append(`-w/${ID}.jsonl`, [
        talk.assistant(`msg_${n}`, toolUse(`toolu_${n}`, 'Bash', { command: `cat ${n}` }), { input: 1, output: 1 }),
        talk.result(`toolu_${n}`, result),
      ]);
    }
    claude.append(`-w/${ID}.jsonl`, [talk.assistant('msg_end', text('Read.'), { input: 1, output: 1 })]);
    const { stdout } = await runMain(['backfill', '--json'], [`--max-old-space-size=${HEAP_MB}`]);
    expect(JSON.parse(stdout)).toMatchObject({ sessions: 1, failed: [] });
  });
});
