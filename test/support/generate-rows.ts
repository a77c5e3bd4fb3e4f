import { sql } from 'kysely';
import type { Engine } from '../../src/store/engine.ts';

/** Generates the TypeScript of src/store/rows.ts from a migrated database of either engine. */
export async function generateRows(engine: Engine): Promise<string> {
  const columns = await listColumns(engine);
  const tables = Map.groupBy(columns, ({ table }) => table);
  const names = [...tables.keys()].toSorted();
  const database = names.map((name) => `  ${name}: {\n${body(tables.get(name) ?? [])}  };\n`).join('');
  return `${HEADER}export interface Database {\n${database}}\n`;
}

/** Every column of our tables, except those of the full-text index. */
export function listColumns(engine: Engine): Promise<readonly Column[]> {
  return engine.name === 'sqlite' ? sqliteColumns(engine) : postgresColumns(engine);
}

const HEADER = `import type { Generated, GeneratedAlways } from 'kysely';

// Generated from the migrated database by test/contract/rows.test.ts; do not edit.

/** SQLite gives 0 or 1 where PostgreSQL gives false or true. */
type SqlBoolean = boolean | number;
/** JSON as text, on both engines; read it with \`readJson\`. */
type JsonText = string;

`;

export interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
  readonly isComputed: boolean;
}

const OTHER_TABLES = /^(search_index|search_file|schema_migrations|sqlite_)/;

const TYPES: Readonly<Record<string, string>> = {
  TEXT: 'string',
  JSON_TEXT: 'JsonText',
  TIME_TEXT: 'string',
  BOOLEAN: 'SqlBoolean',
  BIGINT: 'number',
  INTEGER: 'number',
  REAL: 'number',
  text: 'string',
  jsonb: 'JsonText',
  'timestamp with time zone': 'string',
  boolean: 'SqlBoolean',
  bigint: 'number',
  numeric: 'number',
};

function body(columns: readonly Column[]): string {
  return columns
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((column) => {
      const plain = TYPES[column.type];
      if (plain === undefined) throw new Error(`no TypeScript type for ${column.table}.${column.name} ${column.type}`);
      const value = column.isNullable ? `${plain} | null` : plain;
      if (column.isComputed) return `    ${column.name}: GeneratedAlways<${value}>;\n`;
      return `    ${column.name}: ${column.hasDefault ? `Generated<${value}>` : value};\n`;
    })
    .join('');
}

async function sqliteColumns(engine: Engine): Promise<Column[]> {
  const { rows } = await sql<{
    table: string;
    name: string;
    type: string;
    notnull: number;
    dflt_value: string | null;
    pk: number;
    hidden: number;
  }>`SELECT m.name AS "table", c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
     FROM (SELECT 'main' AS db, name, type FROM main.sqlite_master
       UNION SELECT 'search', name, type FROM search.sqlite_master) m, pragma_table_xinfo(m.name, m.db) c
     WHERE m.type = 'table'`.execute(engine.kysely);
  return rows
    .filter(({ table }) => !OTHER_TABLES.test(table))
    .map((row) => ({
      table: row.table,
      name: row.name,
      type: row.type.replace(/ GENERATED ALWAYS.*/, ''),
      isNullable: row.notnull === 0 && row.pk === 0,
      hasDefault: row.dflt_value !== null || (row.pk === 1 && row.type === 'INTEGER'),
      isComputed: row.hidden > 1,
    }));
}

async function postgresColumns(engine: Engine): Promise<Column[]> {
  const { rows } = await sql<{
    table: string;
    name: string;
    type: string;
    nullable: string;
    default: string | null;
    generated: string;
    identity: string;
  }>`SELECT table_name AS "table", column_name AS name, data_type AS type, is_nullable AS nullable,
       column_default AS "default", is_generated AS generated, is_identity AS identity
     FROM information_schema.columns WHERE table_schema = current_schema()`.execute(engine.kysely);
  return rows
    .filter(({ table }) => !OTHER_TABLES.test(table))
    .map((row) => ({
      table: row.table,
      name: row.name,
      type: row.type,
      isNullable: row.nullable === 'YES',
      hasDefault: row.default !== null || row.identity === 'YES',
      isComputed: row.generated === 'ALWAYS',
    }));
}
