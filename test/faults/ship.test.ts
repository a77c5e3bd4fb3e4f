import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app/open-app.ts';
import { MAX_WAIT_MS, nextTryMs, retryAfterMs } from '../../src/app/shipping/server-client.ts';
import { type ShipReport, ship } from '../../src/app/shipping/ship.ts';
import { loadConfig } from '../../src/config.ts';
import { countShipments, listRefused, retryRefused } from '../../src/store/queries/shipping/shipments.ts';
import { type ClaudeHome, createClaudeHome, createTalk } from '../support/claude-home.ts';
import { type Asked, type FakeServer, startFakeServer } from '../support/fake-server.ts';
import { NOW, silentLog } from '../support/fixed-clock.ts';
import { runProgram } from '../support/run-program.ts';

/** Shipping to a server with scripted responses, with a controlled clock. */
let nowMs = NOW.getTime();
const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
let claude: ClaudeHome;
let server: FakeServer;
let home = '';
let app: App;
const { signal } = new AbortController();

beforeEach(async () => {
  nowMs = NOW.getTime();
  claude = createClaudeHome();
  server = await startFakeServer();
  home = mkdtempSync(join(tmpdir(), 'fuel-code-ship-'));
  app = await openApp({ config: configWith('right'), clock, log: silentLog });
});
afterEach(async () => {
  await app.close();
  await server[Symbol.asyncDispose]();
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

function environmentOf(token: string) {
  return {
    FUEL_CODE_HOME: home,
    CLAUDE_CONFIG_DIR: claude.path,
    FUEL_CODE_SERVER_URL: server.url,
    FUEL_CODE_SERVER_TOKEN: token,
  };
}

const configWith = (token: string) => loadConfig(environmentOf(token)).config;

const idOf = (n: number) => `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;

async function importSessions(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    claude.write(`-p/${idOf(n)}.jsonl`, [createTalk(idOf(n), { prefix: `s${n}` }).user(`Question ${n}`)]);
  }
  await app.importNew({ rowsOnly: true });
}

interface Try {
  readonly token?: string;
  readonly random?: () => number;
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
}

function shipOnce({ token = 'right', random = () => 1, ...also }: Try = {}): Promise<ShipReport> {
  const { store, blobs, device } = app;
  const settings = { engine: store.engine, blobs, device, clock, signal, random, ...also };
  return ship({ ...settings, server: { url: server.url, token } });
}

const route = () => ({ server: server.url, deviceId: app.device.id });
const state = () => countShipments(app.store.engine.kysely, route());
const timesAsked = (id: string) => server.asked.filter(({ upload }) => upload?.file.path.includes(id)).length;

describe('B7: a file that the server rejects', () => {
  it.each([400, 413, 422])('with %i is set aside at once with the reason, and the others continue', async (status) => {
    await importSessions(3);
    const body = { error: { code: 'usage', message: 'The header is wrong.' } };
    server.script = ({ upload }) => (upload?.file.path.includes(idOf(1)) ? { status, body } : null);
    expect(await shipOnce()).toMatchObject({ files: 2, refused: 1, paused: null });
    expect(await shipOnce()).toMatchObject({ files: 0, refused: 0 });
    expect(server.asked).toHaveLength(3);
    const [refused, ...others] = await listRefused(app.store.engine.kysely, route());
    expect(others).toEqual([]);
    expect(refused).toMatchObject({ attempts: 1, detail: expect.stringContaining('The header is wrong.') });

    server.script = () => null;
    expect(await retryRefused(app.store.engine.kysely, route(), refused?.id ?? '')).toBe(true);
    expect(await shipOnce()).toMatchObject({ files: 1, refused: 0 });
    expect(await state()).toEqual({ waiting: 0, refused: 0 });
  });

  it('is listed by `queue dead-letter` and sent again by `queue retry`', async () => {
    await importSessions(2);
    server.script = ({ upload }) => (upload?.file.path.includes(idOf(1)) ? { status: 422 } : null);
    await shipOnce();
    const env = environmentOf('right');
    const list = async () =>
      JSON.parse((await runProgram(['queue', 'dead-letter', '--json'], { env })).stdout).dead_letters;
    const letters = (await list()) as { id: string }[];
    expect(letters).toMatchObject([{ reason: 'refused_by_server', detail: expect.stringContaining(idOf(1)) }]);
    expect((await runProgram(['status'], { env })).stdout).toContain('1 refused (see `fuel-code queue dead-letter`)');
    expect((await runProgram(['queue', 'retry', letters[0]?.id ?? ''], { env })).stdout).toContain(
      '1 dead letter queued again',
    );
    expect((await runProgram(['queue', 'retry', 'file_00.1'], { env })).code).toBe(3);
    expect(await list()).toEqual([]);
    expect(await state()).toEqual({ waiting: 1, refused: 0 });
  });

  it('after a temporary server error is retried with growing pauses and delays no other', async () => {
    await importSessions(3);
    server.script = ({ upload }) => (upload?.file.path.includes(idOf(1)) ? { status: 500 } : null);
    expect(await shipOnce()).toMatchObject({ files: 2, refused: 0, paused: null });
    for (let attempt = 2; attempt <= 6; attempt++) {
      await shipOnce();
      nowMs += MAX_WAIT_MS;
      await shipOnce();
    }
    expect(timesAsked(idOf(1))).toBe(6);
    expect(await state()).toEqual({ waiting: 0, refused: 1 });
  });
});

describe('B8: a token that the server does not know', () => {
  it.each([401, 403])(
    '%i pauses everything, counts nothing, and continues at once with another token',
    async (status) => {
      await importSessions(5);
      server.script = ({ token }) =>
        token === 'right'
          ? null
          : { status, body: { error: { code: 'unauthorized', message: 'The token is wrong.' } } };
      for (let attempt = 0; attempt < 1_000; attempt++) await shipOnce({ token: 'wrong' });
      expect(server.asked).toHaveLength(1);
      expect(await state()).toEqual({ waiting: 5, refused: 0 });
      await using paused = await openApp({ config: configWith('wrong'), clock, log: silentLog });
      expect(await paused.reportShipping()).toMatchObject({
        is_locked: true,
        paused: 'The token is wrong.',
        waiting: 5,
      });

      expect(await shipOnce({ token: 'right' })).toMatchObject({ files: 5, paused: null });
      expect(await state()).toEqual({ waiting: 0, refused: 0 });
      expect(await app.reportShipping()).toMatchObject({ is_locked: false, paused: null });
    },
  );

  it('is tried again from time to time, since the server may have added it', async () => {
    await importSessions(1);
    server.script = () => ({ status: 401 });
    await shipOnce();
    nowMs += MAX_WAIT_MS;
    server.script = () => null;
    expect(await shipOnce()).toMatchObject({ files: 1 });
  });
});

describe('B9: a server that asks clients to wait', () => {
  it.each([
    [429, '120', 120_000],
    [503, '1', 1_000],
    [503, '3600', 3_600_000],
    [503, new Date(NOW.getTime() + 90_000).toUTCString(), 90_000],
  ])('%i with Retry-After %s gets no request earlier, and one right after', async (status, told, waitMs) => {
    await importSessions(2);
    server.script = () => ({ status, headers: { 'retry-after': told } });
    expect((await shipOnce({ random: () => 0 })).paused).not.toBeNull();
    server.script = () => null;
    nowMs += waitMs - 1;
    await shipOnce();
    expect(server.asked).toHaveLength(1);
    expect(await state()).toEqual({ waiting: 2, refused: 0 });
    nowMs += 2;
    expect(await shipOnce()).toMatchObject({ files: 2, paused: null });
  });

  it('waits never less than requested, and never more than 15 minutes otherwise', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.nat(60), fc.nat(10_000_000), random, (failures, toldMs, dice) => {
        const next = nextTryMs(nowMs, failures + 1, toldMs, () => dice);
        expect(next - nowMs).toBeGreaterThanOrEqual(toldMs);
        expect(next - nowMs).toBeGreaterThan(0);
        expect(next - nowMs).toBeLessThanOrEqual(Math.max(toldMs, MAX_WAIT_MS) + 1);
      }),
    );
  });

  it('waits longer after every failure, up to the limit', async () => {
    await importSessions(1);
    server.script = () => ({ status: 503 });
    const waits: number[] = [];
    for (let failures = 0; failures < 14; failures++) {
      const asked = server.asked.length;
      const fromMs = nowMs;
      for (; server.asked.length === asked; nowMs += 500) await shipOnce();
      waits.push(nowMs - fromMs);
    }
    expect(waits.slice(1).every((wait, at) => wait >= (waits[at] ?? 0))).toBe(true);
    expect(waits.at(-1)).toBeLessThanOrEqual(MAX_WAIT_MS + 1_000);
  });

  it.each([
    ['17', 17_000],
    ['nonsense', 0],
    ['-5', 0],
    ['', 0],
  ])('reads %j as %i ms', (text, ms) => expect(retryAfterMs(text, NOW)).toBe(ms));
});

describe('a server that is missing or not fuel-code', () => {
  it.each<[string, (asked: Asked) => { status: number; headers?: Record<string, string>; body?: object }]>([
    ['another program', () => ({ status: 200, body: { hello: 'world' } })],
    ['a redirect', () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } })],
    ['E19: another version', () => ({ status: 426 })],
    ['no such route', () => ({ status: 404 })],
  ])('%s: nothing is lost, rejected or counted', async (_, script) => {
    await importSessions(2);
    server.script = script;
    expect(await shipOnce()).toMatchObject({ files: 0, refused: 0, paused: expect.any(String) });
    expect(server.asked).toHaveLength(1);
    expect(await state()).toEqual({ waiting: 2, refused: 0 });
  });

  it('B10: during 30 days without a server, 10,000 waiting sessions take no space beyond the archive', async () => {
    await importSessions(1);
    const { kysely } = app.store.engine;
    const file = await kysely.selectFrom('source_files').selectAll().executeTakeFirstOrThrow();
    const generation = await kysely.selectFrom('generations').selectAll().executeTakeFirstOrThrow();
    await app.store.engine.transaction(async (tx) => {
      for (let n = 1; n < 10_000; n++) {
        const id = `file_${n.toString(16).padStart(24, '0')}`;
        await tx
          .insertInto('source_files')
          .values({ ...file, id, path: `projects/-p/${idOf(n)}.jsonl`, session_id: null })
          .execute();
        await tx
          .insertInto('generations')
          .values({ ...generation, source_file_id: id, size_bytes: 0 })
          .execute();
      }
    });
    server.script = () => ({ status: 503 });
    for (let day = 0; day < 30; day++, nowMs += 24 * 3_600_000) await shipOnce();
    expect(await state()).toEqual({ waiting: 10_000, refused: 0 });
    expect(await kysely.selectFrom('shipments').selectAll().execute()).toEqual([]);
    expect(await kysely.selectFrom('shipping').selectAll().execute()).toHaveLength(1);
    const takesAll = async () => Response.json({ status: 'uploaded', size_bytes: 0 });
    expect(await shipOnce({ fetch: takesAll })).toMatchObject({ files: 10_000, paused: null });
    expect(await state()).toEqual({ waiting: 0, refused: 0 });
  });
});

it('a line that is too slow for a chunk gets smaller ones, until the file is complete', async () => {
  claude.write(`-p/${idOf(0)}.jsonl`, [createTalk(idOf(0)).user('x'.repeat(6_000_000))]);
  await app.importNew({ rowsOnly: true });
  const passed: number[] = [];
  const slow: typeof fetch = async (_, { body } = {}) => {
    const { length } = body as Buffer;
    if (length > 300_000) throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    passed.push(length);
    return Response.json({ status: 'uploaded', size_bytes: passed.reduce((sum, bytes) => sum + bytes, 0) });
  };
  const reports: ShipReport[] = [];
  for (let round = 0; round < 3; round++, nowMs += MAX_WAIT_MS) reports.push(await shipOnce({ fetch: slow }));
  expect(reports.map(({ files, bytes }) => [files, bytes > 0])).toEqual([
    [0, false],
    [0, false],
    [1, true],
  ]);
  expect(passed.reduce((sum, bytes) => sum + bytes, 0)).toBe(reports[2]?.bytes);
});

it('an aborted round does not count against the server, and the next one starts at once', async () => {
  await importSessions(3);
  const stop = new AbortController();
  server.script = () => {
    stop.abort();
    return { status: 503 };
  };
  await shipOnce({ signal: stop.signal });
  server.script = () => null;
  expect(await shipOnce()).toMatchObject({ files: 3, paused: null });
});

describe('J13, J15: what leaves the machine', () => {
  const base = () => ({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claude.path });
  it('is nothing without a server', async () => {
    await importSessions(1);
    await using local = await openApp({ config: loadConfig(base()).config, clock, log: silentLog });
    expect(await local.ship(signal)).toBeNull();
    expect(await local.reportShipping()).toBeNull();
    expect(server.asked).toEqual([]);
  });

  it.each([
    [{ FUEL_CODE_SERVER_URL: 'http://fuel.example.org', FUEL_CODE_SERVER_TOKEN: 't' }, /not encrypted/],
    [{ FUEL_CODE_SERVER_URL: 'https://fuel.example.org' }, /serverToken is not set/],
  ])('with %j nothing, and status says why', async (env, why) => {
    await importSessions(1);
    const { config } = loadConfig({ ...base(), ...env });
    await using unsafe = await openApp({ config, clock, log: silentLog });
    expect((await unsafe.ship(signal))?.paused).toMatch(why);
    expect((await unsafe.reportShipping())?.paused).toMatch(why);
  });

  it.each(['ftp://x', 'https://user:secret@x', 'https://x/?token=1', 'x'])('rejects %s as an address', (url) => {
    expect(() => loadConfig({ ...base(), FUEL_CODE_SERVER_URL: url })).toThrow(/FUEL_CODE_SERVER_URL/);
  });
});
