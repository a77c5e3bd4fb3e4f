import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  type FSWatcher,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { acquireWorkerLock, findLiveWorker } from '../../src/capture/worker-lock.ts';
import { follow, POLL_MS } from '../../src/lib/follow.ts';
import { type ClaudeHome, createClaudeHome, createTalk } from '../support/claude-home.ts';
import { holdImports } from '../support/hold-imports.ts';
import { baseEnv, childEnv } from '../support/processes.ts';
import { LAUNCHER, runProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const NOBODY = { uid: 65_534, gid: 65_534 };
const RUN_WORKER = fileURLToPath(new URL('../support/run-worker.ts', import.meta.url));
const ID = '11111111-2222-4333-8444-555555555555';
let home = '';
let claude: ClaudeHome;
const children: ChildProcess[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fuel-code-worker-'));
  claude = createClaudeHome();
  mkdirSync(join(claude.path, 'projects'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.on('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
  }
  rmSync(home, { recursive: true });
  claude[Symbol.dispose]();
});

const environment = () => ({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claude.path });

function startWorker(): ChildProcess {
  const env = childEnv({ HOME: home, ...environment() });
  const child = spawn(process.execPath, [LAUNCHER, 'worker'], { env, stdio: 'ignore' });
  children.push(child);
  return child;
}

/** Waits while a worker runs. An idle worker exits; the sentinel would start the next one. */
async function untilWorked(check: () => Promise<void>): Promise<void> {
  await until(() => {
    if (children.every(({ exitCode }) => exitCode !== null)) startWorker();
    return check();
  });
}

async function listed(): Promise<{ id: string; user_messages: number }[]> {
  const { stdout } = await runProgram(['sessions', '--no-import', '--json'], { env: environment() });
  return JSON.parse(stdout).sessions;
}

describe('the worker', () => {
  it('captures new and growing files while it follows', async () => {
    await untilWorked(async () => expect(findLiveWorker(home)).not.toBeNull());
    const talk = createTalk(ID);
    const path = claude.write(`-w/${ID}.jsonl`, [talk.user('One.')]);
    await untilWorked(async () => expect(await listed()).toMatchObject([{ id: ID, user_messages: 1 }]));
    appendFileSync(path, `${JSON.stringify(talk.user('Two.'))}\n`);
    await untilWorked(async () => expect(await listed()).toMatchObject([{ user_messages: 2 }]));
  });

  it('A11, B5: runs once, and another takes over when it is killed', async () => {
    await holdImports(environment());
    const first = startWorker();
    await until(() => expect(findLiveWorker(home)).toBe(first.pid));
    expect((await runProgram(['worker', '--once'], { env: environment() })).stderr).toContain('already running');
    expect(readFileSync(join(home, 'worker.pid'), 'utf8')).toBe(`${first.pid}\n`);
    first.kill('SIGKILL');
    await until(() => expect(findLiveWorker(home)).toBeNull());
    const second = startWorker();
    await until(() => expect(findLiveWorker(home)).toBe(second.pid));
    const gone = new Promise((resolve) => second.on('exit', resolve));
    second.kill('SIGTERM');
    expect(await gone).toBe(0);
    expect(existsSync(join(home, 'worker.pid'))).toBe(false);
  });

  it('L11: starts no threads, so that it never needs more than one core', async () => {
    for (let n = 0; n < 20; n++) {
      const id = ID.replace(/^.{8}/, String(n).padStart(8, '0'));
      claude.write(`-w/${id}.jsonl`, [createTalk(id, { prefix: `s${n}` }).user('x'.repeat(300_000))]);
    }
    const env = childEnv({ HOME: home, ...environment() });
    const watch = `import threads from 'node:worker_threads';
      import { syncBuiltinESMExports } from 'node:module';
      threads.Worker = class { constructor() { throw new Error('A thread was started.'); } };
      syncBuiltinESMExports();`;
    const words = ['--import', `data:text/javascript,${encodeURIComponent(watch)}`, RUN_WORKER];
    expect(JSON.parse(execFileSync(process.execPath, words, { env, encoding: 'utf8' }))).toMatchObject({ ran: true });
    expect(await listed()).toHaveLength(20);
  });

  it('L10, L11: exits by itself when there is nothing to do, and runs with low priority until then', async () => {
    claude.write(`-w/${ID}.jsonl`, [createTalk(ID).user('One.')]);
    const env = childEnv({ HOME: home, NODE_OPTIONS: '', ...environment() });
    const { ran, before, after } = JSON.parse(execFileSync(process.execPath, [RUN_WORKER], { env, encoding: 'utf8' }));
    expect(ran).toBe(true);
    expect(after).toBe(Math.max(before, constants.priority.PRIORITY_LOW));
    expect(findLiveWorker(home)).toBeNull();
    expect(await listed()).toMatchObject([{ id: ID }]);
  });

  it('C19: reports an unreadable file and captures it once it is readable', ({ skip }) => {
    const path = claude.write(`-w/${ID}.jsonl`, [createTalk(ID).user('One.')]);
    const isRoot = process.getuid?.() === 0;
    const canBeNobody = isRoot && spawnSync('test', ['-r', LAUNCHER], NOBODY).status === 0;
    if (canBeNobody) {
      const owned = [home, claude.path, join(claude.path, 'projects'), join(claude.path, 'projects/-w'), path];
      for (const one of owned) chownSync(one, NOBODY.uid, NOBODY.gid);
    }
    const env = {
      ...baseEnv(),
      HOME: home,
      FUEL_CODE_HOME: join(home, 'data'),
      CLAUDE_CONFIG_DIR: claude.path,
    };
    const options = { env, encoding: 'utf8', ...(canBeNobody ? NOBODY : {}) } as const;
    const backfill = () => {
      const { status, stdout } = spawnSync(process.execPath, [LAUNCHER, 'backfill', '--json'], options);
      return { code: status, ...JSON.parse(stdout) };
    };
    chmodSync(path, 0);
    skip(isRoot && !canBeNobody, 'root can read every file, and the account nobody cannot read this checkout');
    expect(backfill()).toMatchObject({ code: 7, sessions: 0, failed: [{ path: `projects/-w/${ID}.jsonl` }] });
    chmodSync(path, 0o644);
    expect(backfill()).toMatchObject({ code: 0, sessions: 1, failed: [] });
  });

  it('B5: of many that start at once, only one works', async () => {
    await holdImports(environment());
    const many = Array.from({ length: 6 }, () => startWorker());
    await until(() => expect(many.filter(({ exitCode }) => exitCode === 0)).toHaveLength(5));
    expect(many.filter(({ exitCode }) => exitCode === null).map(({ pid }) => pid)).toEqual([findLiveWorker(home)]);
  });

  it('B5: a lock with a reused process number is stale', () => {
    writeFileSync(join(home, 'worker.lock'), JSON.stringify({ pid: process.pid, boot: 'another boot', started: '1' }));
    const lock = acquireWorkerLock(home, process.pid);
    expect(lock).not.toBeNull();
    expect(acquireWorkerLock(home, process.pid)).toBeNull();
    lock?.release();
    expect(existsSync(join(home, 'worker.lock'))).toBe(false);
  });

  it('F16: leaves no lock behind when its exit takes too long and is cut short', () => {
    const script = `import { readdirSync } from 'node:fs';
      import { acquireWorkerLock } from ${JSON.stringify(new URL('../../src/capture/worker-lock.ts', import.meta.url))};
      const home = ${JSON.stringify(home)};
      acquireWorkerLock(home, process.pid).reportMode('watching');
      console.log(readdirSync(home).join(' '));
      process.exit(0);`;
    const words = ['--input-type=module', '--eval', script];
    const files = execFileSync(process.execPath, words, { env: childEnv(), encoding: 'utf8' });
    expect(files).toBe('worker.lock worker.mode worker.pid\n');
    expect(readdirSync(home)).toEqual([]);
  });

  it('C21: polls when the system has no watches left', async () => {
    vi.useFakeTimers();
    try {
      const stop = new AbortController();
      const follower = follow(
        () => [home],
        stop.signal,
        () => {
          throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        },
      );
      expect(follower.mode()).toBe('polling');
      const next = follower.next(3_600_000);
      await vi.advanceTimersByTimeAsync(POLL_MS);
      expect(await next).toBe('timeout');
      const last = follower.next(3_600_000);
      stop.abort();
      expect(await last).toBe('stopped');
    } finally {
      vi.useRealTimers();
    }
  });

  it('C21: polls after a watch has failed, and watches a folder as soon as it exists', async () => {
    const later = join(home, 'later');
    const stop = new AbortController();
    const watchers: EventEmitter[] = [];
    const watchNothing = () => {
      const watcher = Object.assign(new EventEmitter(), { close: () => {} });
      watchers.push(watcher);
      return watcher as unknown as FSWatcher;
    };
    const follower = follow(() => [home, later], stop.signal, watchNothing);
    expect([follower.mode(), watchers.length]).toEqual(['polling', 1]);
    mkdirSync(later);
    expect(await follower.next(3_600_000)).toBe('changed');
    expect([follower.mode(), watchers.length]).toEqual(['watching', 2]);
    watchers[0]?.emit('error', new Error('no space left'));
    expect(await follower.next(3_600_000)).toBe('changed');
    expect([follower.mode(), watchers.length]).toEqual(['polling', 2]);
    follower.close();
  });

  it('C21: says in `status` that it only polls, and still captures', async () => {
    // A missing folder cannot be watched.
    rmSync(join(claude.path, 'projects'), { recursive: true });
    const status = async () => (await runProgram(['status'], { env: environment() })).stdout;
    expect(await status()).toMatch(/Worker +not running/);
    await untilWorked(async () => expect(await status()).toMatch(/Worker +running as process \d+; checks every 30 s/));
    claude.write(`-w/${ID}.jsonl`, [createTalk(ID).user('One.')]);
    // A hook wakes it before half a minute has passed.
    writeFileSync(join(home, 'spool/1790000000000-1-1.json'), '{"hook_event_name":"Stop"}', { mode: 0o600 });
    await untilWorked(async () => expect(await listed()).toMatchObject([{ id: ID }]));
    for (const worker of children) {
      const gone = new Promise((resolve) => worker.on('exit', resolve));
      if (worker.exitCode === null && worker.kill('SIGTERM')) await gone;
    }
    expect(existsSync(join(home, 'worker.mode'))).toBe(false);
  });
});
