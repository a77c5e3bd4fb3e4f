import { SEARCH_MS } from '../domain/search.ts';
import { locateStore, type StoreSettings } from './location.ts';
import { migrate } from './migrate.ts';
import { type Engines, openEngines } from './open-engine.ts';

/** A migrated database. SQL is in queries/, one function per query; this is only the handle they take. */
export interface Store extends AsyncDisposable, Engines {
  close(): Promise<void>;
}

interface StoreOptions extends StoreSettings {
  /** Called when an idle PostgreSQL connection breaks; the pool opens a new one. */
  readonly onIdleError: (error: Error) => void;
  /** PostgreSQL statement timeout for requests. */
  readonly maxReadMs?: number;
  /** Nobody waits for the answers. */
  readonly isBackground?: boolean;
}

/** Requests take milliseconds; this limits unforeseen ones to the time a search may take. */
const MAX_READ_MS = SEARCH_MS;

/** Opens the configured engine and migrates its schema. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { onIdleError, maxReadMs = MAX_READ_MS, isBackground = false } = options;
  const engines = await openEngines(locateStore(options), { onIdleError, maxReadMs, isBackground });
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
