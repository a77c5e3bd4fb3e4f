import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { hookPaths } from '../src/capture/hook/hook-files.ts';
import { hookCommand } from '../src/capture/hook/hook-script.ts';
import { installHooks } from '../src/capture/hook/install.ts';
import { systemClock } from '../src/lib/clock.ts';
import { heading, isMain, textTable } from './measure.ts';

/**
 * A1, A2: how long Claude Code waits for our hook, as a ratio to `node -e 0` of the same run: one at a time, and twenty
 * sessions that end together. Aims: p50 alone ≤ 0.1, p95 of twenty at once ≤ 0.25 of Node's.
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
    installHooks(place, { node: process.execPath, program: '/nonexistent' });
    // A worker lives, as it does while anybody works: the hook has only to store.
    writeFileSync(join(home, 'worker.pid'), `${process.pid}\n`);
    const hook = () => waited('/bin/sh', ['-c', hookCommand(hookPaths(home).script)], PAYLOAD);
    const node = () => waited(process.execPath, ['-e', '0'], '');
    console.log(textTable([HEAD, ...(await alone(hook, node)), ...(await atOnce(hook, node))]));
  } finally {
    rmSync(root, { recursive: true, maxRetries: 50, retryDelay: 100 });
  }
}

type Act = () => Promise<number>;

const HEAD = ['', 'p50', 'p95', 'p50 ratio', 'p95 ratio'];

async function alone(hook: Act, node: Act): Promise<string[][]> {
  const times = { hook: [] as number[], node: [] as number[] };
  for (let run = 0; run < RUNS_ALONE; run++) {
    times.node.push(await node());
    times.hook.push(await hook());
  }
  return rows('alone', times);
}

async function atOnce(hook: Act, node: Act): Promise<string[][]> {
  const times = { hook: [] as number[], node: [] as number[] };
  const many = (act: Act) => Promise.all(Array.from({ length: AT_ONCE }, act));
  for (let round = 0; round < ROUNDS_AT_ONCE; round++) {
    times.node.push(...(await many(node)));
    times.hook.push(...(await many(hook)));
  }
  return rows(`${AT_ONCE} at once`, times);
}

function rows(name: string, times: { readonly hook: readonly number[]; readonly node: readonly number[] }): string[][] {
  return (['node', 'hook'] as const).map((who) => {
    const cells = [0.5, 0.95].map((part) => ({ ms: percentile(times[who], part), base: percentile(times.node, part) }));
    return [
      `${who === 'node' ? 'node -e 0' : 'hook'}, ${name}`,
      ...cells.map(({ ms }) => `${ms.toFixed(1)} ms`),
      ...cells.map(({ ms, base }) => (ms / base).toFixed(3)),
    ];
  });
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}

/** Milliseconds until the process has ended and nobody holds its output, as Claude Code waits. */
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
