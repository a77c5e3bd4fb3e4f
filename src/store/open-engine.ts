import type { Engine } from './engine.ts';
import type { StoreLocation } from './location.ts';

export interface EngineOptions {
  /** Called when an idle PostgreSQL connection breaks; the pool opens a new one. */
  readonly onIdleError: (error: Error) => void;
  /** PostgreSQL statement timeout for requests. */
  readonly maxReadMs: number;
  /** Nobody waits for the answers, so a busy PostgreSQL server gets more time. */
  readonly isBackground: boolean;
}

export interface Engines {
  readonly engine: Engine;
  /** H14: the same database for requests, with limited query times. Errors: timeout. */
  readonly reader: Engine;
}

/** Each engine is loaded only when used: SQLite users must not pay for the PostgreSQL driver. */
export async function openEngines(
  location: StoreLocation,
  { onIdleError, maxReadMs, isBackground }: EngineOptions,
): Promise<Engines> {
  switch (location.engine) {
    case 'sqlite': {
      const { openSqlite } = await import('./sqlite/open.ts');
      const engine = openSqlite(location.path);
      return { engine, reader: engine };
    }
    case 'postgres': {
      const { openPostgres } = await import('./postgres/open.ts');
      return {
        engine: openPostgres(location.url, { onIdleError, isBackground }),
        reader: openPostgres(location.url, { onIdleError, isBackground, maxStatementMs: maxReadMs }),
      };
    }
    default:
      return location satisfies never;
  }
}

/** It reads every row once. */
const TEXT_CACHE_KIB = 4 * 1024;

/** For the thread that writes the full text, while the import has the same database open. */
export async function openForTexts(location: StoreLocation): Promise<Engine> {
  switch (location.engine) {
    case 'sqlite':
      return (await import('./sqlite/open.ts')).openSqlite(location.path, TEXT_CACHE_KIB);
    case 'postgres':
      // A query on a broken connection reports it.
      return (await import('./postgres/open.ts')).openPostgres(location.url, {
        onIdleError: () => {},
        isBackground: true,
      });
    default:
      return location satisfies never;
  }
}
