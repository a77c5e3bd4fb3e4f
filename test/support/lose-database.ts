import { rmSync } from 'node:fs';
import type { App } from '../../src/app/open-app.ts';
import { databasePath } from '../../src/config.ts';

/** Deletes everything but the archive and its journal. */
export async function loseDatabase({ config, store }: App): Promise<void> {
  if (config.databaseUrl === null) {
    for (const tail of ['', '-wal', '-shm']) rmSync(databasePath(config.home) + tail, { force: true });
    return;
  }
  await store.engine.kysely.schema.dropSchema('public').cascade().execute();
  await store.engine.kysely.schema.createSchema('public').execute();
}
