import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BEARER, makeApp, makeData } from '../../test/browser/support/make-app.ts';
import type { LiveEvent } from '../app/live.ts';
import { parseMark } from '../app/live.ts';
import { eventStream } from './event-stream.ts';
import { MAX_LIVE_STREAMS } from './limits.ts';

const STALL_MS = 1_000;

function endless() {
  const state = { made: 0, isEnded: false };
  async function* make(): AsyncGenerator<LiveEvent> {
    try {
      for (;;) {
        state.made += 1;
        yield { type: 'session', mark: { epoch: '00000000', seq: state.made }, data: {} as never };
      }
    } finally {
      state.isEnded = true;
    }
  }
  return { state, events: make() };
}

describe('a stream of events', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('creates an event only when the reader wants one', async () => {
    const { state, events } = endless();
    const stop = new AbortController();
    const reader = eventStream(events, { stop, onEnd: () => {}, stallMs: STALL_MS }).getReader();
    for (let n = 0; n < 5; n += 1) await reader.read();
    expect(state.made).toBeLessThanOrEqual(6);
    await reader.cancel();
    expect([state.isEnded, stop.signal.aborted]).toEqual([true, true]);
  });

  test('disconnects a reader that does not read', async () => {
    const { state, events } = endless();
    const stop = new AbortController();
    const ended = vi.fn<() => void>();
    const reader = eventStream(events, { stop, onEnd: ended, stallMs: STALL_MS }).getReader();
    await reader.read();
    await vi.advanceTimersByTimeAsync(STALL_MS);
    expect(state.isEnded).toBe(true);
    expect(ended).toHaveBeenCalledOnce();
    await expect(reader.read()).rejects.toThrow('stopped reading');
  });
});

test('a stream whose events fail ends and is counted as ended', async () => {
  async function* failing(): AsyncGenerator<LiveEvent> {
    yield { type: 'heartbeat', mark: null, data: null };
    throw new Error('The database is gone.');
  }
  const stop = new AbortController();
  const ended = vi.fn<() => void>();
  const reader = eventStream(failing(), { stop, onEnd: ended }).getReader();
  await reader.read();
  await expect(reader.read()).rejects.toThrow('The database is gone.');
  expect([ended.mock.calls.length, stop.signal.aborted]).toEqual([1, true]);
});

describe('GET /api/live', () => {
  const open = (app: ReturnType<typeof makeApp>['app'], headers = {}) =>
    app.request('/api/live', { headers: { ...BEARER, ...headers } });

  test('begins with hello, or with reset for a foreign id', async () => {
    const { app } = makeApp();
    for (const [id, type] of [
      [null, 'hello'],
      ['00000000-0', 'hello'],
      ['ffffffff-0', 'reset'],
      ['00000000-9', 'reset'],
      ['nonsense', 'reset'],
    ]) {
      const response = await open(app, id === null ? {} : { 'last-event-id': id });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      const reader = response.body?.getReader();
      const text = new TextDecoder().decode((await reader?.read())?.value);
      expect(text).toContain(`event: ${type}\n`);
      expect(text).toContain('id: 00000000-0\n');
      await reader?.cancel();
    }
  });

  test('ends when the server is about to close', async () => {
    const closing = new AbortController();
    const { app } = makeApp({ closing: closing.signal });
    const reader = (await open(app)).body?.getReader();
    await reader?.read();
    const rest = reader?.read();
    closing.abort();
    expect(await rest).toEqual({ done: true, value: undefined });
  });

  test('H4: a page of another origin or without the token gets no stream', async () => {
    const { app } = makeApp();
    expect((await open(app, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await app.request('/api/live')).status).toBe(401);
  });

  test('H19: limits the number of streams and frees the place of one that ends', async () => {
    const { app } = makeApp({ data: makeData() });
    const streams: Response[] = [];
    for (let n = 0; n < MAX_LIVE_STREAMS; n += 1) streams.push(await open(app));
    expect((await open(app)).status).toBe(429);
    await streams[0]?.body?.cancel();
    const again = await open(app);
    expect(again.status).toBe(200);
    for (const { body } of [...streams.slice(1), again]) await body?.cancel();
  });

  test('H19: a stream of a database that fails, and a HEAD request, take no place', async () => {
    const data = makeData();
    const live = { ...data.live, clock: () => Promise.reject(new Error('gone')) };
    const { app } = makeApp({ data: { ...data, live } });
    for (let n = 0; n < MAX_LIVE_STREAMS; n += 1)
      await expect((await open(app)).body?.getReader().read()).rejects.toThrow('gone');
    for (let n = 0; n < MAX_LIVE_STREAMS; n += 1)
      expect((await app.request('/api/live', { method: 'HEAD', headers: BEARER })).status).toBe(200);
    expect((await open(app)).status).toBe(200);
  });
});

test.each(['', 'x-1', '00000000-', '0000000-1', '00000000--1', '00000000-1234567890123456', '00000000-1\n'])(
  'H15: %j is not a valid event id',
  (text) => {
    expect(parseMark(text)).toBeNull();
  },
);
