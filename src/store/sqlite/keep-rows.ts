import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { REVISION_TABLES } from '../queries/transcript/save-revision.ts';
import { columnsOf, type Salvaged, salvageTables } from './salvage.ts';

/** Columns for which the new database has better values than the old one. */
const OWN = new Set([
  'id',
  'workspace_id',
  'device_id',
  'lifecycle',
  'parse_status',
  'parse_error',
  'captured_version',
  'parsed_version',
  'attempts',
  'next_try_at_ms',
  'tried_parser_version',
  'deaths',
  'claim_holder',
  'claim_token',
  'claim_work',
  'claim_expires_at_ms',
  'indexed_version',
  'indexed_revision',
  'correlated_version',
  'tags',
  'created_at',
  'updated_at',
]);

/** Sessions whose bytes are lost keep their old rows, which are all that is left of them. */
export function keepOldRows(from: string, to: string, sessionIds: readonly string[]): Salvaged {
  change(to, (fresh) => {
    // Leftovers of a failed parse must not be mixed with the rows it was to replace.
    for (const table of TABLES) {
      const remove = fresh.prepare(`DELETE FROM ${table} WHERE session_id = ?`);
      for (const id of sessionIds) remove.run(id);
    }
  });
  const salvaged = salvageTables({ from, to, tables: TABLES, wins: 'new', sessionIds });
  const old = new DatabaseSync(from, { readOnly: true });
  try {
    change(to, (fresh) => {
      for (const id of sessionIds) keepFigures(old, fresh, id);
    });
    return salvaged;
  } finally {
    old.close();
  }
}

const TABLES = [...REVISION_TABLES, 'usage_rollups', 'session_folders', 'git_calls'] as const;

function change(path: string, write: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA busy_timeout = 15000');
    db.exec('BEGIN IMMEDIATE');
    write(db);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

function keepFigures(old: DatabaseSync, fresh: DatabaseSync, id: string): void {
  const columns = columnsOf(fresh, 'sessions');
  if (columns === 'unreadable') return;
  try {
    const row = old.prepare('SELECT * FROM sessions WHERE id = ?').get(id);
    const names = columns.map(({ name }) => name).filter((name) => !OWN.has(name) && row !== undefined && name in row);
    if (row === undefined || names.length === 0) return;
    const values = names.map((name) => row[name] as SQLInputValue);
    const sets = names.map((name) => `${name} = ?`).join(', ');
    fresh.prepare(`UPDATE sessions SET ${sets} WHERE id = ?`).run(...values, id);
  } catch {
    // A session with an unreadable or invalid row keeps nothing and is reported as failed.
  }
}
