import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Config, databasePath } from '../../src/config.ts';
import { MINUTE_MS } from '../../src/domain/durations.ts';
import type { Engine, SqlValue, TableName } from '../../src/store/engine.ts';
import { locateStore } from '../../src/store/location.ts';
import { migrate } from '../../src/store/migrate.ts';
import { MIGRATIONS } from '../../src/store/migrations/all.ts';
import { openEngines } from '../../src/store/open-engine.ts';
import { listColumns } from './generate-rows.ts';

/** The last migration of fuel-code 0.1. */
const FIRST_RELEASE = 14;
/** Created by the migrations themselves, or part of the full-text index, which an upgrade rebuilds. */
const NOT_COPIED = new Set(['change_clock', 'session_changes', 'search_documents']);
/** Tables that others refer to, in the order in which they must be filled. */
const REFERRED_TO = ['devices', 'workspaces', 'sessions', 'blobs', 'source_files', 'generations', 'shares'];

type Row = Readonly<Record<string, SqlValue>>;

/**
 * Replaces a database with one that fuel-code 0.1 could have created: its schema, and every row that fits into it.
 * `change` then adds data that only that version wrote.
 */
export async function returnToFirstRelease(config: Config, change: (engine: Engine) => Promise<void>): Promise<void> {
  const rows = await using(config, readTables);
  await using(config, emptyPostgres);
  if (config.databaseUrl === null) {
    for (const end of ['', '-wal', '-shm']) rmSync(join(config.home, `fuel.db${end}`), { force: true });
  }
  await using(config, async (engine) => {
    await migrate(
      engine,
      MIGRATIONS.filter(({ version }) => version <= FIRST_RELEASE),
    );
    await fillTables(engine, rows);
    await change(engine);
  });
}

async function using<T>({ databaseUrl, home }: Config, work: (engine: Engine) => Promise<T>): Promise<T> {
  const onIdleError = (error: Error) => {
    throw error;
  };
  const location = locateStore({ databaseUrl, sqlitePath: databasePath(home) });
  const { engine, reader } = await openEngines(location, { onIdleError, isBackground: false, maxReadMs: MINUTE_MS });
  try {
    return await work(engine);
  } finally {
    for (const each of new Set([engine, reader])) await each.close();
  }
}

async function readTables(engine: Engine): Promise<ReadonlyMap<string, readonly Row[]>> {
  const tables = new Map<string, readonly Row[]>();
  for (const table of new Set((await listColumns(engine)).map((column) => column.table))) {
    const { rows } = await sql<Row>`SELECT * FROM ${sql.table(table)}`.execute(engine.kysely);
    tables.set(table, rows);
  }
  return tables;
}

async function emptyPostgres(engine: Engine): Promise<void> {
  if (engine.name === 'sqlite') return;
  for (const statement of ['DROP SCHEMA public CASCADE', 'CREATE SCHEMA public']) {
    await sql.raw(statement).execute(engine.kysely);
  }
}

async function fillTables(engine: Engine, rows: ReadonlyMap<string, readonly Row[]>): Promise<void> {
  const columns = Map.groupBy(
    (await listColumns(engine)).filter(({ isComputed }) => !isComputed),
    ({ table }) => table,
  );
  const others = [...columns.keys()].filter((table) => !REFERRED_TO.includes(table) && !NOT_COPIED.has(table));
  for (const table of [...REFERRED_TO, ...others]) {
    const [first] = rows.get(table) ?? [];
    if (first === undefined) continue;
    const names = (columns.get(table) ?? []).map(({ name }) => name).filter((name) => Object.hasOwn(first, name));
    const values = (rows.get(table) ?? []).map((row) => names.map((name) => row[name] ?? null));
    await engine.transaction((tx) => engine.insertMany(tx, table as TableName, names, values));
  }
}
