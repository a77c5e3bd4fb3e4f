import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type App, openApp } from '../src/app/open-app.ts';
import { loadConfig } from '../src/config.ts';
import { addDays, dayText } from '../src/domain/days.ts';
import { createLog } from '../src/lib/log.ts';
import { systemClock } from '../src/lib/timing.ts';
import { startPostgres } from '../test/setup/postgres.ts';
import { makeCorpus } from './corpus.ts';
import { heading, inMs, isMain, measureOften, textTable } from './measure.ts';

const ROUNDS = 20;
const ZONE = 'Europe/Berlin';
const PERIOD_DAYS = 30;
const TIMELINE_DAYS = 14;
/** Every request should have its answer within this time on an idle machine. */
const TARGET_MS = 100;

/**
 * Every request of the dashboards and of the views of the largest session over the M corpus, on both databases. Ratios are
 * to the first page of the session list in the same run; CPU is the time of this process, which depends little on how busy the machine is.
 */
export async function benchDashboards(): Promise<void> {
  const corpus = await makeCorpus('M', 'mixed');
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  const postgres = await startPostgres();
  try {
    const stores: Readonly<Record<string, Record<string, string>>> = {
      SQLite: {},
      PostgreSQL: { DATABASE_URL: postgres.url },
    };
    for (const [name, env] of Object.entries(stores)) {
      const places = { ...env, FUEL_CODE_HOME: join(home, name), CLAUDE_CONFIG_DIR: corpus.claudeHome };
      await using app = await openAtNewest(places);
      heading(`dashboards: ${name} (${corpus.madeBy}), target p95 ${TARGET_MS} ms on an idle machine`);
      console.log(await measureDashboards(app));
    }
  } finally {
    await postgres.stop();
    rmSync(home, { recursive: true });
    corpus.remove();
  }
}

/** The app on the day of the newest session, so that "the last 30 days" have data whenever this runs. */
async function openAtNewest(env: Readonly<Record<string, string>>): Promise<App> {
  const newest = await importAll(env);
  return open(env, () => newest);
}

async function importAll(env: Readonly<Record<string, string>>): Promise<Date> {
  await using app = await open(env, systemClock.now);
  await app.importNew({ rowsOnly: true });
  const { newest_session_at } = await app.get('/status');
  return new Date(newest_session_at ?? Number.NaN);
}

function open(env: Readonly<Record<string, string>>, now: () => Date): Promise<App> {
  const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });
  return openApp({ config: loadConfig(env).config, clock: { ...systemClock, now }, log });
}

type Requests = Readonly<Record<string, () => Promise<unknown>>>;

export async function measureDashboards(app: App): Promise<string> {
  const base = await measureOften(ROUNDS, () => app.get('/sessions', { query: { limit: 50, fields: 'list' } }));
  const rows = [['sessions, first page', inMs(base.p50), inMs(base.p95), '1.0 ×', '', '', '']];
  for (const [name, ask] of Object.entries({ ...(await dashboardRequests(app)), ...(await viewRequests(app)) })) {
    const size = JSON.stringify(await ask()).length;
    const before = process.cpuUsage();
    const { p50, p95 } = await measureOften(ROUNDS, ask);
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1_000 / (ROUNDS + 1);
    const ratio = `${(p50 / base.p50).toFixed(1)} ×`;
    rows.push([name, inMs(p50), inMs(p95), ratio, inMs(cpuMs), `${Math.ceil(size / 1_024)} kB`, mark(p95)]);
  }
  return textTable([['', 'p50', 'p95', 'ratio', 'CPU', 'JSON', ''], ...rows]);
}

function mark(p95: number): string {
  return p95 > TARGET_MS ? 'slow' : '';
}

async function dashboardRequests({ get }: App): Promise<Requests> {
  const { newest_session_at } = await get('/status');
  const until = dayText(Date.parse(newest_session_at ?? ''));
  const days = { zone: ZONE, since: addDays(until, 1 - PERIOD_DAYS), until };
  const month = { zone: ZONE, after: days.since };
  const zone = ZONE;
  const { places } = await get('/cost/breakdown', { query: { zone } });
  const place = { workspace: places[0]?.workspace_key ?? '', branch: places[0]?.branch ?? '' };
  const { tools } = await get('/tools', { query: { zone, limit: 1 } });
  const { files } = await get('/files', { query: { zone, limit: 1 } });
  const name = tools[0]?.name ?? '';
  const path = files[0]?.path ?? '';
  return {
    'cost: periods': () => get('/cost/periods', { query: { zone } }),
    'cost: 30 days': () => get('/cost/breakdown', { query: days }),
    'cost: all time': () => get('/cost/breakdown', { query: { zone } }),
    'cost: sessions of a branch': () => get('/cost/sessions', { query: { zone, ...place } }),
    'cost: price book': () => get('/prices'),
    timeline: () => get('/activity', { query: { zone, since: addDays(until, 1 - TIMELINE_DAYS), until } }),
    'tools: 30 days': () => get('/tools', { query: { ...month, limit: 1_000 } }),
    'tools: all time': () => get('/tools', { query: { zone, limit: 1_000 } }),
    'tools: by day, 30 days': () => get('/tools/days', { query: month }),
    'tools: by day, all time': () => get('/tools/days', { query: { zone } }),
    'tools: calls': () => get('/tool-calls', { query: { zone, name, limit: 50 } }),
    'tools: failed calls': () => get('/tool-calls', { query: { zone, name, status: ['error'], limit: 50 } }),
    'files: all time': () => get('/files', { query: { zone, limit: 1_000 } }),
    'files: history of one': () => get('/files/changes', { query: { path, limit: 20 } }),
    health: () => get('/checkup', { query: { full: false } }),
    status: () => get('/status'),
    'list: by changed lines': () => get('/sessions', { query: { limit: 200, fields: 'list', sort: 'lines' } }),
    'list: facets': () => get('/facets', { query: { zone } }),
    'list: days': () => get('/session-days', { query: { zone, days: PERIOD_DAYS } }),
  };
}

async function viewRequests({ get }: App): Promise<Requests> {
  const { sessions } = await get('/sessions', { query: { limit: 1, sort: 'messages' } });
  const id = sessions[0]?.id ?? '';
  const params = { id };
  return {
    'largest session: context': () => get('/sessions/:id/context', { params }),
    'largest session: waterfall': () => get('/sessions/:id/waterfall', { params }),
    'largest session: costs': () => get('/sessions/:id/costs', { params }),
    'largest session: relatives': () => get('/sessions/:id/relatives', { params }),
    'largest session: prompts': () => get('/sessions/:id/prompts', { params, query: { limit: 50 } }),
  };
}

if (isMain(import.meta.url)) await benchDashboards();
