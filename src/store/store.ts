import type { Engine } from './engine.ts';
import { migrate } from './migrate.ts';

/** A migrated database. SQL lives in queries/, one question a function; this is only the handle they take. */
export interface Store extends AsyncDisposable {
  readonly engine: Engine;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** A postgres:// URL; without it the embedded database at `sqlitePath` is used. */
  readonly databaseUrl: string | null;
  readonly sqlitePath: string;
  /** Told when an idle PostgreSQL connection breaks; the pool makes a new one. */
  readonly onIdleError: (error: Error) => void;
}

/** Opens the engine that the configuration names and brings its schema up to date. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const engine = await openEngine(options);
  try {
    await migrate(engine);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return { engine, close: () => engine.close(), [Symbol.asyncDispose]: () => engine.close() };
}

/** Each engine is loaded only when it is used: the embedded one must not pay for the other's driver. */
async function openEngine({ databaseUrl, sqlitePath, onIdleError }: StoreOptions): Promise<Engine> {
  if (databaseUrl === null) {
    const { openSqlite } = await import('./sqlite/open.ts');
    return openSqlite(sqlitePath);
  }
  const { openPostgres } = await import('./postgres/open.ts');
  return openPostgres(databaseUrl, onIdleError);
}
