import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/store/engine.ts';
import { migrate } from '../../src/store/migrate.ts';
import { MIGRATIONS } from '../../src/store/migrations/all.ts';
import { publishStep } from '../../src/store/migrations/release-0.2.ts';
import { childEnv, crowd } from '../support/processes.ts';
import { seedSession } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';
import { createTestDatabase } from '../support/test-database.ts';

const STARTERS = crowd(4);
const OPENER = new URL('../support/open-store-once.ts', import.meta.url).pathname;

async function versions(engine: Engine): Promise<number[]> {
  const { rows } = await sql<{ version: number }>`SELECT version FROM schema_migrations ORDER BY version`.execute(
    engine.kysely,
  );
  return rows.map(({ version }) => version);
}

describe.each(STORES)('migrations on $name', ({ open }) => {
  it('F12: a failed migration leaves the schema unchanged, and the next start completes it', async () => {
    await using store = await open();
    const broken = {
      version: 1_000,
      name: 'broken',
      statements: () => ['CREATE TABLE half (id INTEGER)', 'CREATE TABEL oops'],
    };
    await expect(migrate(store.engine, [...MIGRATIONS, broken])).rejects.toThrow(/TABEL|syntax/);
    expect(await store.engine.hasTable('half')).toBe(false);
    const mended = { ...broken, statements: () => ['CREATE TABLE half (id INTEGER)'] };
    await migrate(store.engine, [...MIGRATIONS, mended]);
    expect(await store.engine.hasTable('half')).toBe(true);
  });

  it('F12: a database that is not writable is not migrated; the error names both versions', async () => {
    await using store = await open();
    const before = await versions(store.engine);
    const later = { version: 1_000, name: 'later', statements: () => ['CREATE TABLE later (id INTEGER)'] };
    await expect(migrate({ ...store.engine, isReadOnly: true }, [...MIGRATIONS, later])).rejects.toMatchObject({
      code: 'file_unavailable',
      message: expect.stringMatching(/has schema version \d+ and must be upgraded to 1000/) as string,
    });
    expect(await versions(store.engine)).toEqual(before);
  });

  it('F13: rejects a newer schema with a message and changes nothing', async () => {
    await using store = await open();
    const before = await versions(store.engine);
    await sql`INSERT INTO schema_migrations (version, name, applied_at) VALUES (9999, 'future', '2099-01-01')`.execute(
      store.engine.kysely,
    );
    await expect(migrate(store.engine)).rejects.toMatchObject({
      code: 'schema_too_new',
      message: expect.stringContaining('9999'),
    });
    expect(await versions(store.engine)).toEqual([...before, 9999]);
  });

  it('leaves a database with tables of another program unchanged', async () => {
    await using store = await open();
    if (store.engine.name !== 'postgres') return;
    await sql`DROP SCHEMA public CASCADE`.execute(store.engine.kysely);
    await sql`CREATE SCHEMA public`.execute(store.engine.kysely);
    await sql`CREATE TABLE orders (id INTEGER)`.execute(store.engine.kysely);
    await expect(migrate(store.engine)).rejects.toMatchObject({
      code: 'bad_config',
      message: 'The database contains tables of another program: orders.',
    });
    expect(await store.engine.hasTable('schema_migrations')).toBe(false);
    await sql`DROP TABLE orders`.execute(store.engine.kysely);
    await migrate(store.engine);
    expect(await versions(store.engine)).toEqual(MIGRATIONS.map(({ version }) => version));
  });

  // PostgreSQL cannot use an index to compare columns with different collations.
  it('all columns with session ids have the same collation', async () => {
    await using store = await open();
    if (store.engine.name !== 'postgres') return;
    const { rows } = await sql<{ column: string }>`
      SELECT table_name || '.' || column_name AS "column" FROM information_schema.columns
      WHERE table_schema = current_schema() AND column_name = 'session_id' AND collation_name IS DISTINCT FROM (
        SELECT collation_name FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = 'sessions' AND column_name = 'id'
      )`.execute(store.engine.kysely);
    expect(rows).toEqual([]);
  });

  it('a migration may alter the table whose rows the one before it changed', async () => {
    await using store = await open();
    await seedSession(store, 's-1');
    const fill = { version: 1_000, name: 'fill', statements: () => ["UPDATE sessions SET title = 'new'"] };
    const alter = { version: 1_001, name: 'alter', statements: () => ['ALTER TABLE sessions DROP COLUMN agent_name'] };
    await migrate(store.engine, [...MIGRATIONS, fill, alter]);
    expect((await versions(store.engine)).slice(-2)).toEqual([1_000, 1_001]);
  });

  it('are numbered without gaps', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
  });

  it('025: renames the step that makes rows current', async () => {
    await using store = await open();
    await seedSession(store, 's-1');
    const { kysely } = store.engine;
    const about = { outcome: 'done', attempts: 1, next_try_at_ms: 0, duration_ms: 1, revision: 1 } as const;
    const step = { session_id: 's-1', step: 'price', finished_at: '2026-11-01T00:00:00.000Z', ...about };
    await kysely
      .insertInto('session_steps')
      .values([step, { ...step, step: 'parse' }])
      .execute();
    await store.engine.transaction(async (tx) => {
      for (const statement of publishStep.statements(store.engine.columnTypes)) await sql.raw(statement).execute(tx);
    });
    const rows = await kysely.selectFrom('session_steps').select('step').orderBy('step').execute();
    expect(rows.map((row) => row.step)).toEqual(['parse', 'publish']);
  });

  it('do nothing the second time', async () => {
    await using store = await open();
    const before = await versions(store.engine);
    await migrate(store.engine);
    expect(await versions(store.engine)).toEqual(before);
  });
});

describe('F12: several processes that start at once', () => {
  const start = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [OPENER], { env: childEnv(env) });

  it('migrate one SQLite database once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fuel-code-starters-'));
    try {
      const env = { SQLITE_PATH: join(folder, 'fuel.db') };
      const outputs = await Promise.all(Array.from({ length: STARTERS }, () => start(env)));
      for (const { stdout } of outputs) expect(stdout.trim()).toBe(String(MIGRATIONS.length));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('migrate one PostgreSQL database once', async () => {
    const database = await createTestDatabase();
    try {
      const env = { DATABASE_URL: database.url };
      const outputs = await Promise.all(Array.from({ length: STARTERS }, () => start(env)));
      for (const { stdout } of outputs) expect(stdout.trim()).toBe(String(MIGRATIONS.length));
    } finally {
      await database.drop();
    }
  });
});
