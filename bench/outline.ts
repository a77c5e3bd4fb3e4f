import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type App, openApp } from '../src/app/open-app.ts';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import { systemClock } from '../src/lib/timing.ts';
import { startPostgres } from '../test/setup/postgres.ts';
import { idOf, makeSession } from './long-session.ts';
import { heading, isMain } from './measure.ts';

const SIZES = [500, 10_000, 100_000] as const;
const PAGE_ROWS = 50;
const RUNS = 5;

/** Opening a session of 500, 10,000 and 100,000 messages: its outline, a page from the middle, and a search in it. */
export async function benchOutline(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  const claudeHome = join(home, 'claude');
  const folder = join(claudeHome, 'projects/-home-ada-harbour');
  mkdirSync(folder, { recursive: true });
  for (const messages of SIZES) writeFileSync(join(folder, `${idOf(messages)}.jsonl`), makeSession(messages));
  const postgres = await startPostgres();
  try {
    const stores: Readonly<Record<string, Record<string, string>>> = {
      SQLite: {},
      PostgreSQL: { DATABASE_URL: postgres.url },
    };
    for (const [name, env] of Object.entries(stores)) {
      await using app = await open({ ...env, FUEL_CODE_HOME: join(home, name), CLAUDE_CONFIG_DIR: claudeHome });
      await app.importNew();
      heading(`outline: ${name}, as multiples of a page of a session with ${SIZES[0]} messages`);
      await measureSizes(app);
    }
  } finally {
    await postgres.stop();
    rmSync(home, { recursive: true });
  }
}

async function measureSizes(app: App): Promise<void> {
  let unit: number | null = null;
  for (const messages of SIZES) {
    const params = { id: idOf(messages) };
    const middle = Math.floor(messages / 2);
    const page = await medianMs(() =>
      app.get('/sessions/:id/transcript', { params, query: { after: middle, limit: PAGE_ROWS } }),
    );
    const first = await timeMs(() => app.get('/sessions/:id/outline', { params }));
    const again = await medianMs(() => app.get('/sessions/:id/outline', { params }));
    const find = await medianMs(() => app.get('/sessions/:id/find', { params, query: { q: 'lighthouse' } }));
    unit ??= page;
    const bytes = JSON.stringify(await app.get('/sessions/:id/outline', { params })).length;
    const shown = [page, first, again, find].map((ms) => (ms / (unit ?? 1)).toFixed(1));
    console.log(
      `${messages} messages: page ${shown[0]}, outline ${shown[1]}, again ${shown[2]} (${bytes} bytes), find ${shown[3]}`,
    );
  }
  console.log(`One page of ${SIZES[0]} messages took ${unit?.toFixed(1)} ms.`);
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) times.push(await timeMs(work));
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] as number;
}

function open(env: Readonly<Record<string, string>>): Promise<App> {
  const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });
  return openApp({ config: loadConfig(env).config, clock: systemClock, log });
}

if (isMain(import.meta.url)) await benchOutline();
