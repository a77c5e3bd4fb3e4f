import process from 'node:process';
import type { App } from '../src/app/open-app.ts';
import { onEachStore, openBenchApp } from './apps.ts';
import { makeCorpus } from './corpus.ts';
import { heading, inMs, isMain, measureOften, textTable } from './measure.ts';
import { dashboardRequests, listRequests, pickInputs, sessionRequests } from './page-requests.ts';
import { openCountingClient } from './server.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20);
/** Every request should have its answer within this time on an idle machine. */
const TARGET_MS = 100;

/**
 * Every request of the dashboards, of the list and of the views of the largest session over the M corpus, on both databases. Ratios are
 * to the first page of the session list in the same run; CPU is the time of this process, which depends little on how busy the machine is.
 */
export async function benchDashboards(): Promise<void> {
  const corpus = await makeCorpus('M', 'mixed');
  try {
    await onEachStore(async (name, env) => {
      await using app = await openAtNewest({ ...env, CLAUDE_CONFIG_DIR: corpus.claudeHome });
      heading(`dashboards: ${name} (${corpus.madeBy}), target p95 ${TARGET_MS} ms on an idle machine`);
      console.log(await measureDashboards(app));
    });
  } finally {
    corpus.remove();
  }
}

/** The app on the day of the newest session, so that "the last 30 days" have data whenever this runs. */
async function openAtNewest(env: Readonly<Record<string, string>>): Promise<App> {
  const newest = await importAll(env);
  return openBenchApp(env, () => newest);
}

async function importAll(env: Readonly<Record<string, string>>): Promise<Date> {
  await using app = await openBenchApp(env);
  await app.importNew({ rowsOnly: true });
  const { newest_session_at } = await app.get('/status');
  return new Date(newest_session_at ?? Number.NaN);
}

/** Times of every request, through the server. `first` is the first time in this process. */
export async function measureDashboards(app: App): Promise<string> {
  const { get, bytes } = openCountingClient(app);
  const base = await measureOften(ROUNDS, () => get('/sessions', { query: { limit: 50, fields: 'list' } }));
  const rows = [['sessions, first page', '', inMs(base.min), inMs(base.p50), inMs(base.p95), '1.0 ×', '', '', '']];
  const picked = await pickInputs(app);
  const requests = { ...dashboardRequests(get, picked), ...listRequests(get), ...sessionRequests(get, picked) };
  for (const [name, ask] of Object.entries(requests)) {
    const read = bytes();
    const startedMs = performance.now();
    await ask();
    const firstMs = performance.now() - startedMs;
    const kilobytes = Math.ceil((bytes() - read) / 1_024);
    const before = process.cpuUsage();
    const { min, p50, p95 } = await measureOften(ROUNDS, ask);
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1_000 / (ROUNDS + 1);
    const ratio = `${(min / base.min).toFixed(1)} ×`;
    rows.push([name, ...[firstMs, min, p50, p95].map(inMs), ratio, inMs(cpuMs), `${kilobytes} kB`, mark(p95)]);
  }
  return textTable([['', 'first', 'best', 'p50', 'p95', 'ratio', 'CPU', 'sent', ''], ...rows]);
}

function mark(p95: number): string {
  return p95 > TARGET_MS ? 'slow' : '';
}

if (isMain(import.meta.url)) await benchDashboards();
