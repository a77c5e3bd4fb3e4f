import { sql } from 'kysely';
import type { Engine, SqlValue, TableName, Tx } from '../engine.ts';

/**
 * Rows per statement. Each column is one array parameter, so the bind limit (65,535) is irrelevant; this bounds memory.
 */
const ROWS_PER_STATEMENT = 2_000;
/** Large texts make large statements: ends a batch early so that a message stays far below the 1 GB limit. */
const CHARS_PER_STATEMENT = 16 * 1024 * 1024;

type TypesByColumn = ReadonlyMap<string, string>;

/** Creates a bulk insert for one database; caches the column types of its tables. */
export function createBulkInsert(): Engine['insertMany'] {
  const known = new Map<string, TypesByColumn>();
  return async (tx, table, columns, rows, onConflict = '') => {
    if (rows.length === 0) return;
    const types = known.get(table) ?? (await columnTypes(tx, table));
    known.set(table, types);
    await insertMany(tx, { table, columns, types, onConflict }, rows);
  };
}

interface Target {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly types: TypesByColumn;
  readonly onConflict: string;
}

/** Runs one INSERT … SELECT FROM unnest(…) per batch. */
async function insertMany(
  tx: Tx,
  { table, columns, types, onConflict }: Target,
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  for (const batch of batches(rows)) {
    const arrays = columns.map((column, at) => {
      const values = batch.map((row) => toText(row[at] ?? null));
      return sql`${values}::text[]::${sql.raw(arrayType(types, table, column))}`;
    });
    const names = sql.join(columns.map((column) => sql.ref(column)));
    await sql`INSERT INTO ${sql.table(table)} (${names}) SELECT * FROM unnest(${sql.join(arrays)})
      ${sql.raw(onConflict)}`.execute(tx);
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
