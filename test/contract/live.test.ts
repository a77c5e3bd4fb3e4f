import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  createLiveHub,
  follow,
  type LiveEvent,
  type LiveHub,
  type LiveSource,
  MAX_CHANGES,
} from '../../src/app/live.ts';
import { followLive } from '../../src/client/live.ts';
import { listChanges, readClock, recordChanges } from '../../src/store/queries/sessions/changes.ts';
import { markMoreToParse } from '../../src/store/queries/sessions/session-state.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { openApiProgram } from '../support/api-program.ts';
import { PROGRAMS } from '../support/programs.ts';
import { NOW, seedSession } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';

const NEW_UUID = 'ffffffff-0000-4000-8000-00000000ffff';

function sourceOf({ engine: { kysely } }: Store, hub: LiveHub): LiveSource {
  return {
    clock: () => readClock(kysely),
    changes: (query) => listChanges(kysely, query),
    messageSizes: async () => [],
    messagesAt: async () => [],
    progress: () => null,
    subscribe: (listener) => hub.subscribe(listener),
  };
}

interface Follower {
  next(): Promise<LiveEvent>;
  end(): Promise<void>;
}

type Seen = Parameters<typeof follow>[1]['lastSeen'];

function start(store: Store, lastSeen: Seen = null): Follower {
  const hub = createLiveHub(store.engine);
  const stop = new AbortController();
  const options = { lastSeen, sessionId: null, signal: stop.signal, heartbeatMs: 3_600_000 };
  const events = follow(sourceOf(store, hub), options);
  return {
    next: async () => (await events.next()).value as LiveEvent,
    end: async () => {
      stop.abort();
      await events.return(undefined);
      await hub.close();
    },
  };
}

const touch = ({ engine }: Store, id: string) => recordChanges(engine.kysely, [id]);

describe.each(STORES)('following $name', ({ open, hasSeveralWriters }) => {
  it('starts now and reports every session that changes', async () => {
    await using store = await open();
    await seedSession(store, 'old');
    const follower = start(store);
    expect(await follower.next()).toMatchObject({ type: 'hello' });
    const coming = follower.next();
    await seedSession(store, 'new');
    expect(await coming).toMatchObject({ type: 'session', data: { id: 'new', lifecycle: 'capturing' } });
    await touch(store, 'old');
    expect(await follower.next()).toMatchObject({ type: 'session', data: { id: 'old' } });
    await follower.end();
  });

  it('continues after the last event seen: each session once, with its latest state', async () => {
    await using store = await open();
    for (const id of ['a', 'b', 'c']) await seedSession(store, id);
    const mark = await readClock(store.engine.kysely);
    for (const id of ['b', 'c', 'b', 'a', 'b']) await touch(store, id);
    const follower = start(store, mark);
    expect(await follower.next()).toMatchObject({ type: 'hello', mark });
    const told = [await follower.next(), await follower.next(), await follower.next()];
    expect(told.map((event) => event.type === 'session' && event.data.id)).toEqual(['c', 'a', 'b']);
    const last = told.at(-1)?.mark ?? null;
    await follower.end();
    const again = start(store, last);
    expect(await again.next()).toMatchObject({ type: 'hello' });
    const coming = again.next();
    await touch(store, 'a');
    expect(await coming).toMatchObject({ type: 'session', data: { id: 'a' } });
    await again.end();
  });

  it('sends a reset for an id of another database, a future id, and after too many changes', async () => {
    await using store = await open();
    const { engine } = store;
    await seedSession(store, 'a');
    const mark = await readClock(engine.kysely);
    for (const lastSeen of [
      { epoch: 'ffffffff', seq: mark.seq },
      { epoch: mark.epoch, seq: mark.seq + 1 },
    ]) {
      const follower = start(store, lastSeen);
      expect(await follower.next()).toMatchObject({ type: 'reset', mark });
      await follower.end();
    }
    const rows = Array.from({ length: MAX_CHANGES + 1 }, (_, n) => `s${n}`);
    const first = await engine.kysely.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    const { workspace_id, device_id } = first;
    const common = { workspace_id, device_id, started_at: NOW, created_at: NOW, updated_at: NOW };
    await engine.kysely
      .insertInto('sessions')
      .values(rows.map((id) => ({ id, ...common })))
      .execute();
    const follower = start(store, mark);
    expect(await follower.next()).toMatchObject({ type: 'hello' });
    expect(await follower.next()).toMatchObject({ type: 'reset', mark: await readClock(engine.kysely) });
    await follower.end();
  });

  it('numbers changes in the order in which they become visible', async () => {
    await using store = await open();
    for (const id of ['slow', 'quick']) await seedSession(store, id);
    const { engine } = store;
    const { seq: before } = await readClock(engine.kysely);
    const idsAfter = async (after: number) =>
      (await listChanges(engine.kysely, { after, limit: 9 })).map(({ data }) => data.id);
    const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = engine.transaction(async (tx) => {
      await recordChanges(tx, ['slow']);
      begun.resolve();
      await mayEnd.promise;
    });
    await begun.promise;
    // With one writer at a time, the second waits for the first, so the order cannot be wrong.
    if (hasSeveralWriters) await touch(store, 'quick');
    const first = hasSeveralWriters ? await idsAfter(before) : [];
    const { seq: between } = hasSeveralWriters ? await readClock(engine.kysely) : { seq: before };
    mayEnd.resolve();
    await slow;
    if (!hasSeveralWriters) await touch(store, 'quick');
    expect([...first, ...(await idsAfter(between))]).toEqual(hasSeveralWriters ? ['quick', 'slow'] : ['slow', 'quick']);
  });

  it('reports that a session has ended when it stops, and when bytes of an ended one are captured', async () => {
    await using store = await open();
    const { engine } = store;
    const kindAfter = async (act: () => Promise<unknown>) => {
      const { seq: after } = await readClock(engine.kysely);
      await act();
      return (await listChanges(engine.kysely, { after, limit: 9 })).map(({ data }) => 'change' in data && data.change);
    };
    const set = (values: Partial<{ lifecycle: string; title: string }>) =>
      engine.kysely.updateTable('sessions').set(values).where('id', '=', 'a').execute();
    expect(await kindAfter(() => seedSession(store, 'a'))).toEqual(['new']);
    expect(await kindAfter(() => set({ lifecycle: 'ended' }))).toEqual(['ended']);
    expect(await kindAfter(() => set({ title: 'Fix it' }))).toEqual(['changed']);
    const captureOldBytes = () =>
      engine.transaction((tx) => markMoreToParse(tx, 'a', { files: 1, lastWriteMs: 0 }, NOW));
    expect(await kindAfter(captureOldBytes)).toEqual(['ended']);
  });

  it('does not report which process works on a session', async () => {
    await using store = await open();
    await seedSession(store, 'a');
    const { seq } = await readClock(store.engine.kysely);
    await store.engine.kysely.updateTable('sessions').set({ claim_holder: 'x', attempts: 3 }).execute();
    expect((await readClock(store.engine.kysely)).seq).toBe(seq);
  });

  it('reads the store only while a client follows', async () => {
    await using store = await open();
    let watches = 0;
    const hub = createLiveHub({
      onChange: (listener) => {
        watches += 1;
        const watch = store.engine.onChange(listener);
        return {
          close: async () => {
            watches -= 1;
            await watch.close();
          },
        };
      },
    });
    const ends = [hub.subscribe(() => {}), hub.subscribe(() => {})];
    expect(watches).toBe(1);
    ends[0]?.();
    expect(watches).toBe(1);
    ends[1]?.();
    expect(watches).toBe(0);
    await hub.close();
  });
});

