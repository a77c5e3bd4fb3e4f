import { sql } from 'kysely';
import type { Engine, SqlValue, TableName, Tx } from '../engine.ts';

/** Rows a statement: one array parameter a column, so the bind limit (65,535) is never near; bounds memory only. */
const ROWS_PER_STATEMENT = 2_000;
/** Large texts make large statements: stop a batch early so that one message stays far below the 1 GB limit. */
const CHARS_PER_STATEMENT = 16 * 1024 * 1024;

type TypesByColumn = ReadonlyMap<string, string>;

/** Bulk insert for one database; it remembers the column types of the tables it has met. */
export function createBulkInsert(): Engine['insertMany'] {
  const known = new Map<string, TypesByColumn>();
  return async (tx, table, columns, rows) => {
    if (rows.length === 0) return;
    const types = known.get(table) ?? (await columnTypes(tx, table));
    known.set(table, types);
    await insertMany(tx, table, columns, rows, types);
  };
}

/** One INSERT … SELECT FROM unnest(…) a batch. */
async function insertMany(
  tx: Tx,
  table: TableName,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
  types: TypesByColumn,
): Promise<void> {
  for (const batch of batches(rows)) {
    const arrays = columns.map((column, at) => {
      const values = batch.map((row) => toText(row[at] ?? null));
      return sql`${values}::text[]::${sql.raw(arrayType(types, table, column))}`;
    });
    const names = sql.join(columns.map((column) => sql.ref(column)));
    await sql`INSERT INTO ${sql.table(table)} (${names}) SELECT * FROM unnest(${sql.join(arrays)})`.execute(tx);
  }
}

function toText(value: SqlValue): string | null {
  return value === null ? null : String(value);
}

function* batches(rows: readonly (readonly SqlValue[])[]): Generator<(readonly SqlValue[])[]> {
  let batch: (readonly SqlValue[])[] = [];
  let chars = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of row) chars += typeof value === 'string' ? value.length : 0;
    if (batch.length < ROWS_PER_STATEMENT && chars < CHARS_PER_STATEMENT) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

async function columnTypes(tx: Tx, table: TableName): Promise<TypesByColumn> {
  const { rows } = await sql<{ name: string; type: string }>`
    SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped`.execute(tx);
  return new Map(rows.map(({ name, type }) => [name, type]));
}

function arrayType(types: TypesByColumn, table: string, column: string): string {
  const type = types.get(column);
  if (type === undefined) throw new Error(`table ${table} has no column ${column}`);
  return `${type}[]`;
}
