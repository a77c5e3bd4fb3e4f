import { SEARCH_MS } from '../domain/search.ts';
import type { Engine } from './engine.ts';
import { migrate } from './migrate.ts';

/** A migrated database. SQL is in queries/, one function per query; this is only the handle they take. */
export interface Store extends AsyncDisposable {
  readonly engine: Engine;
  /** H14: the same database for requests, with limited query times. Errors: timeout. */
  readonly reader: Engine;
  close(): Promise<void>;
}

interface StoreOptions {
  /** A postgres:// URL; without it the embedded database at `sqlitePath` is used. */
  readonly databaseUrl: string | null;
  readonly sqlitePath: string;
  /** Called when an idle PostgreSQL connection breaks; the pool opens a new one. */
  readonly onIdleError: (error: Error) => void;
  /** PostgreSQL statement timeout for requests. */
  readonly maxReadMs?: number;
}

/** Requests take milliseconds; this limits unforeseen ones to the time a search may take. */
const MAX_READ_MS = SEARCH_MS;

/** Opens the configured engine and migrates its schema. */
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

/** Each engine is loaded only when used: SQLite users must not pay for the PostgreSQL driver. */
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
