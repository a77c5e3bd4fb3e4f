import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { getPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOOK_SCRIPT } from '../../src/capture/hook/hook-script.ts';
import { MAX_ENTRY_BYTES } from '../../src/capture/spool/spool.ts';
import { createHookHome, fire, type HookHome, isRoot, PAYLOAD, QUIET, whyNot } from '../support/hook-home.ts';
import { crowd, inCrowd } from '../support/processes.ts';
import { size } from '../support/sizes.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const NO_WORKER = { FUEL_CODE_NO_WORKER: '1' };

/** Every shell that may be installed as sh; the hook must behave the same in each. */
const SHELLS = [
  ['dash'],
  ['bash', '--norc', '--posix'],
  ['bash', '--norc'],
  ['busybox', 'ash'],
  ['zsh', '--emulate', 'sh'],
  ['mksh'],
  ['yash'],
].map(([name = '', ...words]) => {
  const folders = (process.env.PATH ?? '').split(':');
  const path = folders.map((folder) => join(folder, name)).find((one) => existsSync(one));
  return { name: [name, ...words].join(' '), words: path === undefined ? [] : [path, ...words] };
});

const strace = await whyNot('strace', '-f', 'true');

/** Runs the script itself in the given shell. */
const scriptLine = ({ path }: HookHome) => `'${join(path, 'hooks/hook.sh').replaceAll("'", `'\\''`)}'`;

describe('A1: the hook', () => {
  it.for(SHELLS)('stores what it gets, silently, in $name', async ({ name, words }, { skip }) => {
    skip(words.length === 0, `${name} is not installed`);
    using home = createHookHome();
    expect(await fire(`${words.join(' ')} ${scriptLine(home)}`)).toEqual(QUIET);
    await until(() => expect(home.texts()).toEqual([PAYLOAD]));
    expect(await fire(home.command, 'second', { shell: words })).toEqual(QUIET);
    await until(() => expect(home.texts()).toEqual([PAYLOAD, 'second']));
    for (const name of home.names()) expect(name).toMatch(/^\d{13}-\d+-\d+\.json$/);
    expect(home.temporaries()).toEqual([]);
  });

  it('A2: many concurrent hooks lose nothing', async () => {
    using home = createHookHome();
    const payloads = Array.from({ length: 20 }, (_, n) => JSON.stringify({ session_id: `s${n}` }));
    const fired = await inCrowd(payloads, (payload) => fire(home.command, payload, { env: NO_WORKER }));
    expect(fired).toEqual(payloads.map(() => QUIET));
    await until(() => expect(home.texts().sort()).toEqual(payloads.sort()));
    expect(home.temporaries()).toEqual([]);
  });

  it('A3, A4: starts neither Node nor git and makes no connection', async ({ skip }) => {
    using home = createHookHome();
    const needed = existsSync('/proc/uptime') ? [] : ['date'];
    const programs = new Set(['sh', 'dash', 'bash', 'nice', 'sleep', 'dd', 'mv', ...needed]);
    if (strace !== null) {
      // Without strace, check the text of the script instead.
      expect(HOOK_SCRIPT).not.toMatch(/\b(curl|wget|nc|git|npx|claude)\b(?! nor)/);
      skip(`the script was only read; strace is needed to see what it starts: ${strace}`);
    }
    const log = join(dirname(home.path), 'trace');
    const under = ['strace', '-f', '-qq', '-e', 'trace=connect,execve', '-o', log];
    expect(await fire(home.command, PAYLOAD, { env: NO_WORKER, under })).toEqual(QUIET);
    const trace = readFileSync(log, 'utf8');
    expect(trace).not.toContain('connect(');
    const started = [...trace.matchAll(/execve\("([^"]+)"[^\n]*= 0$/gm)].map(([, path = '']) => path.split('/').at(-1));
    expect(started.length).toBeGreaterThan(1);
    expect(started.filter((name = '') => !programs.has(name))).toEqual([]);
  });
});

/** Mounts a small disk, or returns why that is not possible here. */
async function mountSmall(path: string, size: string): Promise<string | null> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return whyNot('mount', '-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', path);
}

describe('A5: a full disk', () => {
  it('is ignored silently, and no partial file remains', async ({ skip }) => {
    using home = createHookHome();
    const refused = await mountSmall(home.spool, '32k');
    const big = JSON.stringify({ session_id: 's', filling: 'x'.repeat(20_000) });
    if (refused !== null) {
      chmodSync(home.spool, 0o500);
      expect(await fire(home.command, big, { env: NO_WORKER })).toEqual(QUIET);
      await until(() => expect(readFileSync(join(home.path, 'hooks/last'), 'utf8')).not.toBe(''));
      expect([home.names(), home.temporaries()]).toEqual([[], []]);
      chmodSync(home.spool, 0o700);
      skip(`tested with a folder that cannot be written instead of a full disk: ${refused}`);
    }
    try {
      // Room for only part of the payload: the disk fails in the middle.
      writeFileSync(join(home.spool, '.filling'), Buffer.alloc(20 * 1024));
      expect(await fire(home.command, big, { env: NO_WORKER })).toEqual(QUIET);
      await until(() => expect(existsSync(join(home.path, 'hooks/last'))).toBe(true));
      expect([home.names(), home.temporaries()]).toEqual([[], []]);
      expect(lstatSync(join(home.spool, '.dropped')).size).toBe(1);
      rmSync(join(home.spool, '.filling'));
      expect(await fire(home.command, big, { env: NO_WORKER })).toEqual(QUIET);
      await until(() => expect(home.texts()).toEqual([big]));
    } finally {
      await run('umount', [home.spool]);
    }
  });
});

describe('A6: a missing or unusable HOME', () => {
  const HOMES: Record<string, string>[] = [{}, { HOME: '' }, { HOME: '/dev/null' }, { HOME: '/nonexistent' }];
  it.each(HOMES)('works with %j', async (env) => {
    using home = createHookHome();
    expect(await fire(home.command, PAYLOAD, { env: { ...env, ...NO_WORKER } })).toEqual(QUIET);
    await until(() => expect(home.texts()).toEqual([PAYLOAD]));
  });

  it('is silent where nothing can be written', async ({ skip }) => {
    using home = createHookHome();
    const refused = await mountSmall(home.spool, '32k');
    if (refused === null) {
      try {
        await run('mount', ['-o', 'remount,ro', home.spool]);
        expect(await fire(home.command)).toEqual(QUIET);
        expect(home.names()).toEqual([]);
      } finally {
        await run('umount', [home.spool]);
      }
      return;
    }
    chmodSync(home.spool, 0o500);
    expect(await fire(home.command)).toEqual(QUIET);
    chmodSync(home.spool, 0o700);
    skip(`tested with a folder that cannot be written instead of a read-only disk: ${refused}`);
  });

  it('is silent when the spool is a file, and leaves it alone', async () => {
    using home = createHookHome();
    rmdirSync(home.spool);
    writeFileSync(home.spool, 'mine');
    expect(await fire(home.command)).toEqual(QUIET);
    expect(readFileSync(home.spool, 'utf8')).toBe('mine');
  });

  it('creates a missing spool, but never the data folder', async () => {
    using home = createHookHome();
    rmdirSync(home.spool);
    expect(await fire(home.command)).toEqual(QUIET);
    await until(() => expect(home.texts()).toEqual([PAYLOAD]));
    const script = readFileSync(join(home.path, 'hooks/hook.sh'), 'utf8');
    rmSync(home.path, { recursive: true, maxRetries: 50, retryDelay: 100 });
    const elsewhere = join(dirname(home.path), 'hook.sh');
    writeFileSync(elsewhere, script.replace(/^home=.*$/m, `home='${dirname(home.path)}/gone'`));
    expect(await fire(`/bin/sh '${elsewhere}'`)).toEqual(QUIET);
    expect(existsSync(join(dirname(home.path), 'gone'))).toBe(false);
  });

  it('B11: does not follow a spool that is a link', async () => {
    using home = createHookHome();
    const victim = join(dirname(home.path), 'victim');
    mkdirSync(victim);
    rmdirSync(home.spool);
    symlinkSync(victim, home.spool);
    expect(await fire(home.command, '')).toEqual(QUIET);
    expect(await fire(home.command)).toEqual(QUIET);
    await until(() => expect(existsSync(join(home.path, 'hooks/last'))).toBe(true));
    expect(readdirSync(victim)).toEqual([]);
  });

  it('B11: does not write into a spool owned by another user', async ({ skip }) => {
    skip(!isRoot, 'only root can give a folder away');
    using home = createHookHome();
    await run('chown', ['nobody', home.spool]);
    expect(await fire(home.command)).toEqual(QUIET);
    await until(() => expect(existsSync(join(home.path, 'hooks/last'))).toBe(true));
    chmodSync(home.spool, 0o700);
    expect(readdirSync(home.spool)).toEqual([]);
  });

  it.each(['000', '022', '777'])('B15: with umask %s files are 0600 and folders 0700', async (umask) => {
    using home = createHookHome();
    expect(await fire(`umask ${umask}; ${home.command}`)).toEqual(QUIET);
    await until(() => expect(home.names()).toHaveLength(1));
    const open = readdirSync(home.path, { recursive: true, withFileTypes: true }).filter(
      (entry) => (lstatSync(join(entry.parentPath, entry.name)).mode & 0o077) !== 0,
    );
    expect(open).toEqual([]);
    expect(lstatSync(home.spool).mode & 0o777).toBe(0o700);
  });
});

/** Runs the hook with a pipe that we hold open, containing the beginning of a payload. */
async function fireOnPipe(home: HookHome, payload: string) {
  const pipe = join(dirname(home.path), 'pipe');
  await run('mkfifo', [pipe]);
  // Opened for reading and writing: opening does not block, and there is no end of file while we hold it.
  const held = openSync(pipe, constants.O_RDWR);
  writeSync(held, payload);
  // The shell opens it for reading only: with a write end of its own, the reader would never see the end.
  const child = spawn('/bin/sh', ['-c', `exec <"$0"; ${home.command}`, pipe], {
    env: NO_WORKER,
    detached: true,
    stdio: 'pipe',
  });
  const [code] = await once(child, 'close');
  return { code, held, group: child.pid ?? 0 };
}

/** The states of all processes of a group, as the kernel reports them. */
function statesOf(group: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readOrNothing(`/proc/${pid}/stat`))
    .map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' '))
    .flatMap(([state = '', , id]) => (id === String(group) ? [state] : []));
}

/** Processes start and exit meanwhile. */
function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Shortens five seconds to one, for tests that wait for it. */
function shortenPatience({ path }: HookHome): void {
  const script = join(path, 'hooks/hook.sh');
  const text = HOOK_SCRIPT.replaceAll('sleep 5', 'sleep 1');
  expect(text).not.toBe(HOOK_SCRIPT);
  writeFileSync(script, text);
}

describe('A7: standard input that is never closed', () => {
  it('does not block the client, and later input is stored too', async () => {
    using home = createHookHome();
    const { code, held } = await fireOnPipe(home, PAYLOAD.slice(0, 50));
    expect(code).toBe(0);
    expect(home.names()).toEqual([]);
    writeSync(held, PAYLOAD.slice(50));
    closeSync(held);
    await until(() => expect(home.texts()).toEqual([PAYLOAD]));
  });

  it('is abandoned after a while, and the input so far is stored', async () => {
    using home = createHookHome();
    const { code, held } = await fireOnPipe(home, PAYLOAD);
    expect(code).toBe(0);
    await until(() => expect(home.texts()).toEqual([PAYLOAD]));
    expect(home.temporaries()).toEqual([]);
    closeSync(held);
  });

  it('is abandoned after a while even without any input', async () => {
    using home = createHookHome();
    shortenPatience(home);
    const { code, held } = await fireOnPipe(home, '');
    expect(code).toBe(0);
    await until(() => expect(lstatSync(join(home.spool, '.dropped')).size).toBe(1));
    expect([home.names(), home.temporaries()]).toEqual([[], []]);
    closeSync(held);
  });
});

describe('A7: a machine that is too busy', () => {
  it.for(['execve', 'read'])('to start the reader (%s) loses no payload', async (call, { skip }) => {
    skip(strace !== null, `strace is needed to delay the reader: ${strace}`);
    using home = createHookHome();
    shortenPatience(home);
    const dd = existsSync('/usr/bin/dd') ? '/usr/bin/dd' : '/bin/dd';
    const pipe = join(dirname(home.path), 'payload');
    await run('mkfifo', [pipe]);
    const inject = [
      '-P',
      call === 'execve' ? dd : pipe,
      '-e',
      `trace=${call}`,
      '-e',
      `inject=${call}:delay_enter=2500000:when=1`,
    ];
    const under = ['strace', '-f', '-qq', '-o', '/dev/null', ...inject];
    const fired = fire(`exec <'${pipe}'; ${home.command}`, '', { env: NO_WORKER, under });
    writeFileSync(pipe, PAYLOAD);
    expect(await fired).toEqual(QUIET);
    await until(() => expect(home.texts()).toEqual([PAYLOAD]));
    expect(existsSync(join(home.spool, '.dropped'))).toBe(false);
  });
});

describe('A8: any bytes', () => {
  const CASES = size('HOOK_CASES', 100);
  /** Hooks continue in the background, so each counts twice. */
  const CROWD = crowd(Number.MAX_SAFE_INTEGER) / 2;
  const LOOPS = 2;

  async function fireAll(home: HookHome, inputs: readonly Buffer[]): Promise<string> {
    const folder = mkdtempSync(join(dirname(home.path), 'inputs-'));
    inputs.forEach((input, n) => writeFileSync(join(folder, `${n % LOOPS}-${n}`), input));
    const loop = `for f in "$0"/$1-*; do /bin/sh -c "$2" <"$f" || echo "code $?"; done`;
    const loops = Array.from({ length: LOOPS }, (_, n) =>
      run('/bin/sh', ['-c', loop, folder, String(n), home.command], { env: NO_WORKER }),
    );
    return (await Promise.all(loops)).map(({ stdout, stderr }) => stdout + stderr).join('');
  }

  it(`are stored unchanged and silently: ${CASES} inputs`, async () => {
    using home = createHookHome();
    const seed = Date.now();
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.constantFrom('', '\0', '\n', '{', '"', `'; exit 2 #`, '$(exit 2)', '%s%n').map((text) => Buffer.from(text)),
    );
    const inputs = fc.sample(bytes, { seed, numRuns: CASES }).map((one) => Buffer.from(one));
    for (let at = 0; at < CASES; at += CROWD) {
      expect(await fireAll(home, inputs.slice(at, at + CROWD)), `seed ${seed}`).toBe('');
      const soFar = inputs.slice(0, at + CROWD).filter((input) => input.length > 0).length;
      await until(() => expect(home.names()).toHaveLength(soFar));
    }
    const stored = inputs.filter((input) => input.length > 0);
    const read = home.names().map((name) => readFileSync(join(home.spool, name)).toString('base64'));
    expect(read.sort(), `seed ${seed}`).toEqual(stored.map((input) => input.toString('base64')).sort());
    await until(() => expect(lstatSync(join(home.spool, '.dropped')).size).toBe(CASES - stored.length));
  });

  it.each([MAX_ENTRY_BYTES - 1, MAX_ENTRY_BYTES, MAX_ENTRY_BYTES + 1, 10_000_000])(
    'numbering %i are truncated at 64 KiB',
    async (size) => {
      using home = createHookHome();
      const payload = Buffer.alloc(size, 'abcdefghijklmnop');
      expect(await fire(home.command, payload, { env: NO_WORKER })).toEqual(QUIET);
      await until(() => expect(home.names()).toHaveLength(1));
      const [name = ''] = home.names();
      expect(readFileSync(join(home.spool, name)).equals(payload.subarray(0, MAX_ENTRY_BYTES))).toBe(true);
    },
  );
});

