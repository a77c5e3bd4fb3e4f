import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { getFrom } from '../../src/app/hot-queries.ts';
import { createQueries, type QueryDeps } from '../../src/app/queries.ts';
import { toFuelError } from '../../src/domain/errors.ts';
import { indexSessionTexts } from '../../src/pipeline/index-session.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { createSearchIndex } from '../../src/store/queries/search/search.ts';
import { listSessions } from '../../src/store/queries/sessions/session-rows.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { createClaudeHome } from '../support/claude-home.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { runProgram } from '../support/run-program.ts';
import { NOW, seedSession } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';
import { createTestDatabase } from '../support/test-database.ts';

const onIdleError = () => {};

describe.each(STORES)('a long statement on $name', ({ open }) => {
  it('H14: does not block waiting requests', async () => {
    await using store = await open();
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    await sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000)
      SELECT count(*) FROM n`.execute(store.reader.kysely);
    expect(hadTurn).toBe(true);
  });
});

/** Takes longer than a millisecond to search on any machine, which is PostgreSQL's shortest timeout. */
const LONG_NOTES = Array.from({ length: 16 }, (_, at) => `${'hay '.repeat(100_000)} needle ${at}`);
const NO_TIME_MS = -1;
const ENOUGH_MS = 60_000;
const stillClock = { ...fixedClock, monotonicMs: () => 0 };

async function seedLongNotes(store: Store): Promise<void> {
  for (const [at, words] of LONG_NOTES.entries()) {
    const id = `s${String(at).padStart(2, '0')}`;
    await seedSession(store, id, `2026-01-01T10:${String(at).padStart(2, '0')}:00.000Z`);
    const note = { id: `n${at}`, session_id: id, text: words, created_at: NOW, updated_at: NOW };
    await store.engine.kysely.insertInto('session_notes').values(note).execute();
    await indexSessionTexts(store.engine, [id]);
  }
}

describe.each(STORES)('a search that takes too long on $name', ({ open }) => {
  it('H14: fails with a message when nothing was found in time', async () => {
    await using store = await open();
    await seedLongNotes(store);
    const index = createSearchIndex(store.reader, { leftMs: () => NO_TIME_MS });
    const refused = await searchSessions(index, { q: '/need[l]e/', limit: 20 }, stillClock).catch(toFuelError);
    expect(refused).toMatchObject({ code: 'timeout', status: 504, hint: expect.stringContaining('Narrow it down') });
    expect(await listSessions(store.reader, { limit: 1 })).toMatchObject({ sessions: [{ id: 's15' }] });
  });

  it('H14: returns what was found in time, and continues from there', async () => {
    await using store = await open();
    await seedLongNotes(store);
    let asked = 0;
    // The first query for places and texts has time, the second has none, the last one has some.
    const leftMs = () => (++asked === 3 ? NO_TIME_MS : ENOUGH_MS);
    const index = createSearchIndex(store.reader, { placesAStep: 10, leftMs });
    const query = { q: '/needl./ before:2026-02-01', limit: 20 };
    const first = await searchSessions(index, query, stillClock);
    expect(first).toMatchObject({ cut: 'time', next_cursor: expect.any(String) });
    const found = first.sessions.map(({ session_id }) => session_id);
    expect(found).toContain('s15');
    for (let cursor = first.next_cursor; cursor !== null; ) {
      const page = await searchSessions(index, { ...query, cursor }, stillClock);
      found.push(...page.sessions.map(({ session_id }) => session_id));
      cursor = page.next_cursor;
    }
    expect(found.toSorted()).toEqual(LONG_NOTES.map((_, at) => `s${String(at).padStart(2, '0')}`));
  });
});

describe('PostgreSQL', () => {
  it('H14: gives reports more time than pages of a list', async () => {
    const database = await createTestDatabase();
    await using store = await openStore({ databaseUrl: database.url, sqlitePath: '', onIdleError, maxReadMs: 100 });
    await seedSession(store, 's');
    const get = getFrom(createQueries({ engine: store.reader, clock: fixedClock } as unknown as QueryDeps));
    const writer = new Client({ connectionString: database.url });
    await writer.connect();
    try {
      await writer.query('BEGIN; LOCK TABLE sessions, usage_rollups IN ACCESS EXCLUSIVE MODE');
      await expect(get('/search', { query: { q: 'is:live', limit: 1 } })).rejects.toMatchObject({ code: 'timeout' });
      const report = get('/usage', { query: { by: ['model'], zone: 'UTC' } });
      await expect(get('/sessions', { query: { limit: 1 } })).rejects.toMatchObject({ code: 'timeout' });
      await writer.query('COMMIT');
      expect(await report).toMatchObject({ rows: [] });
      expect((await get('/sessions', { query: { limit: 1 } })).sessions).toHaveLength(1);
    } finally {
      await writer.end();
      await store.close();
      await database.drop();
    }
  });

  it('H14: stops a slow read with a message, but never a write', async () => {
    const database = await createTestDatabase();
    await using store = await openStore({ databaseUrl: database.url, sqlitePath: '', onIdleError, maxReadMs: 100 });
    await seedSession(store, 's');
    const writer = new Client({ connectionString: database.url });
    await writer.connect();
    try {
      await writer.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
      const refused = await listSessions(store.reader, { limit: 1 }).catch(toFuelError);
      expect(refused).toMatchObject({ code: 'timeout', status: 504, hint: expect.stringContaining('Narrow it down') });
      const index = createSearchIndex(store.reader);
      await expect(searchSessions(index, { q: 'is:live', limit: 1 }, fixedClock)).rejects.toMatchObject({
        code: 'timeout',
      });
      const write = store.engine.transaction((tx) => tx.updateTable('sessions').set({ title: 'late' }).execute());
      await expect(listSessions(store.reader, { limit: 1 })).rejects.toMatchObject({ code: 'timeout' });
      await writer.query('COMMIT');
      await write;
      expect((await listSessions(store.reader, { limit: 1 })).sessions).toMatchObject([{ title: 'late' }]);
    } finally {
      await writer.end();
      await store.close();
      await database.drop();
    }
  });

  it('H14: limits only reads', async () => {
    const database = await createTestDatabase();
    const store = await openStore({ databaseUrl: database.url, sqlitePath: '', onIdleError });
    const limitOf = async ({ kysely }: typeof store.engine) =>
      (await sql<{ statement_timeout: string }>`SHOW statement_timeout`.execute(kysely)).rows[0]?.statement_timeout;
    expect([await limitOf(store.engine), await limitOf(store.reader)]).toEqual(['0', '2s']);
    await store.close();
    await database.drop();
  });

  it('works without the trigram extension', async () => {
    const database = await createTestDatabase();
    const role = `plain_${randomUUID().replaceAll('-', '')}`;
    const admin = new Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'plain'; GRANT ALL ON SCHEMA public TO ${role}`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'plain';
    const store = await openStore({ databaseUrl: url.href, sqlitePath: '', onIdleError });
    expect(await store.engine.hasTextIndex()).toBe(false);
    await seedSession(store, 's');
    const answer = await searchSessions(createSearchIndex(store.reader), { q: '/needle/', limit: 1 }, fixedClock);
    expect(answer).toMatchObject({ sessions: [], cut: null });
    await store.close();
    expect(await askDoctor(url.href)).toMatchObject({ state: 'warn', message: expect.stringContaining('pg_trgm') });
    expect(await askDoctor(database.url)).toMatchObject({ state: 'warn' });
    await admin.query('CREATE EXTENSION pg_trgm');
    await admin.query(statementOfManual());
    expect(await askDoctor(database.url)).toMatchObject({ state: 'ok' });
    await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await admin.end();
    await database.drop();
  });
});

/** The finding of `doctor` about the search. */
async function askDoctor(url: string): Promise<unknown> {
  using claude = createClaudeHome();
  const env = { DATABASE_URL: url, FUEL_CODE_HOME: join(claude.path, 'data'), CLAUDE_CONFIG_DIR: claude.path };
  const { stdout } = await runProgram(['doctor', '--json'], { env });
  return (JSON.parse(stdout) as { checks: { readonly name: string }[] }).checks.find(({ name }) => name === 'search');
}

function statementOfManual(): string {
  const manual = readFileSync(new URL('../../docs/search.md', import.meta.url), 'utf8');
  return /CREATE INDEX CONCURRENTLY[^;]*/.exec(manual)?.[0] ?? '';
}
