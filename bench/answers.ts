import type { App } from '../src/app/open-app.ts';
import { onEachStore, openBenchApp } from './apps.ts';
import { makeCorpus } from './corpus.ts';
import { heading, isMain } from './measure.ts';
import { measurePages } from './pages.ts';
import { measureSearches } from './search.ts';

/** Searches and pages over the M corpus, on SQLite and on a separate PostgreSQL. */
export async function benchAnswers(): Promise<void> {
  const corpus = await makeCorpus('M', 'mixed');
  try {
    await onEachStore(async (name, env) => {
      await using app = await openBenchApp({ ...env, CLAUDE_CONFIG_DIR: corpus.claudeHome });
      await app.importNew();
      heading(`answers: ${name}, ${await countPlaces(app)} places (${corpus.madeBy})`);
      console.log(await measureSearches(app, corpus.projects));
      console.log(`\n${await measurePages(app)}`);
    });
  } finally {
    corpus.remove();
  }
}

async function countPlaces({ store: { engine } }: App): Promise<number> {
  const { places } = await engine.kysely
    .selectFrom('search_documents')
    .select(({ fn }) => fn.countAll<number>().as('places'))
    .executeTakeFirstOrThrow();
  return places;
}

if (isMain(import.meta.url)) await benchAnswers();
