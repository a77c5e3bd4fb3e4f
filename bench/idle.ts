import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMain } from './measure.ts';

/**
 * The cost of the worker while a session is open and nothing happens, and the cost of one appended line. Linux only.
 */
const SESSIONS = 1_000;
const IDLE_MS = 10_000;
const TICKS_PER_SECOND = 100;
const LAUNCHER = fileURLToPath(new URL('../bin/fuel-code', import.meta.url));

export async function benchIdle(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  const files = writeSessions(join(root, 'claude'));
  // A session that is open in a client keeps the worker running.
  mkdirSync(join(root, 'claude/sessions'));
  writeFileSync(
    join(root, `claude/sessions/${process.pid}.json`),
    JSON.stringify({ pid: process.pid, sessionId: idOf(0) }),
  );
  const env = {
    PATH: process.env.PATH ?? '',
    FUEL_CODE_HOME: join(root, 'data'),
    CLAUDE_CONFIG_DIR: join(root, 'claude'),
    // The same settings as when the hook starts it.
    MALLOC_ARENA_MAX: '1',
    NODE_OPTIONS: '--max-semi-space-size=4',
  };
  const worker = spawn(process.execPath, [LAUNCHER, 'worker'], { env, stdio: 'ignore' });
  const pid = worker.pid ?? 0;
  try {
    await settled(pid);
    const before = usage(pid);
    await sleep(IDLE_MS);
    const idle = usage(pid);
    const cpu = (idle.ticks - before.ticks) / TICKS_PER_SECOND / (IDLE_MS / 1_000);
    console.log(`\n## idle worker, ${SESSIONS} sessions\n`);
    console.log(`CPU while idle   ${(cpu * 100).toFixed(2)} % of a core`);
    console.log(`RSS              ${(idle.rssBytes / 1e6).toFixed(0)} MB`);
    appendFileSync(files[SESSIONS / 2] ?? '', `${lineOf(SESSIONS / 2, 99)}\n`);
    await settled(pid);
    const after = usage(pid);
    console.log(
      `one line of ${lineOf(0, 99).length + 1} bytes appended: ${after.readBytes - idle.readBytes} bytes read in all`,
    );
  } finally {
    const gone = new Promise((resolve) => worker.on('exit', resolve));
    worker.kill('SIGTERM');
    await gone;
    rmSync(root, { recursive: true });
  }
}

function writeSessions(home: string): string[] {
  return Array.from({ length: SESSIONS }, (_, n) => {
    const folder = join(home, `projects/-home-dev-p${n % 20}`);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${idOf(n)}.jsonl`);
    writeFileSync(path, Array.from({ length: 20 }, (_line, at) => `${lineOf(n, at)}\n`).join(''));
    return path;
  });
}

function idOf(n: number): string {
  return `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;
}

function lineOf(n: number, at: number): string {
  const uuid = `${String(n).padStart(8, '0')}-0000-4000-8000-${String(at).padStart(12, '0')}`;
  const message = { role: 'user', content: `Prompt ${at}: ${'words to read '.repeat(20)}` };
  return JSON.stringify({
    type: 'user',
    uuid,
    sessionId: idOf(n),
    cwd: '/home/dev/p',
    timestamp: '2026-11-01T00:00:00.000Z',
    message,
  });
}

interface Usage {
  readonly ticks: number;
  readonly rssBytes: number;
  /** Bytes read by the process, from disk or the page cache. */
  readonly readBytes: number;
}

/** Resource usage of all threads. */
function usage(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const read = /rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1];
  return { ticks: Number(fields[11]) + Number(fields[12]), rssBytes: Number(rss) * 1_024, readBytes: Number(read) };
}

/** Waits until the process has done some work and has then been idle for two seconds. */
async function settled(pid: number): Promise<void> {
  const QUIET_ROUNDS = 20;
  let last = usage(pid).ticks;
  const first = last;
  for (let quiet = 0; quiet < QUIET_ROUNDS || last === first; ) {
    await sleep(100);
    const now = usage(pid).ticks;
    quiet = now === last ? quiet + 1 : 0;
    last = now;
    if (readdirSync('/proc').every((name) => name !== String(pid))) throw new Error('the worker has left');
  }
}

if (isMain(import.meta.url)) await benchIdle();
