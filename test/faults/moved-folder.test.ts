import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import { describeWorker } from '../../src/capture/worker-lock.ts';
import { loadConfig } from '../../src/config.ts';
import { type ClaudeHome, createClaudeHome, createTalk } from '../support/claude-home.ts';
import { fixedClock, silentLog } from '../support/fixed-clock.ts';
import { holdImports } from '../support/hold-imports.ts';
import { baseEnv } from '../support/processes.ts';
import { LAUNCHER, runProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const ID = '11111111-2222-4333-8444-555555555555';
let root = '';
let home = '';
let claude: ClaudeHome;
const children: ChildProcess[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fuel-code-moved-'));
  home = join(root, 'data');
  claude = createClaudeHome();
  claude.write(`-w/${ID}.jsonl`, [createTalk(ID).user('One.')]);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  rmSync(root, { recursive: true });
  claude[Symbol.dispose]();
});

const env = (folder = home) => ({
  ...baseEnv(),
  HOME: root,
  FUEL_CODE_HOME: folder,
  CLAUDE_CONFIG_DIR: claude.path,
  FUEL_CODE_PORT: '0',
});

function start(...words: string[]): { child: ChildProcess; ended: Promise<unknown[]>; said: () => string } {
  const child = spawn(process.execPath, [LAUNCHER, ...words], { env: env(), stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (said += String(piece)));
  return { child, ended: once(child, 'exit'), said: () => said };
}

/** A worker that has finished its first round, and would stay if its folder did. */
async function startWorker() {
  await holdImports(env());
  const worker = start('worker');
  await until(() => expect(describeWorker(home)?.mode).toBe('watching'));
  return worker;
}

async function sessionsIn(folder: string): Promise<number> {
  const { stdout } = await runProgram(['sessions', '--no-import', '--json'], { env: env(folder) });
  return (JSON.parse(stdout || '{"sessions":[]}') as { sessions: unknown[] }).sessions.length;
}

async function expectWhole(folder: string): Promise<void> {
  expect(await runProgram(['verify'], { env: env(folder) })).toMatchObject({ code: 0 });
}

describe('a data folder that is moved or deleted while it is in use', () => {
  it('ends the worker, which writes nothing to the old path', async () => {
    const { ended, said } = await startWorker();
    renameSync(home, `${home}-moved`);
    for (let n = 0; n < 10; n++)
      claude.write(`-w/${ID.slice(0, -1)}${n}.jsonl`, [
        createTalk(`${ID.slice(0, -1)}${n}`, { prefix: `p${n}` }).user('Two.'),
      ]);
    expect(await ended).toEqual([7, null]);
    expect(said()).toContain('was moved, replaced or deleted');
    expect(existsSync(home)).toBe(false);
    await expectWhole(`${home}-moved`);
  });

  it('ends the worker when another folder replaces it, which is left alone', async () => {
    const { ended } = await startWorker();
    renameSync(home, `${home}-moved`);
    mkdirSync(home);
    claude.append(`-w/${ID}.jsonl`, [createTalk(ID, { prefix: 'x' }).user('Two.')]);
    expect(await ended).toEqual([7, null]);
    expect(readdirSync(home)).toEqual([]);
  });

  it('ends the server', async () => {
    const { ended, said } = start('start', '--no-open');
    await until(async () => {
      expect(said()).toContain('is running at');
      expect(await sessionsIn(home)).toBe(1);
    });
    rmSync(home, { recursive: true, maxRetries: 5 });
    expect(await ended).toEqual([7, null]);
    expect(existsSync(home)).toBe(false);
  });

  it('is rejected by everything that writes, without failing any session', async () => {
    const { config } = loadConfig(env());
    await using app = await openApp({ config, clock: fixedClock, log: silentLog });
    await app.importNew();
    renameSync(home, `${home}-moved`);
    const moved = { code: 'data_folder_moved' };
    for (const write of [
      () => app.importNew(),
      () => app.drainHooks(),
      () => app.blobs.put(Buffer.from('x')),
      () => app.blobs.get('0'.repeat(64)),
      () => app.journal.append({}),
      () => app.journal.flush(),
    ])
      await expect(write()).rejects.toMatchObject(moved);
    expect(existsSync(home)).toBe(false);
    renameSync(`${home}-moved`, home);
    expect(await app.importNew()).toMatchObject({ failed: [] });
  });
});
