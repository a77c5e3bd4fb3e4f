import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { hookPaths } from '../src/capture/hook/hook-files.ts';
import { hookCommand } from '../src/capture/hook/hook-script.ts';
import { installHooks } from '../src/capture/hook/install.ts';
import { systemClock } from '../src/lib/timing.ts';
import { heading, isMain, textTable } from './measure.ts';

/**
 * A1, A2: how long Claude Code waits for our hook, as a ratio to `node -e 0` in the same run: one at a time, and twenty
 * sessions that end together. Targets: p50 alone ≤ 0.1, p95 of twenty at once ≤ 0.25 of Node's. No hook can be cheaper
 * than the shell that Claude Code starts for it: `sh -c 'exit 0'`.
 *
 * Twenty at once mostly wait for each other's background work, on two cores. Measured as processor time of one hook and
 * all its children (100 in turns, tenth percentile): `sh -c 'exit 0'` 0.6 ms, a hook with an empty script 1.4 ms, ours
 * 5.7 ms. Each program it starts costs 0.5 (nice) to 1.2 ms (mv): nice and the shell of the script, sleep, dd, mv. With
 * LC_ALL=C they load no locale, which saves 0.8 ms in total. Without sleep, a reader whose client never closes the pipe
 * would never end; `timeout` instead of it saves 0.3 ms but is not available everywhere; Perl for all three takes 2.2
 * ms and is not available everywhere either. Reading with `read` instead of dd takes one system call per byte, and no
 * shell can rename files by itself. Sourcing the script into the first shell saves half a millisecond, but then its
 * side effects would reach the command line that Claude Code waits for (A13).
 *
 * Therefore the background work runs at low priority (`nice`). Measured in turns, p95 of twenty at once fell from 0.31
 * to 0.19 and from 0.34 to 0.25 of Node's, on a busy machine from 0.52 to 0.33 (`sh -c 'exit 0'`: 0.12, 0.13, 0.18). A
 * reader that has not started is never killed: of 2,000 hooks in a tight loop beside six busy loops, none was lost.
 */

const RUNS_ALONE = 100;
const ROUNDS_AT_ONCE = 5;
const AT_ONCE = 20;

const PAYLOAD = JSON.stringify({
  session_id: '3f2a91c0-1111-4222-8333-444455556666',
  transcript_path: '/home/ada/.claude/projects/-home-ada-shop/3f2a91c0-1111-4222-8333-444455556666.jsonl',
  cwd: '/home/ada/shop',
  hook_event_name: 'Stop',
  last_assistant_message: 'x'.repeat(1_000),
});

export async function benchHook(): Promise<void> {
  heading('hook');
  const root = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  try {
    const home = join(root, 'data');
    const place = { home, claudeHome: join(root, 'claude'), clock: systemClock };
    installHooks(place, { node: process.execPath, program: '/nonexistent' }, '2.1.325');
    // A running worker, as during normal use, so that the hook only has to store its payload.
    writeFileSync(join(home, 'worker.pid'), `${process.pid}\n`);
    const acts: readonly Act[] = [
      { name: 'node -e 0', run: () => waited(process.execPath, ['-e', '0'], '') },
      { name: "sh -c 'exit 0'", run: () => waited('/bin/sh', ['-c', 'exit 0'], PAYLOAD) },
      { name: 'hook', run: () => waited('/bin/sh', ['-c', hookCommand(hookPaths(home).script)], PAYLOAD) },
    ];
    const alone = await measure(acts, RUNS_ALONE, 1);
    const together = await measure(acts, ROUNDS_AT_ONCE, AT_ONCE);
    console.log(textTable([HEAD, ...rows('alone', alone), ...rows(`${AT_ONCE} at once`, together)]));
  } finally {
    rmSync(root, { recursive: true, maxRetries: 50, retryDelay: 100 });
  }
}

interface Act {
  readonly name: string;
  run(): Promise<number>;
}

interface Times {
  readonly name: string;
  readonly ms: readonly number[];
}

const HEAD = ['', 'p50', 'p95', 'p50 ratio', 'p95 ratio'];

/** Alternates between the candidates, so that a busy machine affects all of them equally. */
async function measure(acts: readonly Act[], rounds: number, atOnce: number): Promise<Times[]> {
  const times = acts.map(({ name }) => ({ name, ms: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [at, { run }] of acts.entries()) {
      times[at]?.ms.push(...(await Promise.all(Array.from({ length: atOnce }, run))));
    }
  }
  return times;
}

function rows(title: string, times: readonly Times[]): string[][] {
  const base = times[0]?.ms ?? [];
  return times.map(({ name, ms }) => [
    `${name}, ${title}`,
    ...[0.5, 0.95].map((part) => `${percentile(ms, part).toFixed(1)} ms`),
    ...[0.5, 0.95].map((part) => (percentile(ms, part) / percentile(base, part)).toFixed(3)),
  ]);
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}

/** Milliseconds until the process has exited and all holders of its output have closed it, as Claude Code waits. */
function waited(program: string, words: readonly string[], input: string): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(program, words, { stdio: 'pipe' });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  for (const stream of [child.stdout, child.stderr]) stream.resume();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve(performance.now() - startedMs));
  });
}

if (isMain(import.meta.url)) await benchHook();
