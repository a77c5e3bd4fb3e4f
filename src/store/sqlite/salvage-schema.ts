import type { DatabaseSync } from 'node:sqlite';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
}

/** The writable columns of a table; none when it does not exist. */
export function columnsOf(database: DatabaseSync, table: string): readonly Column[] | 'unreadable' {
  try {
    return database
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map(({ name, type, notnull }) => ({ name: String(name), type: String(type), isNullable: notnull === 0 }));
  } catch {
    return 'unreadable';
  }
}

const MAX_ROUNDS = 10;

/** Rows that refer to a lost row: clears the reference where it is nullable, else drops the row. */
export function dropOrphans(database: DatabaseSync, tables: readonly string[]): readonly string[] {
  const lost = new Map<string, number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const orphans = tables.flatMap((table) => database.prepare(`PRAGMA foreign_key_check(${table})`).all());
    if (orphans.length === 0) break;
    for (const { table, rowid, fkid } of orphans) {
      if (letGo(database, String(table), Number(rowid), Number(fkid))) continue;
      database.prepare(`DELETE FROM ${String(table)} WHERE rowid = ?`).run(Number(rowid));
      lost.set(String(table), (lost.get(String(table)) ?? 0) + 1);
    }
  }
  return [...lost].map(([table, count]) => `${count} rows of table ${table} refer to lost data`);
}

function letGo(database: DatabaseSync, table: string, rowid: number, fkid: number): boolean {
  const columns = columnsOf(database, table);
  const keys = database
    .prepare(`PRAGMA foreign_key_list(${table})`)
    .all()
    .filter(({ id }) => id === fkid)
    .map(({ from }) => String(from));
  const mayBeEmpty = (name: string) =>
    columns !== 'unreadable' && columns.some((column) => column.name === name && column.isNullable);
  if (!keys.every(mayBeEmpty)) return false;
  const sets = keys.map((key) => `${key} = NULL`).join(', ');
  database.prepare(`UPDATE ${table} SET ${sets} WHERE rowid = ?`).run(rowid);
  return true;
}
