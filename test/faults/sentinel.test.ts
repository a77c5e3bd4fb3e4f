import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import type { SentinelOrder } from '../../src/app/sentinel.ts';
import { findSessionProcesses } from '../../src/capture/live-sessions.ts';
import { findLiveWorker } from '../../src/capture/worker-lock.ts';
import { loadConfig } from '../../src/config.ts';
import { isRunning } from '../../src/lib/process-identity.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { importLease, withLease } from '../../src/store/queries/claims/leases.ts';
import { type ClaudeHome, createClaudeHome, createTalk } from '../support/claude-home.ts';
import { silentLog } from '../support/fixed-clock.ts';
import { createHookHome, fire } from '../support/hook-home.ts';
import { baseEnv, childEnv } from '../support/processes.ts';
import { LAUNCHER, runProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const SENTINEL = fileURLToPath(new URL('../../src/app/sentinel.ts', import.meta.url));
const RUN_WORKER = fileURLToPath(new URL('../support/run-worker.ts', import.meta.url));
const run = promisify(execFile);
const MAX_RESIDENT_KIB = 60_000;
let home = '';
let claude: ClaudeHome;
const children: ChildProcess[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fuel-code-sentinel-'));
  claude = createClaudeHome();
  mkdirSync(join(claude.path, 'sessions'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  const pids = [sentinelPid(), findLiveWorker(home)];
  for (const pid of pids) if (pid !== null && isRunning(pid)) process.kill(pid, 'SIGKILL');
  rmSync(home, { recursive: true, maxRetries: 20, retryDelay: 50 });
  claude[Symbol.dispose]();
});

const env = () => ({
  ...baseEnv(),
  HOME: home,
  FUEL_CODE_HOME: home,
  CLAUDE_CONFIG_DIR: claude.path,
});

function start(program: string, ...words: string[]): ChildProcess {
  const child = spawn(program, words, { env: env(), stdio: 'ignore' });
  children.push(child);
  return child;
}

function sentinelPid(): number | null {
  try {
    return Number(readFileSync(join(home, 'sentinel.pid'), 'utf8')) || null;
  } catch {
    return null;
  }
}

/** The running sentinel, which is not the given one. */
async function runningSentinel(former: number | null = null): Promise<number> {
  let pid: number | null = null;
  await until(() => {
    pid = sentinelPid();
    expect(pid).not.toBe(former);
    expect(pid !== null && isRunning(pid)).toBe(true);
  });
  return pid ?? 0;
}

async function session(): Promise<{ lifecycle: string; end_reason: string | null } | undefined> {
  const { stdout } = await runProgram(['session', ID, '--no-import', '--json'], { env: env() });
  return stdout === '' ? undefined : JSON.parse(stdout);
}

/** A session that was just written to by a running process. */
function startSession(): ChildProcess {
  const client = start('sleep', '600');
  const path = claude.write(`-w/${ID}.jsonl`, [createTalk(ID).user('One.')]);
  utimesSync(path, new Date(), new Date());
  writeFileSync(join(claude.path, `sessions/${client.pid}.json`), JSON.stringify({ pid: client.pid, sessionId: ID }));
  return client;
}

describe('the sentinel', () => {
  it('replaces the worker while a session is open, and has the session ended when its process is killed', async () => {
    const client = startSession();
    const worker = start(process.execPath, LAUNCHER, 'worker');
    expect(await once(worker, 'exit')).toEqual([0, null]);
    const pid = await runningSentinel();
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(MAX_RESIDENT_KIB);
    expect(await session()).toMatchObject({ lifecycle: 'capturing' });
    client.kill('SIGKILL');
    await until(async () => expect(await session()).toMatchObject({ end_reason: 'inferred' }));
  });

  it('starts a worker when a transcript grows, which starts another sentinel', async () => {
    startSession();
    await once(start(process.execPath, LAUNCHER, 'worker'), 'exit');
    const pid = await runningSentinel();
    claude.append(`-w/${ID}.jsonl`, [createTalk(ID, { prefix: 'x' }).user('Two.')]);
    await until(async () => expect(await session()).toMatchObject({ user_messages: 2 }));
    await runningSentinel(pid);
  });

  /** A sentinel that creates a file instead of starting a worker. */
  function startMarking(more: Partial<SentinelOrder>) {
    const folder = join(home, 'data');
    mkdirSync(folder);
    const { dev, ino } = statSync(folder);
    const mark = join(home, 'started');
    const order: SentinelOrder = {
      home: folder,
      folderId: `${dev}:${ino}`,
      workerPid: process.pid,
      lastScanMs: Date.now(),
      folders: [folder],
      pids: [process.pid],
      wakeAtMs: null,
      command: ['/bin/sh', '-c', `: >'${mark}'`],
      ...more,
    };
    const sentinel = start(process.execPath, SENTINEL, JSON.stringify(order));
    return { folder, mark, pid: sentinel.pid, ended: once(sentinel, 'exit') };
  }

  it('ends when its data folder is deleted, without starting anything', async () => {
    const { folder, mark, pid, ended } = startMarking({});
    writeFileSync(join(folder, 'sentinel.pid'), String(pid));
    renameSync(folder, `${folder}-moved`);
    expect(await ended).toEqual([0, null]);
    expect(existsSync(mark)).toBe(false);
  });

  it('waits although the worker, slow on a busy machine, has not recorded it yet', async () => {
    const { mark } = startMarking({ wakeAtMs: 0 });
    await until(() => expect(existsSync(mark)).toBe(true));
  });

  it('ends when another one was recorded and the worker is gone, without starting anything', async () => {
    const worker = start('true');
    await once(worker, 'exit');
    const { mark, ended } = startMarking({ workerPid: worker.pid ?? 0, wakeAtMs: 0 });
    expect(await ended).toEqual([0, null]);
    expect(existsSync(mark)).toBe(false);
  });

  it('is not needed when all sessions have ended', async () => {
    claude.write(`-w/${ID}.jsonl`, [createTalk(ID).user('One.')]);
    await once(start(process.execPath, LAUNCHER, 'worker'), 'exit');
    expect(sentinelPid()).toBeNull();
  });
});

describe('the worker', () => {
  it('finishes what another importing process left undone', async () => {
    claude.write(`-w/${ID}.jsonl`, [createTalk(ID).user('One.')]);
    const { config } = loadConfig(env());
    await using app = await openApp({ config, clock: systemClock, log: silentLog });
    mkdirSync(join(home, 'spool'), { mode: 0o700 });
    const stop = { session_id: ID, hook_event_name: 'Stop' };
    writeFileSync(join(home, 'spool/1790000000000-1-1.json'), JSON.stringify(stop), { mode: 0o600 });
    const isDrained = () => expect(readdirSync(join(home, 'spool'))).toEqual([]);
    let worker = Promise.resolve({ stdout: '' });
    await withLease(app.store.engine, importLease(app.device.id), async () => {
      // In a separate process, because it lowers the priority of its process permanently.
      worker = run(process.execPath, [RUN_WORKER], { env: childEnv(env()) });
      await until(isDrained);
    });
    expect(JSON.parse((await worker).stdout)).toMatchObject({ ran: true });
    const { sessions, import: progress } = await app.get('/status');
    expect([sessions, progress.sessions_to_index]).toEqual([1, 0]);
  });
});

describe('the process of a session', () => {
  it('is recorded by the hook, and considered gone when it ends or its number is reused', async () => {
    using hooks = createHookHome();
    const client = start('sleep', '600');
    const names = { CLAUDE_PID: String(client.pid), CLAUDE_CODE_SESSION_ID: ID };
    await fire(hooks.command, undefined, { env: names });
    const file = join(hooks.path, 'hooks/live', String(client.pid));
    await until(() => expect(readFileSync(file, 'utf8')).toMatch(/^11111111-\S+ \d+\n$/));
    const find = () => findSessionProcesses({ home: hooks.path, claudeHome: hooks.claudeHome });
    expect(find()).toEqual({ live: new Set([ID]), dead: new Set(), pids: [client.pid] });
    writeFileSync(file, `${ID} 1\n`);
    expect(find()).toEqual({ live: new Set(), dead: new Set([ID]), pids: [] });
    for (const CLAUDE_PID of ['../../x', '', '1;ls'])
      await fire(hooks.command, undefined, { env: { ...names, CLAUDE_PID } });
    await until(() => expect(hooks.names()).toHaveLength(4));
    expect(readdirSync(join(hooks.path, 'hooks/live'))).toHaveLength(1);
  });
});
