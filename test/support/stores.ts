import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../src/store/store.ts';
import { createTestDatabase } from './test-database.ts';

/** Every implementation of the store; contract suites run over all of them. */
export const STORES: readonly { readonly name: string; open(): Promise<Store> }[] = [
  { name: 'SQLite', open: openTestSqlite },
  { name: 'PostgreSQL', open: openTestPostgres },
];

async function openTestSqlite(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'fuel-code-store-'));
  const store = await openStore({ databaseUrl: null, sqlitePath: join(folder, 'fuel.db'), onIdleError: fail });
  return closingAlso(store, () => rm(folder, { recursive: true }));
}

async function openTestPostgres(): Promise<Store> {
  const database = await createTestDatabase();
  let isOpen = true;
  const onIdleError = (error: Error) => {
    // Dropping the database may reach a connection that is saying goodbye.
    if (isOpen) throw error;
  };
  const store = await openStore({ databaseUrl: database.url, sqlitePath: '', onIdleError });
  return closingAlso(store, () => {
    isOpen = false;
    return database.drop();
  });
}

function closingAlso(store: Store, also: () => Promise<void>): Store {
  const close = async () => {
    await store.close();
    await also();
  };
  return { engine: store.engine, close, [Symbol.asyncDispose]: close };
}

function fail(error: Error): never {
  throw error;
}
