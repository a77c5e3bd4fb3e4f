import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchPathOf } from '../../src/store/sqlite/search-file.ts';
import { openStore } from '../../src/store/store.ts';

let migrated: Promise<string> | undefined;

/** Creates a database with all tables. It is migrated once per process and then copied, which is thirty times faster. */
export async function createMigratedSqlite(path: string): Promise<void> {
  const template = await (migrated ??= migrate());
  await copyFile(template, path);
  await copyFile(searchPathOf(template), searchPathOf(path));
}

async function migrate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fuel-code-store-'));
  const sqlitePath = join(folder, 'fuel.db');
  const store = await openStore({
    databaseUrl: null,
    sqlitePath,
    onIdleError: (error) => {
      throw error;
    },
  });
  await store.close();
  return sqlitePath;
}
