import { type Kysely, sql, type Transaction } from 'kysely';
import { FuelError } from '../domain/errors.ts';
import type { Engine } from './engine.ts';
import { MIGRATIONS } from './migrations/all.ts';
import type { Database } from './rows.ts';

/** Column types that the engines spell differently. */
export interface ColumnTypes {
  /** Text with byte order, the same everywhere. */
  readonly key: string;
  readonly json: string;
  readonly time: string;
  readonly bool: string;
  readonly int: string;
  /** A row number assigned by the database. */
  readonly id: string;
  /** Statements that make every column of this name a `key`. */
  keyed(column: string): readonly string[];
  /** Statements that let the planner know how often each value of an expression occurs, where the engine can. */
  statistics(name: string, table: string, expression: string): readonly string[];
  /** A column in dollars computed from a column in nano-dollars. */
  dollars(nanosColumn: string): string;
}

export interface Migration {
  readonly version: number;
  readonly name: string;
  statements(types: ColumnTypes): readonly string[];
}

/**
 * Brings the schema up to date in one transaction that excludes other starting processes (F12). Refuses a database that
 * a newer fuel-code has migrated (F13) and changes nothing then.
 */
export async function migrate(engine: Engine, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const newest = migrations.at(-1)?.version ?? 0;
  const version = (await engine.hasTable('schema_migrations')) ? await readVersion(engine.kysely) : 0;
  if (version !== newest) await upgrade(engine, migrations, { version, newest });
  await engine.settleSearch();
}

async function upgrade(
  engine: Engine,
  migrations: readonly Migration[],
  { version, newest }: { readonly version: number; readonly newest: number },
): Promise<void> {
  refuseNewer(version, newest);
  if (engine.isReadOnly) throw cannotUpgrade(version, newest);
  await engine.exclusively(async (tx) => {
    refuseForeign(await engine.listTables(tx));
    await sql`CREATE TABLE IF NOT EXISTS schema_migrations (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)`.execute(tx);
    const current = await readVersion(tx);
    refuseNewer(current, newest);
    for (const migration of migrations.filter(({ version }) => version > current)) await apply(engine, tx, migration);
  });
}

async function apply(engine: Engine, tx: Transaction<Database>, migration: Migration): Promise<void> {
  const { version } = migration;
  const statements = [
    ...migration.statements(engine.columnTypes),
    ...engine.searchSchema(version),
    ...engine.changeSchema(version),
  ];
  for (const statement of statements) await sql.raw(statement).execute(tx);
  await sql`INSERT INTO schema_migrations (version, name, applied_at)
    VALUES (${migration.version}, ${migration.name}, ${new Date().toISOString()})`.execute(tx);
}

async function readVersion(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ version: number | null }>`SELECT max(version) AS version FROM schema_migrations`.execute(
    db,
  );
  return rows[0]?.version ?? 0;
}

function cannotUpgrade(version: number, newest: number): FuelError {
  return new FuelError(
    'file_unavailable',
    `This database has schema version ${version} and must be upgraded to ${newest}, but it is not writable.`,
    { hint: 'Make the data folder writable for the account that runs fuel-code, then run any command.' },
  );
}

const MAX_NAMED_TABLES = 3;

/** DATABASE_URL is often set for the project in the current folder, whose database must not get our tables. */
function refuseForeign(tables: readonly string[]): void {
  if (tables.length === 0 || tables.includes('schema_migrations')) return;
  const named = tables.slice(0, MAX_NAMED_TABLES).join(', ');
  const others = tables.length > MAX_NAMED_TABLES ? ' and others' : '';
  throw new FuelError('bad_config', `The database contains tables of another program: ${named}${others}.`, {
    hint: 'Set DATABASE_URL to a database of its own for fuel-code, or unset it to use the embedded database.',
  });
}

function refuseNewer(current: number, newest: number): void {
  if (current <= newest) return;
  throw new FuelError(
    'schema_too_new',
    `This database has schema version ${current}, but this version of fuel-code only supports versions up to ${newest}.`,
    { hint: 'Update fuel-code, or set FUEL_CODE_HOME to another data folder.' },
  );
}
