import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { FuelError } from '../../domain/errors.ts';
import type { TableName } from '../engine.ts';
import { replacing } from '../sql.ts';
import { explainSqlite } from './errors.ts';

interface SalvageOptions {
  readonly from: string;
  readonly to: string;
  readonly tables: readonly TableName[];
  /** Whose row stays when both have one. */
  readonly wins: 'old' | 'new';
  /** Only rows of these sessions. */
  readonly sessionIds?: readonly string[];
}

export interface Salvaged {
  readonly rows: number;
  /** Descriptions of what could not be copied. */
  readonly problems: readonly string[];
}

/** Rows that are derived again anyway and would seem newer than they are. */
const LEFT_OUT: Partial<Record<TableName, (row: Row) => boolean>> = {
  session_summaries: ({ kind }) => kind === 'narrative',
};

/** Versions restart in the new database. */
const RESET: Partial<Record<TableName, Row>> = { session_summaries: { rows_version: 0 } };

/** Copies every readable row of some tables from a possibly damaged database to another one. */
export function salvageTables(options: SalvageOptions): Salvaged {
  const problems: string[] = [];
  const old = openOld(options.from, problems);
  if (old === null) return { rows: 0, problems };
  const fresh = new DatabaseSync(options.to, { enableForeignKeyConstraints: false });
  try {
    fresh.exec('PRAGMA busy_timeout = 15000');
    fresh.exec('BEGIN IMMEDIATE');
    let rows = 0;
    for (const table of options.tables) rows += copyTable(old, fresh, table, options, problems);
    problems.push(...dropOrphans(fresh, options.tables));
    fresh.exec('COMMIT');
    return { rows, problems };
  } catch (error) {
    throw explainSqlite(error, options.to);
  } finally {
    fresh.close();
    old.close();
  }
}

function openOld(path: string, problems: string[]): DatabaseSync | null {
  try {
    const old = new DatabaseSync(path, { readOnly: true });
    old.prepare('SELECT count(*) FROM sqlite_master').get();
    return old;
  } catch (error) {
    problems.push(`it could not be read: ${messageOf(error)}`);
    return null;
  }
}

function copyTable(
  old: DatabaseSync,
  fresh: DatabaseSync,
  table: TableName,
  { wins, sessionIds }: SalvageOptions,
  problems: string[],
): number {
  const before = columnsOf(old, table);
  // An older fuel-code may not have had it.
  if (before === 'unreadable') problems.push(`table ${table} could not be read at all`);
  if (before === 'unreadable' || before.length === 0) return 0;
  const shared = columnsOf(fresh, table);
  if (shared === 'unreadable') return 0;
  const columns = shared.filter(({ name }) => before.some((one) => one.name === name));
  const insert = fresh.prepare(insertSql(table, columns, wins));
  const wanted = sessionIds === undefined ? null : new Set<unknown>(sessionIds);
  let [copied, lost] = [0, 0];
  const gaps = readRows(old, table, (row) => {
    if (LEFT_OUT[table]?.(row) || (wanted !== null && !wanted.has(row.session_id))) return;
    const values = { ...row, ...RESET[table] };
    const isCopied = columns.every((column) => fits(column, values[column.name])) && tryInsert(insert, columns, values);
    if (isCopied) copied++;
    else lost++;
  });
  if (gaps > 0) problems.push(`table ${table} has ${gaps} places that could not be read`);
  if (lost > 0) problems.push(`${lost} rows of table ${table} were damaged`);
  return copied;
}