describe('several processes', () => {
  it.each(PROGRAMS)('on $name notify each other of their changes', async (program) => {
    await using one = await openApiProgram(program);
    await using other = await one.reopen();
    const stop = new AbortController();
    const { id } = (await one.client.get('/sessions')).sessions[0] ?? { id: '' };
    const told = followLive(one.client, { sessionId: id, signal: stop.signal });
    expect(await told.next()).toMatchObject({ value: { type: 'hello' } });
    const coming = told.next();
    await other.live.clock();
    await recordChanges(other.store.engine.kysely, [id]);
    expect(await coming).toMatchObject({ value: { type: 'session', data: { id } } });
    stop.abort();
    await told.return(undefined);
  });

  it.each(PROGRAMS)('on $name: new lines of a session are reported as messages', async (program) => {
    await using one = await openApiProgram(program);
    await using other = await one.reopen();
    const stop = new AbortController();
    const { id } = (await one.client.get('/sessions')).sessions[0] ?? { id: '' };
    const { files } = await one.client.get('/sessions/:id', { params: { id } });
    const path = join(one.claudeHome, files.find(({ kind }) => kind === 'main')?.path ?? '');
    const told = followLive(one.client, { sessionId: id, signal: stop.signal });
    await told.next();
    const prompt = readFileSync(path, 'utf8')
      .split('\n')
      .find((line) => line.includes('"type":"user"'));
    const line = {
      ...JSON.parse(prompt ?? '{}'),
      uuid: NEW_UUID,
      message: { role: 'user', content: 'One more thing.' },
    };
    appendFileSync(path, `${JSON.stringify(line)}\n`);
    await other.importNew();
    const messages: string[] = [];
    for await (const news of told) {
      if (news.type !== 'messages') continue;
      messages.push(...news.data.messages.map(({ content_blocks }) => content_blocks[0]?.content_text ?? ''));
      break;
    }
    expect(messages).toEqual(['One more thing.']);
    stop.abort();
  });

  it('reconnects to PostgreSQL after a broken connection and reports what it missed', async () => {
    const database = await createTestDatabase();
    const broken: Error[] = [];
    const onIdleError = (error: Error) => void broken.push(error);
    const store = await openStore({ databaseUrl: database.url, sqlitePath: '', onIdleError });
    await seedSession(store, 'a');
    let calls = 0;
    const watch = store.engine.onChange(() => void (calls += 1));
    await until(() => expect(calls).toBe(1));
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fuel-code changes'
      AND datname = current_database()`.execute(store.engine.kysely);
    await until(() => expect(calls).toBe(2));
    await touch(store, 'a');
    await until(() => expect(calls).toBe(3));
    expect(broken.length).toBeGreaterThan(0);
    await watch.close();
    await store.close();
    await database.drop();
  });
});
