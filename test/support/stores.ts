import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../src/store/store.ts';
import { createMigratedSqlite } from './migrated-sqlite.ts';
import { createMigratedDatabase } from './test-database.ts';

export interface TestStore extends Store {
  /** Its location, for other processes (see open-store-once.ts). */
  readonly env: Readonly<Record<string, string>>;
}

interface StoreKind {
  readonly name: string;
  /** Whether two write transactions can be open at the same time. */
  readonly hasSeveralWriters: boolean;
  open(): Promise<TestStore>;
}

/** Every implementation of the store; contract suites run on all of them. */
export const STORES: readonly StoreKind[] = [
  { name: 'SQLite', hasSeveralWriters: false, open: openTestSqlite },
  { name: 'PostgreSQL', hasSeveralWriters: true, open: openTestPostgres },
];

async function openTestSqlite(): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'fuel-code-store-'));
  const sqlitePath = join(folder, 'fuel.db');
  await createMigratedSqlite(sqlitePath);
  const store = await openStore({ databaseUrl: null, sqlitePath, onIdleError: fail });
  return closingAlso(store, { SQLITE_PATH: sqlitePath }, () => rm(folder, { recursive: true }));
}

async function openTestPostgres(): Promise<TestStore> {
  const database = await createMigratedDatabase();
  let isOpen = true;
  const onIdleError = (error: Error) => {
    // Dropping the database may affect a connection that is closing.
    if (isOpen) throw error;
  };
  const store = await openStore({ databaseUrl: database.url, sqlitePath: '', onIdleError });
  return closingAlso(store, { DATABASE_URL: database.url }, () => {
    isOpen = false;
    return database.drop();
  });
}

function closingAlso(store: Store, env: TestStore['env'], also: () => Promise<void>): TestStore {
  const close = async () => {
    await store.close();
    await also();
  };
  return { engine: store.engine, reader: store.reader, env, close, [Symbol.asyncDispose]: close };
}

function fail(error: Error): never {
  throw error;
}
