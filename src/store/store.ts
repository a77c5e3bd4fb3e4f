import { SEARCH_MS } from '../domain/search.ts';
import type { Engine } from './engine.ts';
import { migrate } from './migrate.ts';

/** A migrated database. SQL lives in queries/, one question a function; this is only the handle they take. */
export interface Store extends AsyncDisposable {
  readonly engine: Engine;
  /** H14: the same database for requests, none of which may hold it for long. Errors: timeout. */
  readonly reader: Engine;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** A postgres:// URL; without it the embedded database at `sqlitePath` is used. */
  readonly databaseUrl: string | null;
  readonly sqlitePath: string;
  /** Told when an idle PostgreSQL connection breaks; the pool makes a new one. */
  readonly onIdleError: (error: Error) => void;
  /** How long PostgreSQL may take for a statement of a request. */
  readonly maxReadMs?: number;
}

/** What a request may ask takes milliseconds: this is for what nobody thought of, and no more than a search has. */
const MAX_READ_MS = SEARCH_MS;

/** Opens the engine that the configuration names and brings its schema up to date. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const engines = await openEngines(options);
  const close = async () => {
    for (const engine of new Set(Object.values(engines))) await engine.close();
  };
  try {
    await migrate(engines.engine);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...engines, close, [Symbol.asyncDispose]: close };
}

/** Each engine is loaded only when it is used: the embedded one must not pay for the other's driver. */
async function openEngines({
  databaseUrl,
  sqlitePath,
  onIdleError,
  maxReadMs = MAX_READ_MS,
}: StoreOptions): Promise<Pick<Store, 'engine' | 'reader'>> {
  if (databaseUrl === null) {
    const { openSqlite } = await import('./sqlite/open.ts');
    const engine = openSqlite(sqlitePath);
    return { engine, reader: engine };
  }
  const { openPostgres } = await import('./postgres/open.ts');
  return {
    engine: openPostgres(databaseUrl, { onIdleError }),
    reader: openPostgres(databaseUrl, { onIdleError, maxStatementMs: maxReadMs }),
  };
}
