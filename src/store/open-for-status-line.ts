import { existsSync } from 'node:fs';
import type { StoreLocation } from './location.ts';
import type { RunQuery } from './queries/usage/status-figures.ts';

interface OpenedForStatusLine {
  readonly runQuery: RunQuery;
  close(): void | Promise<void>;
}

/**
 * Opens the database for the status line: without migrating it, and without the query builder where the engine can do
 * so. Null if there is no database yet. Errors: those of the driver.
 */
export async function openForStatusLine(location: StoreLocation): Promise<OpenedForStatusLine | null> {
  switch (location.engine) {
    case 'sqlite':
      return existsSync(location.path)
        ? (await import('./sqlite/status-line.ts')).openSqliteForStatusLine(location.path)
        : null;
    case 'postgres':
      return (await import('./postgres/status-line.ts')).openPostgresForStatusLine(location.url);
    default:
      return location satisfies never;
  }
}
