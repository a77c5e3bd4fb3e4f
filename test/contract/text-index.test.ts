import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore, type Store } from '../../src/store/store.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';
import { seedSession } from '../support/seed-session.ts';
import { STORES, type TestStore } from '../support/stores.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { hasWordIndex } from '../support/word-index.ts';

const never = new AbortController().signal;

async function openPostgres(): Promise<TestStore> {
  const { open } = STORES.find(({ name }) => name === 'PostgreSQL') as (typeof STORES)[number];
  return open();
}

async function writeBlock({ engine }: Store): Promise<void> {
  const columns = ['session_id', 'revision', 'message_id', 'block_order', 'id', 'block_type', 'content_text'];
  await engine.insertMany(engine.kysely, 'content_blocks', columns, [['s', 1, 'm', 0, 'b', 'text', 'hello']]);
}

describe('the text index on PostgreSQL', () => {
  it('is dropped while there are no texts, and built again when it is missing', async () => {
    await using store = await openPostgres();
    const { engine } = store;
    await engine.postponeTextIndexes();
    expect([await engine.hasTextIndex(), await hasWordIndex(engine)]).toEqual([false, false]);
    await Promise.all([engine.buildTextIndex(never), engine.buildTextIndex(never)]);
    expect([await engine.hasTextIndex(), await hasWordIndex(engine)]).toEqual([true, false]);
    await engine.buildWordIndex(AbortSignal.abort());
    expect(await hasWordIndex(engine)).toBe(false);
    await Promise.all([engine.buildWordIndex(never), engine.buildWordIndex(never)]);
    expect(await hasWordIndex(engine)).toBe(true);
    await seedSession(store, 's');
    await writeBlock(store);
    await engine.postponeTextIndexes();
    expect(await engine.hasTextIndex()).toBe(true);
  });

  it('compresses long texts with lz4 where the server can', async () => {
    await using store = await openPostgres();
    const { rows } = await sql<{ column: string; compression: string; can: boolean }>`
      SELECT attname AS column, attcompression AS compression,
        (SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression') AS can
      FROM pg_attribute WHERE (attrelid, attname) IN
        (('content_blocks'::regclass, 'result_text'), ('search_index'::regclass, 'words'))
      ORDER BY 1`.execute(store.engine.kysely);
    expect(rows.map(({ compression, can }) => [compression, can])).toEqual(
      rows.map(({ can }) => [can ? 'l' : '', can]),
    );
    expect(rows).toHaveLength(2);
  });

  it('F16: is not built by a process that is asked to stop, even while it waits for the table', async () => {
    await using store = await openPostgres();
    const { engine } = store;
    await engine.postponeTextIndexes();
    await engine.buildTextIndex(AbortSignal.abort());
    expect(await engine.hasTextIndex()).toBe(false);
    const stop = new AbortController();
    await engine.transaction(async (tx) => {
      await sql`LOCK TABLE content_blocks IN ROW EXCLUSIVE MODE`.execute(tx);
      const build = engine.buildTextIndex(stop.signal);
      await until(async () => expect(await waitingForTable(store)).toBe(1));
      stop.abort();
      await build;
    });
    expect(await engine.hasTextIndex()).toBe(false);
    await engine.buildTextIndex(never);
    expect(await engine.hasTextIndex()).toBe(true);
  });

  it('is kept when a table in use cannot be locked', async () => {
    await using store = await openPostgres();
    const { engine } = store;
    await engine.transaction(async (tx) => {
      await sql`SELECT FROM content_blocks`.execute(tx);
      await engine.postponeTextIndexes();
    });
    expect(await engine.hasTextIndex()).toBe(true);
  });
});

async function waitingForTable({ engine }: TestStore): Promise<number> {
  const { rows } = await sql`SELECT FROM pg_locks
    WHERE relation = 'content_blocks'::regclass AND NOT granted`.execute(engine.kysely);
  return rows.length;
}

describe.each(PROGRAMS)('an import on $name', ({ create }) => {
  it('F1: builds the text index that an earlier one dropped before it crashed', async () => {
    using home = createClaudeHome();
    writeSession(home);
    await using program = await create(home.path);
    expect(await importOnce(program, { rowsOnly: true })).toMatchObject({ hasIndex: false, hasWords: false });
    const { hasIndex, hasWords, isExpected } = await importOnce(program, { rowsOnly: false });
    expect([hasIndex, hasWords]).toEqual([isExpected, isExpected]);
  });
});

function writeSession(home: ReturnType<typeof createClaudeHome>): void {
  const id = '00000001-2222-4333-8444-555555555555';
  home.write(`-home-ada-shop/${id}.jsonl`, [createTalk(id).user('Hello')]);
}

/** Whether the text index exists afterwards, and whether the engine can have one. */
async function importOnce(program: Program, options: { readonly rowsOnly: boolean }) {
  await using app = await program.open();
  await app.importNew(options);
  const { engine } = app.store;
  const isExpected = engine.supportsTextIndex;
  const hasWords = isExpected && (await hasWordIndex(engine));
  return { hasIndex: await engine.hasTextIndex(), hasWords, isExpected };
}

describe('the statistics of PostgreSQL', () => {
  const analyzed = async ({ engine }: Store): Promise<readonly string[]> => {
    const { rows } = await sql<{ name: string }>`SELECT relname AS name FROM pg_stat_user_tables
      WHERE last_analyze IS NOT NULL AND relname IN ('content_blocks', 'turns')`.execute(engine.kysely);
    return rows.map(({ name }) => name);
  };

  it('are updated for tables that have grown much, and for no others', async () => {
    // A database of its own: the server also counts the rows that earlier tests wrote and deleted.
    const database = await createTestDatabase();
    onTestFinished(database.drop);
    await using store = await openStore({ databaseUrl: database.url, sqlitePath: '', onIdleError: rethrow });
    const { engine } = store;
    await seedSession(store, 's');
    await writeBlock(store);
    await engine.refreshStatistics();
    expect(await analyzed(store)).toEqual([]);
    const columns = ['session_id', 'revision', 'message_id', 'block_order', 'id', 'block_type', 'content_text'];
    const rows = Array.from({ length: 2_000 }, (_, n) => ['s', 1, `m${n}`, 1, `b${n}`, 'text', 'hello'] as const);
    await engine.insertMany(engine.kysely, 'content_blocks', columns, rows);
    // The server counts rows a moment after they are written.
    await until(async () => {
      await engine.refreshStatistics();
      expect(await analyzed(store)).toEqual(['content_blocks']);
    });
  });
});

function rethrow(error: Error): never {
  throw error;
}
