import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { serve } from '../../src/server/serve.ts';
import { openApiProgram, TOKEN } from '../support/api-program.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { findFreePort, startFreezingProxy } from '../support/freezing-proxy.ts';
import { fixedClock, PROGRAMS, silentLog } from '../support/programs.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';

const ID = '11111111-2222-4333-8444-555555555555';

/** The responses of a server, requested with the token in its URL. */
function asking(address: string) {
  const { origin, hash } = new URL(address);
  const headers = { authorization: `Bearer ${hash.slice('#token='.length)}` };
  return async (path: string, method = 'GET') => {
    const response = await fetch(`${origin}/api${path}`, { method, headers });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
  };
}

describe('an unavailable database', () => {
  it('F6: a server that starts without its database says so in its answers and recovers later', async () => {
    using claude = createClaudeHome();
    claude.write(`-w/${ID}.jsonl`, [createTalk(ID).user('Hello.')]);
    const database = await createTestDatabase();
    const home = mkdtempSync(join(tmpdir(), 'fuel-code-away-'));
    const url = new URL(database.url);
    const port = await findFreePort();
    url.host = `127.0.0.1:${port}`;
    const env = { FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claude.path, DATABASE_URL: url.href };
    const config = { ...loadConfig(env).config, port: 0 };
    try {
      await using serving = await serve({ config, clock: fixedClock, log: silentLog, onLog: () => {} });
      const ask = asking(serving.address);
      expect(await ask('/health')).toMatchObject({ status: 200 });
      const away = { status: 503, retryAfter: '1', body: { error: { code: 'store_unavailable' } } };
      expect(await ask('/ready')).toMatchObject(away);
      expect(await ask('/sessions')).toMatchObject(away);
      expect(await ask(`/sessions/${ID}/reparse`, 'POST')).toMatchObject(away);
      await using _proxy = await startFreezingProxy(database.url, port);
      await until(async () => expect(await ask('/ready')).toMatchObject({ status: 200 }));
      await serving.firstRound;
      expect(await ask('/sessions')).toMatchObject({ status: 200, body: { sessions: [{ id: ID }] } });
    } finally {
      rmSync(home, { recursive: true });
      await database.drop();
    }
  });

  it('F6: the program does not wait for an embedded database that cannot be opened', async () => {
    const home = mkdtempSync(join(tmpdir(), 'fuel-code-away-'));
    mkdirSync(join(home, 'fuel.db'));
    const { config } = loadConfig({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: join(home, 'claude') });
    const serving = serve({ config, clock: fixedClock, log: silentLog, onLog: () => {} });
    await expect(serving).rejects.toMatchObject({ code: 'store_unavailable' });
    rmSync(home, { recursive: true });
  });
});

describe('more requests than connections', () => {
  const POOL = 10;
  const QUESTIONS = 200;

  it('F7: are told to retry while the server reports that it is alive, and answered later', async () => {
    const [, onPostgres] = PROGRAMS;
    await using program = await openApiProgram(onPostgres as (typeof PROGRAMS)[number]);
    const { kysely } = program.app.store.reader;
    const { promise: untilFreed, resolve: free } = Promise.withResolvers<void>();
    const held = Array.from({ length: POOL }, () => Promise.withResolvers<void>());
    const busy = held.map(({ resolve: hold }) =>
      kysely.connection().execute(() => {
        hold();
        return untilFreed;
      }),
    );
    await Promise.all(held.map(({ promise }) => promise));
    const headers = { authorization: `Bearer ${TOKEN}` };
    const ask = async () => program.server.request('http://localhost/api/sessions', { headers });
    const asked = Promise.all(Array.from({ length: QUESTIONS }, ask));
    expect((await program.server.request('http://localhost/api/health')).status).toBe(200);
    for (const response of await asked) {
      expect([429, 503]).toContain(response.status);
      expect(response.headers.get('retry-after')).toBe('1');
    }
    free();
    await Promise.all(busy);
    expect((await ask()).status).toBe(200);
  });
});
