import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../src/app/open-app.ts';
import { onEachStore, openBenchApp } from './apps.ts';
import { heading, isMain, measureOften } from './measure.ts';

const SIZES = [1_000, 10_000] as const;
const RUNS = 7;
const HOUR_MS = 3_600_000;

/** The requests of the session list with 1,000 and 10,000 sessions, as ratios to its first page with 1,000. */
export async function benchList(): Promise<void> {
  await onEachStore(async (name, env, folder) => {
    heading(`list: ${name}, as multiples of the first page with ${SIZES[0]} sessions`);
    let unit: number | null = null;
    let written = 0;
    const claudeHome = join(folder, `claude-${name}`);
    for (const sessions of SIZES) {
      writeSessions(claudeHome, written, sessions);
      written = sessions;
      await using app = await openBenchApp({ ...env, CLAUDE_CONFIG_DIR: claudeHome });
      await app.importNew({ rowsOnly: true });
      unit = await measureList(app, sessions, unit);
    }
  });
}

/** Small sessions in ten workspaces, one an hour. */
function writeSessions(claudeHome: string, from: number, to: number): void {
  for (let index = from; index < to; index++) {
    const sessionId = `${String(index).padStart(8, '0')}-1111-4111-8111-111111111111`;
    const folder = join(claudeHome, 'projects', `-home-ada-w${index % 10}`);
    mkdirSync(folder, { recursive: true });
    const timestamp = new Date(Date.now() - index * HOUR_MS).toISOString();
    const common = {
      sessionId,
      cwd: `/home/ada/w${index % 10}`,
      gitBranch: `b${index % 40}`,
      version: '2.1.219',
      timestamp,
    };
    const uuid = (part: number) => `${sessionId.slice(0, 8)}-0000-4000-8000-00000000000${part}`;
    const usage = { input_tokens: 1_000 + index, output_tokens: 100 };
    const lines = [
      { ...common, type: 'user', uuid: uuid(1), parentUuid: null, message: { role: 'user', content: `Task ${index}` } },
      {
        ...common,
        type: 'assistant',
        uuid: uuid(2),
        parentUuid: uuid(1),
        message: {
          id: `m${index}`,
          role: 'assistant',
          model: 'claude-opus-4-6',
          content: [{ type: 'text', text: 'Done.' }],
          usage,
        },
      },
    ];
    writeFileSync(join(folder, `${sessionId}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

async function measureList(app: App, sessions: number, unit: number | null): Promise<number> {
  const page = (query: object) => () => app.get('/sessions', { query: { limit: 200, fields: 'list', ...query } });
  const first = await medianMs(page({}));
  const base = unit ?? first;
  const figures: Readonly<Record<string, number>> = {
    'first page': first,
    'by cost': await medianMs(page({ sort: 'cost' })),
    'by changed lines': await medianMs(page({ sort: 'lines' })),
    'by workspace': await medianMs(page({ sort: 'workspace' })),
    filtered: await medianMs(page({ q: 'model:opus cost>0.01' })),
    facets: await medianMs(() => app.get('/facets')),
    days: await medianMs(() => app.get('/session-days', { query: { days: 30 } })),
  };
  const shown = Object.entries(figures).map(([name, ms]) => `${name} ${(ms / base).toFixed(1)}`);
  console.log(`${sessions} sessions: ${shown.join(', ')} (first page ${first.toFixed(1)} ms)`);
  return base;
}

async function medianMs(run: () => Promise<unknown>): Promise<number> {
  return (await measureOften(RUNS, run)).p50;
}

if (isMain(import.meta.url)) await benchList();
