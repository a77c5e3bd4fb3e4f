import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { toFuelError } from '../../src/domain/errors.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { openStore } from '../../src/store/store.ts';
import { listSessions } from '../../src/store/queries/session-rows.ts';
import { createSearchIndex } from '../../src/store/queries/search.ts';
import { createClaudeHome } from '../support/claude-home.ts';
import { fixedClock } from '../support/programs.ts';
import { runProgram } from '../support/run-program.ts';
import { seedSession } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';
import { createTestDatabase } from '../support/test-database.ts';

const onIdleError = () => {};

describe.each(STORES)('a long statement on $name', ({ open }) => {
  it('H14: lets whoever waits have a turn', async () => {
    await using store = await open();
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    await sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000)
      SELECT count(*) FROM n`.execute(store.reader.kysely);
    expect(hadTurn).toBe(true);
  });
});

describe('PostgreSQL', () => {
  it('H14: ends a read that takes too long with a sentence, and no write', async () => {
    const database = await createTestDatabase();
    await using store = await openStore({ databaseUrl: database.url, sqlitePath: '', onIdleError, maxReadMs: 100 });
    await seedSession(store, 's');
    const writer = new Client({ connectionString: database.url });
    await writer.connect();
    try {
      await writer.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
      const refused = await listSessions(store.reader.kysely, { limit: 1 }).catch(toFuelError);
      expect(refused).toMatchObject({ code: 'timeout', status: 504, hint: expect.stringContaining('Ask for less') });
      const index = createSearchIndex(store.reader);
      await expect(searchSessions(index, { query: 'is:live' }, fixedClock)).rejects.toMatchObject({ code: 'timeout' });
      const write = store.engine.transaction((tx) => tx.updateTable('sessions').set({ title: 'late' }).execute());
      await expect(listSessions(store.reader.kysely, { limit: 1 })).rejects.toMatchObject({ code: 'timeout' });
      await writer.query('COMMIT');
      await write;
      expect((await listSessions(store.reader.kysely, { limit: 1 })).sessions).toMatchObject([{ title: 'late' }]);
    } finally {
      await writer.end();
      await store.close();
      await database.drop();
    }
  });

  it('H14: has a limit for reads as it is opened, and none for anything else', async () => {
    const database = await createTestDatabase();
    const store = await openStore({ databaseUrl: database.url, sqlitePath: '', onIdleError });
    const limitOf = async ({ kysely }: typeof store.engine) =>
      (await sql<{ statement_timeout: string }>`SHOW statement_timeout`.execute(kysely)).rows[0]?.statement_timeout;
    expect([await limitOf(store.engine), await limitOf(store.reader)]).toEqual(['0', '5s']);
    await store.close();
    await database.drop();
  });

  it('does without trigrams where they may not be made', async () => {
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
    const answer = await searchSessions(createSearchIndex(store.reader), { query: '/needle/' }, fixedClock);
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

const RUN_MAIN = fileURLToPath(new URL('../support/run-main.ts', import.meta.url));

/** What `doctor` says of the search. */
async function askDoctor(url: string): Promise<unknown> {
  using claude = createClaudeHome();
  const env = { DATABASE_URL: url, FUEL_CODE_HOME: join(claude.path, 'data'), CLAUDE_CONFIG_DIR: claude.path };
  const { stdout } = await runProgram(['doctor', '--json'], { env, launcher: RUN_MAIN });
  return (JSON.parse(stdout) as { readonly name: string }[]).find(({ name }) => name === 'search');
}

function statementOfManual(): string {
  const manual = readFileSync(new URL('../../docs/search.md', import.meta.url), 'utf8');
  return /CREATE INDEX CONCURRENTLY[^;]*/.exec(manual)?.[0] ?? '';
}
