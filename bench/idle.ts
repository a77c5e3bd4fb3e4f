import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMain } from './measure.ts';

/**
 * What runs while a session is open and nothing happens: the worker exits, and the sentinel waits for a change. Linux
 * only. What an appended line costs is measured by `bench/import.ts`.
 */

const SESSIONS = 1_000;
/** The sentinel looks once at all files for changes that it may have missed. */
const START_MS = 3_000;
const IDLE_MS = 10_000;
const TICKS_PER_SECOND = 100;
const LAUNCHER = fileURLToPath(new URL('../bin/fuel-code', import.meta.url));

export async function benchIdle(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  const data = join(root, 'data');
  writeSessions(join(root, 'claude'));
  // A session that is open in a client.
  mkdirSync(join(root, 'claude/sessions'));
  writeFileSync(
    join(root, `claude/sessions/${process.pid}.json`),
    JSON.stringify({ pid: process.pid, sessionId: idOf(0) }),
  );
  const env = {
    PATH: process.env.PATH ?? '',
    FUEL_CODE_HOME: data,
    CLAUDE_CONFIG_DIR: join(root, 'claude'),
    // The same settings as when the hook starts it.
    MALLOC_ARENA_MAX: '1',
    NODE_OPTIONS: '--max-semi-space-size=4',
  };
  const startedMs = performance.now();
  const worker = spawn(process.execPath, [LAUNCHER, 'worker'], { env, stdio: 'ignore' });
  try {
    await once(worker, 'exit');
    const seconds = (performance.now() - startedMs) / 1_000;
    const pid = Number(readFileSync(join(data, 'sentinel.pid'), 'utf8'));
    await sleep(START_MS);
    const before = usage(pid);
    await sleep(IDLE_MS);
    const after = usage(pid);
    process.kill(pid);
    const cpu = (after.ticks - before.ticks) / TICKS_PER_SECOND / (IDLE_MS / 1_000);
    console.log(`\n## idle, ${SESSIONS} sessions, one of them open\n`);
    console.log(`the worker imported them and was gone after ${seconds.toFixed(0)} s`);
    console.log(
      `sentinel: CPU ${(cpu * 100).toFixed(2)} % of a core, resident ${(after.rssBytes / 1e6).toFixed(0)} MB`,
    );
  } finally {
    worker.kill('SIGTERM');
    rmSync(root, { recursive: true });
  }
}

function writeSessions(home: string): void {
  for (let n = 0; n < SESSIONS; n++) {
    const folder = join(home, `projects/-home-dev-p${n % 20}`);
    mkdirSync(folder, { recursive: true });
    const lines = Array.from({ length: 20 }, (_, at) => `${lineOf(n, at)}\n`);
    writeFileSync(join(folder, `${idOf(n)}.jsonl`), lines.join(''));
  }
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
}

/** Resource usage of all threads. */
function usage(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { ticks: Number(fields[11]) + Number(fields[12]), rssBytes: Number(rss) * 1_024 };
}

if (isMain(import.meta.url)) await benchIdle();