describe('A9: a hook that is killed at any point', () => {
  const whole = (home: HookHome) => home.texts().filter((text) => text !== PAYLOAD);

  it('leaves a complete entry or none', async ({ skip }) => {
    using home = createHookHome();
    if (strace === null) {
      const points = ['openat', 'write', 'rename,renameat,renameat2', 'dup2', 'execve', 'clone,fork,vfork', 'unlinkat'];
      for (const call of points) {
        for (const when of [1, 2, 3, 5, 8]) {
          const inject = `inject=${call}:signal=SIGKILL:when=${when}`;
          await fire(home.command, PAYLOAD, {
            env: NO_WORKER,
            under: ['strace', '-f', '-qq', '-o', '/dev/null', '-e', inject],
          });
          expect(whole(home), inject).toEqual([]);
        }
      }
    }
    for (let n = 0; n < 30; n++) {
      const child = spawn('/bin/sh', ['-c', home.command], {
        env: NO_WORKER,
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      child.stdin.on('error', () => {});
      child.stdin.end(PAYLOAD);
      await new Promise((resolve) => setImmediate(resolve));
      for (let spin = 0; spin < n * 3; spin++) existsSync('/');
      killGroup(child.pid);
      await once(child, 'close');
      expect(whole(home)).toEqual([]);
    }
    expect(await fire(home.command, PAYLOAD, { env: NO_WORKER })).toEqual(QUIET);
    const before = home.names().length;
    await until(() => expect(home.names().length).toBeGreaterThanOrEqual(Math.max(1, before)));
    expect(whole(home)).toEqual([]);
    skip(strace !== null, `killed at random only; strace is needed to kill at a system call: ${strace}`);
  });

  it('B1: between write and rename leaves a temporary file only', async ({ skip }) => {
    skip(strace !== null, `strace is needed to kill at a system call: ${strace}`);
    using home = createHookHome();
    const inject = 'inject=rename,renameat,renameat2:signal=SIGKILL:when=1';
    const under = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', inject];
    await fire(home.command, PAYLOAD, { env: NO_WORKER, under });
    expect(home.names()).toEqual([]);
    expect(home.temporaries().length).toBeLessThanOrEqual(1);
  });

  it.for(['EIO', 'ENOSPC', 'EDQUOT'])(
    'B3: %s when writing queues nothing and leaves nothing',
    async (error, { skip }) => {
      using home = createHookHome();
      if (strace !== null) {
        expect(await fire(`ulimit -f 0; ${home.command}`, PAYLOAD, { env: NO_WORKER })).toEqual(QUIET);
      } else {
        const under = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `inject=write:error=${error}`];
        expect(await fire(home.command, PAYLOAD, { env: NO_WORKER, under })).toEqual(QUIET);
      }
      expect([home.names(), home.temporaries()]).toEqual([[], []]);
      skip(strace !== null, `tested with a file size limit; strace is needed for this error: ${strace}`);
    },
  );
});

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It had already exited.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describe('A10: after files were removed', () => {
  it('a hook without its script does nothing', async () => {
    using home = createHookHome();
    rmSync(join(home.path, 'hooks/hook.sh'));
    expect(await fire(home.command)).toEqual(QUIET);
    rmSync(home.path, { recursive: true });
    expect(await fire(home.command)).toEqual(QUIET);
    expect(existsSync(home.path)).toBe(false);
  });

  const PATHS: Record<string, string>[] = [{}, { PATH: '' }, { PATH: '/nonexistent' }];
  it.each(PATHS)('with the environment %j it still stores the payload', async (env) => {
    using home = createHookHome();
    expect(await fire(home.command, PAYLOAD, { env })).toEqual(QUIET);
    await until(() => expect(home.texts()).toEqual([PAYLOAD]));
  });

  it('without Node.js, fuel-code or the file with their paths too', async () => {
    using home = createHookHome({ node: process.execPath, program: '/nonexistent/fuel-code' });
    expect(await fire(home.command)).toEqual(QUIET);
    writeFileSync(join(home.path, 'hooks/env'), 'one line only');
    expect(await fire(home.command)).toEqual(QUIET);
    rmSync(join(home.path, 'hooks/env'));
    expect(await fire(home.command)).toEqual(QUIET);
    await until(() => expect(home.texts()).toEqual([PAYLOAD, PAYLOAD, PAYLOAD]));
  });

  it('B10: a spool that is never drained stays within its limit', async () => {
    using home = createHookHome();
    for (let n = 0; n < 52; n++) {
      const path = join(home.spool, `${1_700_000_000_000 + n}-1-1.json`);
      writeFileSync(path, Buffer.alloc(1024 * 1024));
      utimesSync(path, 1_700_000_000 + n, 1_700_000_000 + n);
    }
    expect(await fire(home.command)).toEqual(QUIET);
    await until(() => expect(home.names()).toHaveLength(49));
    expect(home.names().find((name) => name.startsWith('17'))).toBe('1700000000004-1-1.json');
    expect(home.texts()).toContain(PAYLOAD);
    await until(() => expect(lstatSync(join(home.spool, '.dropped')).size).toBe(4));
  });
});

describe('L11: the script', () => {
  it('runs with low priority', async () => {
    using home = createHookHome();
    const note = join(dirname(home.path), 'nice');
    writeFileSync(join(home.path, 'hooks/hook.sh'), `nice >'${note}'`);
    expect(await fire(home.command)).toEqual(QUIET);
    await until(() => expect(Number(readFileSync(note, 'utf8'))).toBe(Math.min(19, getPriority() + 10)));
  });

  it('works without nice, and does not run one from the project', async () => {
    using home = createHookHome();
    const project = join(dirname(home.path), 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'nice'), `#!/bin/sh\necho mine >'${project}/was-run'\n`, { mode: 0o755 });
    const elsewhere = home.command.replace('PATH=/usr/bin:/bin', `PATH=/nonexistent`);
    expect(await fire(`cd '${project}'; ${elsewhere}`, PAYLOAD, { env: { PATH: '' } })).toEqual(QUIET);
    await until(() => expect(home.texts()).toEqual([PAYLOAD]));
    expect(existsSync(join(project, 'was-run'))).toBe(false);
  });
});

