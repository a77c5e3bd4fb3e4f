import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findLiveWorker } from '../../src/capture/worker-lock.ts';
import { holdImports } from '../support/hold-imports.ts';
import { createHookHome, fire, type HookHome, PAYLOAD, QUIET } from '../support/hook-home.ts';
import { LAUNCHER } from '../support/run-program.ts';
import { size } from '../support/sizes.ts';
import { until } from '../support/until.ts';

/** Prints its arguments and environment, then waits to be killed. */
const STUB = `
{ echo "argument $1"; echo "folder $PWD"; echo "home $FUEL_CODE_HOME"; echo "options $NODE_OPTIONS"
  read -r stat </proc/$$/stat; echo "stat $stat"; ls -l /proc/$$/fd; } >"$0.started.$$"
echo "$$" >"$FUEL_CODE_HOME/worker.pid"
exec sleep 1000
`;

const children: ChildProcess[] = [];
const pids = new Set<number>();
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const pid of pids) {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  }
  pids.clear();
});

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`);
}

interface StubHome extends HookHome {
  /** The output of each started worker. */
  started(): { readonly pid: number; readonly text: string }[];
}

function createStubHome(): StubHome {
  const root = createHookHome();
  const program = join(dirname(root.path), 'stub');
  writeFileSync(program, STUB);
  writeFileSync(join(root.path, 'hooks/env'), `/bin/sh\n${program}\n`);
  const started = () =>
    readdirSync(dirname(program))
      .filter((name) => name.startsWith('stub.started.'))
      .map((name) => {
        const pid = Number(name.split('.').at(-1));
        pids.add(pid);
        return { pid, text: readFileSync(join(dirname(program), name), 'utf8') };
      });
  return { ...root, started };
}

const livesIn = ({ path }: HookHome) => existsSync(join(path, 'worker.pid'));

describe('A12: the worker that a hook starts', () => {
  it('has its own session, folder and streams', async () => {
    using home = createStubHome();
    const fds = join(dirname(home.path), 'hook-fds');
    const fired = await fire(`ls -l /proc/$$/fd >"${fds}"; ${home.command}`, PAYLOAD, {
      env: { NODE_OPTIONS: '--require ./gone.js' },
    });
    // The pipes are closed although the worker is still running.
    expect(fired).toEqual(QUIET);
    await until(() => expect(livesIn(home)).toBe(true));
    const [{ pid, text } = { pid: 0, text: '' }] = home.started();
    expect(text).toContain(`argument worker\nfolder /\nhome ${home.path}\noptions --max-semi-space-size=4\n`);
    const [, , , session] = (/^stat .*\) (.*)$/m.exec(text)?.[1] ?? '').split(' ');
    expect(Number(session)).toBe(pid);
    expect(text).toMatch(/ 0 -> \/dev\/null\n/);
    expect(text).toMatch(/ 2 -> \/dev\/null\n/);
    const targets = (list: string) => [...list.matchAll(/-> ((?:pipe|socket):\S+)/g)].map(([, target]) => target);
    const hookPipes = [...readFileSync(fds, 'utf8').matchAll(/ ([012]) -> ((?:pipe|socket):\S+)/g)].map(
      ([, , to]) => to,
    );
    expect(hookPipes.length).toBeGreaterThan(1);
    expect(targets(text).filter((target) => hookPipes.includes(target))).toEqual([]);
  });

  it('is left alone while it lives', async () => {
    using home = createStubHome();
    await fire(home.command);
    await until(() => expect(livesIn(home)).toBe(true));
    await Promise.all([1, 2, 3].map(() => fire(home.command)));
    await until(() => expect(home.names()).toHaveLength(4));
    expect(home.started()).toHaveLength(1);
  });

  it('is not started if the environment forbids it', async () => {
    using home = createStubHome();
    await fire(home.command, PAYLOAD, { env: { FUEL_CODE_NO_WORKER: '1' } });
    await until(() => expect(home.names()).toHaveLength(1));
    await fire(home.command);
    await until(() => expect(livesIn(home)).toBe(true));
    expect(home.started()).toHaveLength(1);
  });
});

/** The lock as the worker writes it, see src/capture/worker-lock.ts. */
const lock = (pid: number, started: string) => JSON.stringify({ pid, boot: 'b', started });

function startTime(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

describe('B5: a process number', () => {
  it.each(['no such number', '', '99999999', '-1', '0'])('that is invalid (%j) starts a worker', async (text) => {
    using home = createStubHome();
    writeFileSync(join(home.path, 'worker.pid'), text);
    await fire(home.command);
    await until(() => expect(home.started()).toHaveLength(1));
  });

  it('that another process has reused starts a worker', async () => {
    using home = createStubHome();
    const other = spawn('sleep', ['1000']);
    children.push(other);
    const pid = other.pid ?? 0;
    writeFileSync(join(home.path, 'worker.pid'), `${pid}\n`);
    writeFileSync(join(home.path, 'worker.lock'), lock(pid, startTime(pid)));
    await fire(home.command);
    await until(() => expect(home.names()).toHaveLength(1));
    writeFileSync(join(home.path, 'worker.lock'), lock(pid, '1'));
    await fire(home.command);
    await until(() => expect(home.started()).toHaveLength(1));
    expect(isRunning(pid)).toBe(true);
  });

  it('of a zombie process starts a worker', async () => {
    using home = createStubHome();
    // The child exits when its parent has become a sleep, which never waits for it. A shell would.
    const child = 'until read -r name </proc/$$/comm && [ "$name" = sleep ]; do :; done';
    const parent = spawn('/bin/sh', ['-c', `( ${child} ) & echo $!; exec sleep 1000`]);
    children.push(parent);
    const zombie = await new Promise<number>((resolve) => parent.stdout.once('data', (text) => resolve(Number(text))));
    await until(() => expect(readFileSync(`/proc/${zombie}/stat`, 'utf8')).toMatch(/\) Z /));
    writeFileSync(join(home.path, 'worker.pid'), `${zombie}\n`);
    await fire(home.command);
    await until(() => expect(home.started()).toHaveLength(1));
  });
});

describe('A11: the real worker', () => {
  /** WORKER_KILLS=200 is the long run. */
  const KILLS = size('WORKER_KILLS', 3);

  it(`is started once by the next hook after each of ${KILLS} kills`, async () => {
    using home = createHookHome({ node: process.execPath, program: LAUNCHER });
    const env = { CLAUDE_CONFIG_DIR: home.claudeHome };
    await holdImports({ ...env, FUEL_CODE_HOME: home.path });
    const seen = new Set<number>();
    for (let kill = 0; kill < KILLS; kill++) {
      await Promise.all(Array.from({ length: 3 }, () => fire(home.command, PAYLOAD, { env })));
      await until(() => expect(findLiveWorker(home.path)).not.toBeNull());
      const pid = findLiveWorker(home.path) ?? 0;
      pids.add(pid);
      expect(seen.has(pid)).toBe(false);
      seen.add(pid);
      await until(() => expect(workersOf(home)).toEqual([pid]));
      process.kill(pid, 'SIGKILL');
      await until(() => expect(isRunning(pid)).toBe(false));
    }
    // The last one finishes what the killed ones left undone.
    await fire(home.command, PAYLOAD, { env });
    await until(() => expect(home.names()).toEqual([]));
    pids.add(findLiveWorker(home.path) ?? 0);
  });
});

function workersOf({ path }: HookHome): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readOrNothing(`/proc/${pid}/environ`).includes(`FUEL_CODE_HOME=${path}\0`))
    .filter((pid) => readOrNothing(`/proc/${pid}/cmdline`).includes('worker'))
    .map(Number);
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
