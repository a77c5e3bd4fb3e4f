import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { withQueries } from '../../test/browser/support/empty-data.ts';
import { BEARER, makeApp, makeData, SESSION_ID } from '../../test/browser/support/make-app.ts';
import { makeMessage } from '../../test/browser/support/make-rows.ts';
import { acceptedEncoding, sendJson } from './compress.ts';
import type { ServerEnv } from './route.ts';

const TRANSCRIPT = `/api/sessions/${SESSION_ID}/transcript`;

function appWithLongAnswer() {
  const messages = Array.from({ length: 50 }, (_, ordinal) => makeMessage({ ordinal }));
  const data = withQueries(makeData(), {
    'GET /sessions/:id/transcript': async () => ({ messages, next_after: null }),
  });
  return makeApp({ data }).app;
}

test.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1.0, br;q=0', 'gzip'],
  ['BR', 'br'],
  ['gzip;q=0.000', null],
  ['*', null],
  ['brr, xgzip', null],
])('%j accepts %s', (header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding);
});

describe('answers', () => {
  const ask = (headers: Record<string, string>) =>
    appWithLongAnswer().request(TRANSCRIPT, { headers: { ...BEARER, ...headers } });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('are compressed with %s and mean the same', async (encoding, unpack) => {
    const plain = await ask({});
    const response = await ask({ 'accept-encoding': encoding });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('vary')).toBe('accept-encoding');
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('accept-encoding');
    expect(response.headers.get('content-type')).toBe('application/json');
    const packed = Buffer.from(await response.arrayBuffer());
    const text = await plain.text();
    expect(unpack(packed).toString()).toBe(text);
    expect(packed.length).toBeLessThan(text.length / 5);
  });

  test('only answers to GET are compressed: others can contain a new key', async () => {
    const app = new Hono<ServerEnv>().all('/', (context) => sendJson(context, 'x'.repeat(5_000)));
    const encodingOf = async (method: string) =>
      (await app.request('/', { method, headers: { 'accept-encoding': 'br' } })).headers.get('content-encoding');
    expect([await encodingOf('GET'), await encodingOf('POST'), await encodingOf('PATCH')]).toEqual(['br', null, null]);
  });

  test('short answers, errors, downloads and live streams are sent as they are', async () => {
    const app = appWithLongAnswer();
    const paths = [
      '/api/health',
      '/api/nowhere',
      `${TRANSCRIPT}/raw`,
      `/api/sessions/${SESSION_ID}/export`,
      '/api/live',
    ];
    for (const path of paths) {
      const response = await app.request(path, { headers: { ...BEARER, 'accept-encoding': 'br, gzip' } });
      expect([path, response.headers.get('content-encoding')]).toEqual([path, null]);
      await response.body?.cancel();
    }
  });
});
