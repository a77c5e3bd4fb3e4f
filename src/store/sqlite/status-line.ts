import { DatabaseSync } from 'node:sqlite';
import type { RunQuery } from '../queries/usage/status-figures.ts';

/** The status line does not wait for a database that is locked for longer. */
const BUSY_TIMEOUT_MS = 100;

/** Opens the embedded database only for reading, without migrating it. Errors: those of SQLite. */
export function openSqliteForStatusLine(path: string): { readonly runQuery: RunQuery; close(): void } {
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.exec('PRAGMA cell_size_check = ON');
  return {
    runQuery: async (sql, parameters) => database.prepare(sql).all(...parameters),
    close: () => database.close(),
  };
}
