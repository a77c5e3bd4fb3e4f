import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BEARER, makeApp, startTestServer, type TestServer } from '../../test/browser/support/make-app.ts';
import { rawRequest, statusOf } from '../../test/browser/support/raw-request.ts';
import { anyCharacter } from '../../test/support/any-character.ts';
import { bodyOf, initOf, pathOf, requestOf, STACK_TRACE } from '../../test/support/random-requests.ts';
import { scaled, size } from '../../test/support/sizes.ts';
import { API } from '../api/table.ts';
import { ROUTES } from './routes.ts';

const RUNS = size('FUZZ_RUNS', 100);
const RAW_RUNS = scaled(60);

/** Routes by noun; the demo's routes are the same code and get one group. */
const GROUPS = Map.groupBy(ROUTES, ({ path }) => path.split('/').slice(1, 3).join('/'));

describe('H13, H15, H16, H18: no request is answered with 500', () => {
  test.each([...GROUPS])(`${RUNS} random requests to /%s`, async (_, routes) => {
    const { app, logged } = makeApp();
    await app.request('/api/demo', { method: 'POST', headers: BEARER });
    await fc.assert(
      fc.asyncProperty(requestOf(routes), async (given) => {
        const response = await app.request(pathOf(given), initOf(given, BEARER));
        expect(response.status).toBeLessThan(500);
        expect(await bodyOf(response)).not.toMatch(STACK_TRACE);
      }),
      { numRuns: RUNS },
    );
    expect(logged.filter((line) => line.message === 'request failed')).toEqual([]);
  });

  test('every endpoint of the API is in a group', () => {
    const paths = new Set([...GROUPS.values()].flat().map(({ method, path }) => `${method} ${path}`));
    for (const name of Object.keys(API)) expect(paths).toContain(name.replace(' ', ' /api'));
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
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    fc.constantFrom('', '', '5', '0', 'zz', 'hello'),
  );

  test(`${RAW_RUNS} scrambled requests`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.boolean(), async (lines, isHostGiven) => {
        const host = isHostGiven ? [lines[0] ?? '', `Host: 127.0.0.1:${server.port}`] : [];
        const bytes = [...host, ...lines.slice(isHostGiven ? 1 : 0), '', ''].join('\r\n');
        const answer = await rawRequest(server.port, bytes, { ends: true });
        expect(statusOf(answer)).toBeLessThan(500);
        expect(answer).not.toMatch(STACK_TRACE);
      }),
      { numRuns: RAW_RUNS },
    );
    expect(server.logged.filter((entry) => entry.message === 'request failed')).toEqual([]);
    expect((await fetch(`${server.url}api/health`)).status).toBe(200);
  });
});