function insertSql(table: string, columns: readonly Column[], wins: SalvageOptions['wins']): string {
  const names = columns.map(({ name }) => name);
  const conflict = wins === 'old' ? `DO UPDATE SET ${replacing(names)}` : 'DO NOTHING';
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ON CONFLICT ${conflict}`;
}

function tryInsert(insert: ReturnType<DatabaseSync['prepare']>, columns: readonly Column[], row: Row): boolean {
  try {
    insert.run(...columns.map(({ name }) => (row[name] ?? null) as SQLInputValue));
    return true;
  } catch (error) {
    const explained = explainSqlite(error, '');
    // A full disk is not the row's fault.
    if (explained instanceof FuelError) throw error;
    return false;
  }
}

/** A damaged page may contain values that our code never wrote. */
function fits({ type, isNullable }: Column, value: unknown): boolean {
  if (value === null || value === undefined) return isNullable;
  if (type === 'JSON_TEXT') return typeof value === 'string' && isJson(value);
  if (type === 'TIME_TEXT') return typeof value === 'string' && Number.isFinite(Date.parse(value));
  if (type === 'TEXT') return typeof value === 'string';
  return type === 'BIGINT' || type === 'BOOLEAN' ? Number.isInteger(value) : true;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Prevents other processes from writing to a database until released. Null when it is too damaged to lock; then no other
 * process can write to it either. Errors: busy.
 */
export function lockDatabase(path: string): { release(): void } | null {
  try {
    const database = new DatabaseSync(path);
    try {
      database.exec('PRAGMA busy_timeout = 15000');
      database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      database.close();
      throw error;
    }
    return { release: () => database.close() };
  } catch (error) {
    const explained = explainSqlite(error, path);
    if (explained instanceof FuelError && explained.code === 'busy') throw explained;
    return null;
  }
}

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
function dropOrphans(database: DatabaseSync, tables: readonly string[]): readonly string[] {
  const lost = new Map<string, number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const orphans = tables.flatMap((table) => database.prepare(`PRAGMA foreign_key_check(${table})`).all());
    if (orphans.length === 0) break;
    for (const { table, rowid, fkid } of orphans) {
      if (clearReference(database, String(table), Number(rowid), Number(fkid))) continue;
      database.prepare(`DELETE FROM ${String(table)} WHERE rowid = ?`).run(Number(rowid));
      lost.set(String(table), (lost.get(String(table)) ?? 0) + 1);
    }
  }
  return [...lost].map(([table, count]) => `${count} rows of table ${table} refer to lost data`);
}

function clearReference(database: DatabaseSync, table: string, rowid: number, fkid: number): boolean {
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

export type Row = Readonly<Record<string, unknown>>;

/** Larger row ids are not exact in JavaScript. */
const MAX_ROWID = Number.MAX_SAFE_INTEGER;

/**
 * Reads every readable row of a table and returns the number of failures. Reads from both ends: rows behind a damaged
 * page are reached by growing strides or from the other side.
 */
function readRows(database: DatabaseSync, table: string, take: (row: Row) => void): number {
  const seen = new Set<number>();
  const takeOnce = ({ salvage_rowid, ...row }: Row) => {
    if (seen.has(Number(salvage_rowid))) return;
    seen.add(Number(salvage_rowid));
    take(row);
  };
  const gaps = readOneWay(database, table, 'up', takeOnce);
  return gaps === 0 ? 0 : Math.max(gaps, readOneWay(database, table, 'down', takeOnce));
}

function readOneWay(database: DatabaseSync, table: string, way: 'up' | 'down', take: (row: Row) => void): number {
  const [condition, order, step] = way === 'up' ? ['>', 'ASC', 1] : ['<', 'DESC', -1];
  const sql = `SELECT rowid AS salvage_rowid, * FROM ${table} WHERE rowid ${condition} ? ORDER BY rowid ${order}`;
  let gaps = 0;
  let at = way === 'up' ? -1 : MAX_ROWID;
  for (let stride = 1; at >= -1 && at <= MAX_ROWID; stride *= 2) {
    try {
      for (const row of database.prepare(sql).iterate(at)) {
        take(row);
        at = Number(row.salvage_rowid);
        stride = 1;
      }
      return gaps;
    } catch {
      if (stride === 1) gaps++;
      at += step * stride;
    }
  }
  return gaps;
}
