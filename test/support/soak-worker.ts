import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApp } from '../../src/app/open-app.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { createTalk, text } from './claude-home.ts';

/**
 * The rounds of the worker over thousands of small sessions, in a separate process: `node --expose-gc soak-worker.ts`
 * with ROUNDS and SESSIONS. Prints the memory in use after each round, in bytes. LEAK=1 leaks memory on purpose, to
 * prove that the measurement detects it.
 */
const { config } = loadConfig(process.env);
const rounds = Number(process.env.ROUNDS);
const sessions = Number(process.env.SESSIONS);
const kept: unknown[] = [];
const collect = globalThis.gc ?? (() => {});
const WARM_UP_SESSIONS = 40;
const WARM_UP_CHARS = 2_000_000;
const longAgo = new Date('2026-11-01T12:00:00.000Z');

await using app = await openApp({
  config,
  clock: systemClock,
  log: createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) }),
});
// SQLite caches up to 32 MB of database pages, each a separate allocation: write more than that first, or the slow
// filling of that cache looks like a leak. This only matters for resident bytes, which short runs do not compare.
const isLong = sessions >= 250;
for (let at = 0; at < (isLong ? WARM_UP_SESSIONS : 2); at++) writeSession(1_000_000 + at, WARM_UP_CHARS);
await app.importNew();
const held: { heap: number; rss: number }[] = [];
for (let round = 0; round < rounds; round++) {
  for (let at = 0; at < sessions; at++) writeSession(round * sessions + at);
  await app.drainHooks();
  const { sessions_parsed: parsed, failed } = await app.importNew();
  if (parsed !== sessions || failed.length > 0) throw new Error(`${parsed} of ${sessions} sessions were parsed`);
  held.push(await measure());
}
console.log(JSON.stringify(held));

function writeSession(number: number, answerChars = 500): void {
  const id = `${String(number).padStart(8, '0')}-2222-4333-8444-555555555555`;
  const talk = createTalk(id, { prefix: `s${number}-` });
  const lines = [
    talk.user(`Question ${number}`),
    talk.assistant(`msg_${number}`, text(words(number, answerChars)), { input: 10, output: 5 }),
  ];
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const folder = join(config.claudeHome, 'projects', `-home-ada-p${number % 10}`);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${id}.jsonl`);
  writeFileSync(path, body);
  utimesSync(path, longAgo, longAgo);
  const hook = { session_id: id, hook_event_name: 'SessionEnd', cwd: '/home/ada/shop', transcript_path: path };
  mkdirSync(join(config.home, 'spool'), { recursive: true, mode: 0o700 });
  writeFileSync(join(config.home, 'spool', `${1_794_700_000_000 + number}-1-1.json`), JSON.stringify(hook), {
    mode: 0o600,
  });
  for (let copy = 0; process.env.LEAK === '1' && copy < 10; copy++) kept.push(JSON.parse(JSON.stringify(lines)));
}

/** Words that neither compression nor an index can shrink much, the same in each run. */
function words(seed: number, chars: number): string {
  let state = seed + 1;
  let out = '';
  while (out.length < chars) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    out += `${state.toString(36)} `;
  }
  return out;
}

/** Reachable memory: collects several times, with a turn of the event loop in between for finalizers. */
async function measure(): Promise<{ heap: number; rss: number }> {
  for (let n = 0; n < 3; n++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}
