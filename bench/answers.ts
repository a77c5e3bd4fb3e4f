import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type App, openApp } from '../src/app/open-app.ts';
import { loadConfig } from '../src/config.ts';
import { systemClock } from '../src/lib/timing.ts';
import { createLog } from '../src/lib/log.ts';
import { startPostgres } from '../test/setup/postgres.ts';
import { makeCorpus } from './corpus.ts';
import { heading, isMain } from './measure.ts';
import { measurePages } from './pages.ts';
import { measureSearches } from './search.ts';

/** Searches and pages over the M corpus, on SQLite and on a separate PostgreSQL. */
export async function benchAnswers(): Promise<void> {
  const corpus = await makeCorpus('M', 'mixed');
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  const postgres = await startPostgres();
  try {
    const stores: Readonly<Record<string, Record<string, string>>> = {
      SQLite: {},
      PostgreSQL: { DATABASE_URL: postgres.url },
    };
    for (const [name, env] of Object.entries(stores)) {
      await using app = await open({ ...env, FUEL_CODE_HOME: join(home, name), CLAUDE_CONFIG_DIR: corpus.claudeHome });
      await app.importNew();
      heading(`answers: ${name}, ${await countPlaces(app)} places (${corpus.madeBy})`);
      console.log(await measureSearches(app, corpus.projects));
      console.log(`\n${await measurePages(app)}`);
    }
  } finally {
    await postgres.stop();
    rmSync(home, { recursive: true });
    corpus.remove();
  }
}

function open(env: Readonly<Record<string, string>>): Promise<App> {
  const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });
  return openApp({ config: loadConfig(env).config, clock: systemClock, log });
}

async function countPlaces({ store: { engine } }: App): Promise<number> {
  const { places } = await engine.kysely
    .selectFrom('search_documents')
    .select(({ fn }) => fn.countAll<number>().as('places'))
    .executeTakeFirstOrThrow();
  return places;
}

if (isMain(import.meta.url)) await benchAnswers();