describe('A13: any behaviour of the script', () => {
  it.each(['echo out; echo err >&2; exit 2', 'kill -9 $$', ')(', 'exec /nonexistent', 'cat /dev/zero'])(
    'the command line prints nothing and exits with 0: %s',
    async (script) => {
      using home = createHookHome();
      writeFileSync(
        join(home.path, 'hooks/hook.sh'),
        script === 'cat /dev/zero' ? 'head -c 1000000 /dev/zero' : script,
      );
      expect(await fire(home.command)).toEqual(QUIET);
    },
  );

  it('says so in the settings', () => {
    using home = createHookHome();
    const { hooks } = JSON.parse(readFileSync(join(home.claudeHome, 'settings.json'), 'utf8')) as {
      hooks: Record<string, { hooks: { command: string; timeout: number }[] }[]>;
    };
    for (const entry of Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks))) {
      expect(entry.command).toMatch(/>\/dev\/null 2>&1; exit 0$/);
      expect(entry.timeout).toBe(5);
    }
  });
});

describe('A18: a clock or machine that stops and jumps', () => {
  it('a hook that is suspended continues where it was', async () => {
    using home = createHookHome();
    const { group, held } = await fireOnPipe(home, PAYLOAD.slice(0, 50));
    try {
      process.kill(-group, 'SIGSTOP');
      await until(() => expect(new Set(statesOf(group))).toEqual(new Set(['T'])));
      writeSync(held, PAYLOAD.slice(50));
    } finally {
      process.kill(-group, 'SIGCONT');
      closeSync(held);
    }
    await until(() => expect(home.texts()).toEqual([PAYLOAD]));
  });

  it('no timeout depends on the time of day', async ({ skip }) => {
    using home = createHookHome();
    const library = spawnSync('sh', ['-c', 'ls /usr/lib/*/faketime/libfaketime.so.1']).stdout.toString().trim();
    if (library === '') {
      expect([...HOOK_SCRIPT.matchAll(/\bdate\b/g)].length - [...HOOK_SCRIPT.matchAll(/where date/g)].length).toBe(1);
    }
    for (const FAKETIME of ['-1000d', '+1000d']) {
      const env = library === '' ? NO_WORKER : { ...NO_WORKER, LD_PRELOAD: library, FAKETIME };
      expect(await fire(home.command, PAYLOAD, { env })).toEqual(QUIET);
    }
    await until(() => expect(home.texts()).toEqual([PAYLOAD, PAYLOAD]));
    skip(library === '', 'the script was only read for its use of the clock: libfaketime is not installed');
  });
});
