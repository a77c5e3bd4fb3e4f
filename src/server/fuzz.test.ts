import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BEARER, examplePath, makeApp, startTestServer, type TestServer } from '../../test/browser/support/make-app.ts';
import { rawRequest, statusOf } from '../../test/browser/support/raw-request.ts';
import { ROUTES } from './routes.ts';

const RUNS = 2_000;
const RAW_RUNS = 300;

const NASTY = [
  "' OR 1=1 --",
  '"; DROP TABLE sessions; --',
  '%',
  '_',
  '\\',
  '*',
  '^',
  'NEAR(a b)',
  'a AND',
  '"',
  '""',
  '(',
  '-',
  ':*',
  'col:x',
  '\u0000',
  '\ud800',
  '\u202e',
  '../../etc/passwd',
  '..%2f',
  '%00',
  '%',
  '%zz',
  '%c0%ae',
  'null',
  '__proto__',
  'constructor',
  '1e309',
  '-1',
  '9'.repeat(400),
  '💥',
  '日本',
  'a'.repeat(2_000),
  '<script>',
  '\r\nX: y',
  ' ',
  '+',
  '&',
  '=',
  '#',
  '?',
  ';',
  '[]',
  '{}',
  '0x10',
  'NaN',
];

const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 20 }),
);
const encoded = fc.oneof(
  text.map((value) => encodeURIComponent(value.toWellFormed())),
  fc.constantFrom('%', '%zz', '%c0%af', '..%2f..%2f', '%00', '.', '..', '%2e%2e', 'a%5cb', '%25252e'),
);
const parameter = fc.tuple(
  fc.oneof(fc.constantFrom('limit', 'cursor', 'q', 'after', 'lifecycle', 'nonce', 'workspace_id'), encoded),
  encoded,
);
const headerName = fc.constantFrom(
  'accept',
  'content-type',
  'origin',
  'sec-fetch-site',
  'range',
  'if-none-match',
  'x-http-method-override',
  'cookie',
);
const headerValue = fc.string({ maxLength: 30 }).map((value) => value.replace(/[^ -~]/g, '').trim());

const request = fc.record({
  route: fc.constantFrom(...ROUTES),
  method: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    fc.constantFrom('HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'QUERY'),
  ),
  id: fc.option(encoded),
  tail: fc.oneof(
    { weight: 5, arbitrary: fc.constant('') },
    encoded.map((value) => `/${value}`),
  ),
  query: fc.array(parameter, { maxLength: 4 }),
  headers: fc.array(fc.tuple(headerName, headerValue), { maxLength: 3 }),
  body: fc.option(text),
  hasToken: fc.boolean(),
});

type Given = typeof request extends fc.Arbitrary<infer T> ? T : never;

function pathOf({ route, id, tail, query }: Given): string {
  const path = id === null ? examplePath(route.path).split('?')[0] : route.path.replace(/:id|:file/, () => id);
  const search = query.map(([name, value]) => `${name}=${value}`).join('&');
  return path + tail + (search === '' ? '' : `?${search}`);
}

describe('H13, H15, H16, H18: no request is answered with 500', () => {
  test(`${RUNS} random requests over all routes`, async () => {
    const { app, logged } = makeApp();
    await app.request('/api/demo', { method: 'POST', headers: BEARER });
    await fc.assert(
      fc.asyncProperty(request, async (given) => {
        const method = given.method ?? given.route.method;
        const body = given.body === null || ['GET', 'HEAD'].includes(method) ? undefined : given.body;
        const headers = { ...Object.fromEntries(given.headers), ...(given.hasToken ? BEARER : {}) };
        const response = await app.request(pathOf(given), { method, headers, body });
        expect(response.status).toBeLessThan(500);
        const answer = await response.text();
        expect(answer).not.toMatch(/\bat .+:\d+:\d+|node_modules/);
      }),
      { numRuns: RUNS },
    );
    expect(logged.filter((line) => line.message === 'request failed')).toEqual([]);
  });
});

describe('H18: any bytes on the socket', () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startTestServer()));
  afterAll(() => server.close());

  const line = fc.oneof(
    fc.constantFrom(
      'GET / HTTP/1.1',
      'GET /api/health HTTP/1.1',
      'POST /api/demo HTTP/1.1',
      'TRACE / HTTP/1.1',
      'CONNECT a:1 HTTP/1.1',
      'OPTIONS * HTTP/1.1',
      'PRI * HTTP/2.0',
      'GET /\\ HTTP/1.1',
      'GET //x HTTP/1.1',
    ),
    fc.constantFrom(
      'Content-Length: 5',
      'Content-Length: -1',
      'Content-Length: 99999999999',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip',
      'Expect: 100-continue',
      'Expect: x',
      'Upgrade: websocket',
      'Connection: upgrade',
      'Sec-WebSocket-Key: x',
      'Host: evil',
    ),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('', '', '5', '0', 'zz', 'hello'),
  );

  test(`${RAW_RUNS} scrambled requests`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.boolean(), async (lines, isHostGiven) => {
        const host = isHostGiven ? [lines[0] ?? '', `Host: 127.0.0.1:${server.port}`] : [];
        const bytes = [...host, ...lines.slice(isHostGiven ? 1 : 0), '', ''].join('\r\n');
        const answer = await rawRequest(server.port, bytes, 150);
        expect(statusOf(answer)).toBeLessThan(500);
      }),
      { numRuns: RAW_RUNS },
    );
    expect(server.logged.filter((entry) => entry.message === 'request failed')).toEqual([]);
    expect((await fetch(`${server.url}api/health`)).status).toBe(200);
  });
});
