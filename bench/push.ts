import { loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { systemClock } from '../src/lib/timing.ts';
import { serve } from '../src/server/serve.ts';
import { createClaudeHome, createTalk } from '../test/support/claude-home.ts';
import { PROGRAMS, silentLog } from '../test/support/programs.ts';
import { createDevice, shipTo } from '../test/support/ship-pair.ts';
import { heading, inMs, isMain, textTable } from './measure.ts';

/**
 * 4.3: how long a session takes from the push of a device until it is visible on a server, over loopback and with
 * SQLite, as a ratio to a round trip of `/api/ready` in the same run. Target: under 2 s on an idle machine.
 */

const ROUNDS = 20;
const HOUR_MS = 3_600_000;

export async function benchPush(): Promise<void> {
  heading(`push to visible (load ${loadavg()[0]?.toFixed(1)})`);
  using claude = createClaudeHome();
  using nothing = createClaudeHome();
  await using device = await createDevice(claude.path, systemClock);
  await using program = await (PROGRAMS[0] as (typeof PROGRAMS)[number]).create(nothing.path);
  const config = { ...program.config, port: 0 };
  const logging = { log: silentLog, onLog: () => {} };
  // Disables the server's own timer, so that only the push can trigger processing.
  await using serving = await serve({ config, clock: systemClock, ...logging, rescanMs: HOUR_MS });
  await serving.firstRound;
  const { origin, hash } = new URL(serving.address);
  const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
  const toServer: typeof fetch = (input, init) =>
    fetch(new URL(new URL(input instanceof Request ? input.url : input).pathname, origin), init);
  const read = (path: string) => fetch(new URL(path, origin), { headers: { authorization: `Bearer ${token}` } });
  const times = { ready: [] as number[], push: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const id = `${String(round).padStart(8, '0')}-2222-4333-8444-555555555555`;
    claude.write(`-home-ada-shop/${id}.jsonl`, [createTalk(id).user('Hello.')]);
    await device.app.importNew();
    const readyMs = await timed(async () => (await read('/api/ready')).text());
    const pushMs = await timed(async () => {
      await shipTo(device, { fetch: toServer, token, clock: systemClock });
      while (!(await isVisible(await read(`/api/sessions/${id}`))));
    });
    // The first round loads the code.
    if (round === 0) continue;
    times.ready.push(readyMs);
    times.push.push(pushMs);
  }
  const base = percentile(times.ready, 0.5);
  const row = (name: string, ms: readonly number[]) => [
    name,
    ...[0.5, 0.95].map((part) => inMs(percentile(ms, part))),
    (percentile(ms, 0.5) / base).toFixed(1),
  ];
  console.log(
    textTable([['', 'p50', 'p95', 'ratio'], row('GET /api/ready', times.ready), row('push to visible', times.push)]),
  );
}

async function isVisible(response: Response): Promise<boolean> {
  const { total_messages } = (await response.json()) as { readonly total_messages?: number };
  return total_messages === 1;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await run();
  return performance.now() - startedMs;
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}

if (isMain(import.meta.url)) await benchPush();
