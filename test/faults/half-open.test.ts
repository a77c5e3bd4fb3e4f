import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../src/store/engine.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { startFreezingProxy } from '../support/freezing-proxy.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';

const PATIENCE = { silentMs: 100 };

async function openThroughProxy() {
  const database = await createTestDatabase();
  const proxy = await startFreezingProxy(database.url);
  const engine = openPostgres(proxy.url, { onIdleError: () => {}, ...PATIENCE });
  return {
    proxy,
    engine,
    [Symbol.asyncDispose]: async () => {
      await engine.close();
      await proxy[Symbol.asyncDispose]();
      await database.drop();
    },
  };
}

const ask = ({ kysely }: Engine) => sql<{ one: number }>`SELECT 1 AS one`.execute(kysely);

describe('a connection to PostgreSQL that is being closed', () => {
  it('F5: reports nothing when the server closes it first', async () => {
    const database = await createTestDatabase();
    const server = openPostgres(database.url, { onIdleError: () => {} });
    await using proxy = await startFreezingProxy(database.url);
    const broken = vi.fn<(error: Error) => void>();
    const engine = openPostgres(proxy.url, { onIdleError: broken });
    await ask(engine);
    proxy.holdRequests();
    // The server is not notified that we disconnect.
    await engine.close();
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`.execute(server.kysely);
    await proxy.serverLeft();
    expect(broken).not.toHaveBeenCalled();
    await server.close();
    await database.drop();
  });
});

describe('a half-open connection to PostgreSQL', () => {
  it('F5: is detected by the waiting query, and the next query gets a new connection', async () => {
    await using place = await openThroughProxy();
    await ask(place.engine);
    place.proxy.freeze();
    await expect(ask(place.engine)).rejects.toMatchObject({ code: 'store_unavailable' });
    await until(async () => expect((await ask(place.engine)).rows).toEqual([{ one: 1 }]));
  });

  it('F5: is detected when the whole server is unreachable', async () => {
    await using place = await openThroughProxy();
    await ask(place.engine);
    place.proxy.freeze();
    place.proxy.swallow(true);
    await expect(ask(place.engine)).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(ask(place.engine)).rejects.toMatchObject({ code: 'store_unavailable' });
    place.proxy.swallow(false);
    await until(async () => expect((await ask(place.engine)).rows).toEqual([{ one: 1 }]));
  });

  it('F5: is not mistaken for a slow query', async () => {
    await using place = await openThroughProxy();
    const slow = sql<{ done: string }>`SELECT 'yes' AS done FROM pg_sleep(1)`.execute(place.engine.kysely);
    expect((await slow).rows).toEqual([{ done: 'yes' }]);
  });

  it('F5: listeners receive changes again', async () => {
    await using place = await openThroughProxy();
    const listener = vi.fn<() => void>();
    const watch = place.engine.onChange(listener);
    await until(() => expect(listener).toHaveBeenCalled());
    place.proxy.freeze();
    listener.mockClear();
    await until(() => expect(listener).toHaveBeenCalled());
    await watch.close();
  });
});
