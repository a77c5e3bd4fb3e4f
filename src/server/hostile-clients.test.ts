import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BEARER, makeApp, makeData, startTestServer, type TestServer } from '../../test/browser/support/make-app.ts';
import { rawRequest, statusOf } from '../../test/browser/support/raw-request.ts';
import { until } from '../../test/support/until.ts';
import { MAX_CONNECTIONS, MAX_REQUESTS_AT_ONCE, RETRY_AFTER_SECONDS } from './limits.ts';

// Finding 7.4: faults of the HTTP door that had no test, or one that a mutant survived.

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.close());

describe('H19: one caller with many requests', () => {
  test(`gets ${MAX_REQUESTS_AT_ONCE} answered at once; one more has to come again`, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const data = makeData();
    let waiting = 0;
    const listSessions: typeof list = async (input) => {
      waiting += 1;
      // One too many would wait for ever: it is better told.
      if (waiting === MAX_REQUESTS_AT_ONCE + 1) throw new Error('This one should have been refused.');
      await promise;
      return list(input);
    };
    const list = data.queries['GET /sessions'];
    const { app } = makeApp({ data: { ...data, queries: { ...data.queries, 'GET /sessions': listSessions } } });
    const ask = async () => app.request('/api/sessions', { headers: BEARER });
    const held = Array.from({ length: MAX_REQUESTS_AT_ONCE }, ask);
    await until(() => expect(waiting).toBe(MAX_REQUESTS_AT_ONCE));
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(RETRY_AFTER_SECONDS)]);
    expect((await app.request('/api/health')).status).toBe(200);
    resolve();
    for (const answer of await Promise.all(held)) expect(answer.status).toBe(200);
    waiting = 0;
    expect((await ask()).status).toBe(200);
  });
});

describe('E13: requests that two readers would split differently', () => {
  const own = () => `Host: 127.0.0.1:${server.port}`;
  const token = `Authorization: ${BEARER.authorization}`;
  const post = (lines: readonly string[], body: string, end = '\r\n') =>
    ['POST /api/demo HTTP/1.1', own(), token, ...lines, '', body].join(end);
  const SHAPES: Record<string, () => string> = {
    'a length and chunks': () => post(['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    'two lengths': () => post(['Content-Length: 5', 'Content-Length: 6'], 'hello!'),
    'two lengths in one': () => post(['Content-Length: 5, 6'], 'hello!'),
    'a negative length': () => post(['Content-Length: -5'], 'hello'),
    'a length with a sign': () => post(['Content-Length: +5'], 'hello'),
    'a length in hexadecimal': () => post(['Content-Length: 0x5'], 'hello'),
    'chunks under another name': () => post(['Transfer-Encoding: xchunked'], '0\r\n\r\n'),
    'a space before the colon': () => post(['Transfer-Encoding : chunked'], '0\r\n\r\n'),
    'a folded header': () => post(['X: a', ' Transfer-Encoding: chunked'], '0\r\n\r\n'),
    'a size of a chunk that is none': () => post(['Transfer-Encoding: chunked'], 'zz\r\nhello\r\n0\r\n\r\n'),
    'a bare carriage return': () => post(['X: a\rTransfer-Encoding: chunked'], ''),
    'a NUL in a header': () => post(['X: a\0b'], ''),
    'no host': () => 'GET /api/health HTTP/1.1\r\n\r\n',
  };

  test.each(Object.entries(SHAPES))('%s', async (_, make) => {
    expect(statusOf(await rawRequest(server.port, make(), { ends: true }))).toBe(400);
    expect((await fetch(`${server.url}api/health`)).status).toBe(200);
  });
});

describe('E12: clients that hardly send', () => {
  test('do not keep others from being answered', async () => {
    const begin = (text: string): Socket => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
      return socket.on('error', () => {}).resume();
    };
    const head = `POST /api/demo HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`;
    const slow = Array.from({ length: MAX_CONNECTIONS / 2 }, (_, n) =>
      begin(n % 2 === 0 ? head : `${head}Content-Length: 100\r\n\r\n{`),
    );
    await Promise.all(slow.map((socket) => once(socket, 'connect')));
    for (let n = 0; n < 20; n++) expect((await fetch(`${server.url}api/health`)).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });
});

describe('E11: bodies that are packed', () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000, 0x5b));
  const BODIES: Record<string, [encoding: string, body: Uint8Array]> = {
    'a small body that would become large': ['gzip', bomb],
    'packed twice': ['gzip, gzip', gzipSync(bomb)],
    'packed in a way nobody agreed on': ['br', brotliCompressSync(Buffer.from('{"session_ids":[]}'))],
  };

  test.each(Object.entries(BODIES))('%s are refused, not unpacked', async (_, [encoding, body]) => {
    const before = process.memoryUsage().rss;
    const answer = await makeApp().app.request('/api/sessions/batch-status', {
      method: 'POST',
      headers: { ...BEARER, 'content-type': 'application/json', 'content-encoding': encoding },
      body: new Uint8Array(body),
    });
    expect(answer.status).toBe(400);
    expect(process.memoryUsage().rss - before).toBeLessThan(20_000_000);
  });
});
