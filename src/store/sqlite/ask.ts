import { DatabaseSync } from 'node:sqlite';
import type { Ask } from '../queries/usage/status-figures.ts';

/** The status line is waiting; a database that is locked for longer is not read. */
const BUSY_TIMEOUT_MS = 100;

/** Opens the embedded database only for reading, without migrating it. Errors: those of SQLite. */
export function openSqliteAsk(path: string): { readonly ask: Ask; close(): void } {
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.exec('PRAGMA cell_size_check = ON');
  return {
    ask: async (sql, parameters) => database.prepare(sql).all(...parameters),
    close: () => database.close(),
  };
}
