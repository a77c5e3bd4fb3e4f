import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../src/app/open-app.ts';
import { onEachStore, openBenchApp } from './apps.ts';
import { idOf, makeSession } from './long-session.ts';
import { heading, isMain, measureOften } from './measure.ts';

const SIZES = [500, 10_000, 100_000] as const;
const PAGE_ROWS = 50;
const RUNS = 5;

/** Opening a session of 500, 10,000 and 100,000 messages: its outline, a page from the middle, and a search in it. */
export async function benchOutline(): Promise<void> {
  await onEachStore(async (name, env, folder) => {
    const claudeHome = join(folder, 'claude');
    writeSessions(join(claudeHome, 'projects/-home-ada-harbour'));
    await using app = await openBenchApp({ ...env, CLAUDE_CONFIG_DIR: claudeHome });
    await app.importNew();
    heading(`outline: ${name}, as multiples of a page of a session with ${SIZES[0]} messages`);
    await measureSizes(app);
  });
}

function writeSessions(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const messages of SIZES) writeFileSync(join(folder, `${idOf(messages)}.jsonl`), makeSession(messages));
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
  return (await measureOften(RUNS, work)).p50;
}

if (isMain(import.meta.url)) await benchOutline();
