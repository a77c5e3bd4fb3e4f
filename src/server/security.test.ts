import { readdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BEARER,
  examplePath,
  DEVICE_PATHS,
  exampleWith,
  makeApp,
  makeData,
  SESSION_ID,
  startTestServer,
  TOKEN,
  type TestServer,
} from '../../test/browser/support/make-app.ts';
import { rawRequest, statusOf } from '../../test/browser/support/raw-request.ts';
import { MAX_BODY_BYTES, MAX_TOKEN_FAILURES, TOKEN_FAILURE_WINDOW_MS } from './limits.ts';
import { isSameToken } from './bearer.ts';
import { archivedName } from '../reading/names.ts';
import { listen, listenOnLoopback } from './listen.ts';
import type { DataSource } from '../app/data-source.ts';
import { ROUTES } from './routes.ts';
import { CONTENT_SECURITY_POLICY, DOWNLOAD_POLICY, SHARED_PAGE_POLICY } from './security.ts';

const API_ROUTES = ROUTES.filter((route) => route.path.includes('/api/'));
const BEARER_ROUTES = ROUTES.filter((route) => route.access === 'bearer');

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await fetch(`${server.url}api/demo`, { method: 'POST', headers: BEARER });
});
afterAll(() => server.close());

function head(method: string, target: string, headers: readonly string[]): string {
  return [
    `${method} ${target} HTTP/1.1`,
    ...headers,
    `Authorization: Bearer ${TOKEN}`,
    'Connection: close',
    '',
    '',
  ].join('\r\n');
}

describe('H1: only the exact host list is answered, on every route', () => {
  const own = () => `127.0.0.1:${server.port}`;
  const foreign: Record<string, () => string[]> = {
    'another name': () => ['Host: evil.example'],
    'another name with our port': () => [`Host: evil.example:${server.port}`],
    'our address as a label': () => [`Host: 127.0.0.1.evil.example:${server.port}`],
    'trailing dot': () => [`Host: localhost.:${server.port}`],
    'no port': () => ['Host: 127.0.0.1'],
    'another port': () => ['Host: 127.0.0.1:1'],
    'user part': () => [`Host: a@127.0.0.1:${server.port}`],
    'upper case': () => [`Host: LOCALHOST:${server.port}`],
    'any-address': () => [`Host: 0.0.0.0:${server.port}`],
    'short form': () => [`Host: 127.1:${server.port}`],
    empty: () => ['Host:'],
    none: () => [],
    'own first, foreign second': () => [`Host: ${own()}`, 'Host: evil.example'],
    'foreign first, own second': () => ['Host: evil.example', `Host: ${own()}`],
    'own twice': () => [`Host: ${own()}`, `Host: ${own()}`],
    'two in one': () => [`Host: ${own()}, evil.example`],
  };

  for (const [name, headers] of Object.entries(foreign)) {
    test(`refuses: ${name}`, async () => {
      for (const route of ROUTES) {
        const answer = await rawRequest(server.port, head(route.method, examplePath(route.path), headers()));
        expect([400, 403]).toContain(statusOf(answer));
        expect(answer).not.toContain(SESSION_ID);
      }
    });
  }

  test('absolute form, with our own and with a foreign Host', async () => {
    for (const target of [
      'http://evil.example/api/health',
      `http://${own()}/api/health`,
      'https://evil.example/api/health',
    ]) {
      for (const host of [own(), 'evil.example']) {
        const answer = await rawRequest(server.port, head('GET', target, [`Host: ${host}`]));
        expect([400, 403]).toContain(statusOf(answer));
      }
    }
  });

  test('the three of the list are answered', async () => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const answer = await rawRequest(server.port, head('GET', '/api/health', [`Host: ${host}:${server.port}`]));
      expect(statusOf(answer)).toBe(200);
    }
  });

  test('HTTP/1.0 without a Host is refused', async () => {
    expect(statusOf(await rawRequest(server.port, 'GET /api/health HTTP/1.0\r\n\r\n'))).toBe(400);
  });
});

describe('H2: requests that another site caused are refused, even with the token', () => {
  const origin = 'http://localhost';
  const cases: [string, Record<string, string>, number][] = [
    ['a program without browser headers', {}, 200],
    ['our own page', { 'sec-fetch-site': 'same-origin', origin }, 200],
    ['our own page, older browser', { origin }, 200],
    ['typed address', { 'sec-fetch-site': 'none' }, 200],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
    ['an image or script tag of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another port of localhost', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }, 403],
    ['same-origin claim with foreign origin', { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, 403],
    ['sandboxed frame', { origin: 'null' }, 403],
    ['https of our host', { origin: 'https://localhost' }, 403],
    ['origin that begins with ours', { origin: 'http://localhost.evil.example' }, 403],
    ['unknown site word', { 'sec-fetch-site': 'elsewhere' }, 403],
    ['empty origin', { origin: '' }, 403],
  ];

  test.each(cases)('%s', async (_, headers, status) => {
    const { app } = makeApp();
    for (const route of API_ROUTES.filter((each) => !each.path.startsWith('/demo') && !DEVICE_PATHS.has(each.path))) {
      const response = await app.request(examplePath(route.path), exampleWith(route, { ...BEARER, ...headers }));
      expect([route.path, response.status]).toEqual([route.path, status]);
      await response.body?.cancel();
    }
  });

  test('a form cannot load the demo: it carries no token', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
      const { app } = makeApp();
      const response = await app.request('/api/demo', {
        method: 'POST',
        headers: { 'content-type': type },
        body: 'a=b',
      });
      expect(response.status).toBe(401);
    }
  });

  test('whatever has an effect is no GET', () => {
    expect(ROUTES.filter((route) => route.method !== 'GET').map((route) => route.path)).toEqual([
      '/api/demo',
      '/api/sessions/batch-status',
      '/api/sessions/:id',
      '/api/sessions/:id/notes',
      '/api/notes/:note_id',
      '/api/notes/:note_id',
      '/api/sessions/:id/reparse',
      '/api/sessions/:id/restore',
      '/api/sessions/:id/archive',
      '/api/sessions/:id/shares',
      '/api/shares/:share_id',
      '/api/workspaces/:workspace_id',
      '/api/devices/:device_id',
      '/api/events/ingest',
      '/api/git/ingest',
      '/api/files/upload',
      '/api/sessions/:id/transcript/upload',
      '/demo/api/sessions/batch-status',
    ]);
  });

  test('a link from another site may open the page, which holds no data', async () => {
    const response = await makeApp().app.request('/', {
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    });
    expect(response.status).toBe(200);
  });
});

describe('headers of every answer', () => {
  async function answers(): Promise<Response[]> {
    const { app } = makeApp();
    const requests: [string, RequestInit][] = [
      ...ROUTES.map((route): [string, RequestInit] => [examplePath(route.path), exampleWith(route, BEARER)]),
      ...API_ROUTES.map((route): [string, RequestInit] => [examplePath(route.path), { method: route.method }]),
      ...API_ROUTES.map((route): [string, RequestInit] => [
        examplePath(route.path),
        { method: 'OPTIONS', headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' } },
      ]),
      ['/nowhere', {}],
      ['/api/health', { headers: { host: 'evil.example' } }],
    ];
    return Promise.all(
      requests.map(async ([path, init]) => {
        const response = await app.request(path, init);
        await response.body?.cancel();
        return response;
      }),
    );
  }

  test('H3: no CORS header at all, also for a preflight', async () => {
    for (const response of await answers()) {
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  test('H5: no cookie', async () => {
    for (const response of await answers()) expect(response.headers.getSetCookie()).toEqual([]);
  });

  test('H11: the policy, word for word', async () => {
    expect(CONTENT_SECURITY_POLICY).toBe(
      "default-src 'none'; img-src 'self' data: blob:; connect-src 'self'; style-src 'self'; script-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    for (const response of await answers()) {
      expect([CONTENT_SECURITY_POLICY, DOWNLOAD_POLICY, SHARED_PAGE_POLICY]).toContain(
        response.headers.get('content-security-policy'),
      );
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
  });

  test.each(['a\r\nSet-Cookie: x=1.jsonl', '"; filename="evil.html', "ü'()*!%0d%0a.jsonl", '\ud800.jsonl'])(
    'H22: a file of the name %j cannot end its header or begin another',
    async (name) => {
      const openFile: DataSource['openFile'] = async () => ({
        path: `projects/x/${name}`,
        sizeBytes: 0,
        tag: 'tag',
        read: async function* () {},
        links: () => Promise.reject(new Error('none')),
      });
      const { app } = makeApp({ data: { ...makeData(), openFile } });
      const response = await app.request(`/api/sessions/${SESSION_ID}/transcript/raw`, { headers: BEARER });
      const disposition = response.headers.get('content-disposition') ?? '';
      expect(disposition).toMatch(/^attachment; filename\*=UTF-8''[\w%.~-]+$/);
      expect(decodeURIComponent(disposition.split("''")[1] ?? '')).toBe(archivedName(name));
      expect(response.headers.get('set-cookie')).toBeNull();
    },
  );

  test('H22: nothing redirects, and no header changes the method', async () => {
    const override = {
      'x-http-method-override': 'DELETE',
      'x-method-override': 'DELETE',
      'x-original-url': '/api/demo',
    };
    for (const route of API_ROUTES) {
      const { app } = makeApp();
      const plain = await app.request(examplePath(route.path), exampleWith(route, BEARER));
      const url = `${examplePath(route.path)}${route.path.includes('?') ? '&' : '?'}_method=DELETE`;
      for (const response of [plain, await app.request(url, exampleWith(route, { ...BEARER, ...override }))]) {
        expect(response.headers.get('location')).toBeNull();
        expect(response.status < 300 || response.status >= 400).toBe(true);
        await response.body?.cancel();
      }
      const same = await app.request(examplePath(route.path), exampleWith(route, { ...BEARER, ...override }));
      expect(same.status).toBe(plain.status);
      await same.body?.cancel();
    }
  });

  test('data is never stored by the browser', async () => {
    const { app } = makeApp();
    for (const route of API_ROUTES) {
      const response = await app.request(examplePath(route.path), exampleWith(route, BEARER));
      expect(response.headers.get('cache-control')).toBe('no-store');
      await response.body?.cancel();
    }
  });

  test('the Node-level answer to a malformed request has them too', async () => {
    const answer = await rawRequest(
      server.port,
      `GET /a\\b HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('x-content-type-options: nosniff');
    expect(answer).toContain('{"error":');
  });
});

describe('H6: no token, no data, also on loopback', () => {
  const wrong: [string, string | undefined][] = [
    ['none', undefined],
    ['empty', ''],
    ['another scheme', `Basic ${TOKEN}`],
    ['cut short', `Bearer ${TOKEN.slice(0, -1)}`],
    ['one too long', `Bearer ${TOKEN}0`],
    ['upper case', `Bearer ${TOKEN.toUpperCase()}`],
    ['two words', `Bearer ${TOKEN} ${TOKEN}`],
    ['word only', 'Bearer'],
    ['very long', `Bearer ${'a'.repeat(4_000)}`],
  ];

  test.each(wrong)('%s', async (_, authorization) => {
    for (const route of BEARER_ROUTES) {
      const { app } = makeApp();
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const response = await app.request(examplePath(route.path), { method: route.method, headers });
      expect([route.path, response.status]).toEqual([route.path, 401]);
      const body = await response.text();
      expect(body).not.toContain(SESSION_ID);
      expect(JSON.parse(body)).toMatchObject({
        error: { code: 'unauthorized', hint: expect.stringContaining('fuel-code') as string },
      });
    }
  });

  test('a token in the query, a cookie or another header is no token', async () => {
    const { app } = makeApp();
    expect((await app.request(`/api/status?token=${TOKEN}`)).status).toBe(401);
    expect((await app.request('/api/status', { headers: { cookie: `token=${TOKEN}` } })).status).toBe(401);
    expect((await app.request('/api/status', { headers: { 'x-authorization': `Bearer ${TOKEN}` } })).status).toBe(401);
  });

  test('an escaped path reaches no route around the check', async () => {
    for (const path of [
      '/%61pi/status',
      '/api//status',
      '/api/./status',
      '/x/../api/status',
      '/API/status',
      '/api/status/',
      '/api/status%2f',
    ]) {
      const answer = await rawRequest(
        server.port,
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`,
      );
      expect([`${path} 401`, `${path} 404`]).toContain(`${path} ${statusOf(answer)}`);
    }
  });

  test('the open routes are these', () => {
    expect(ROUTES.filter((route) => route.access === 'open').map((route) => route.path)).toEqual([
      '/',
      '/search',
      '/session/:id',
      '/demo',
      '/demo/search',
      '/demo/session/:id',
      '/assets/:file',
      '/s/:token',
      '/api/health',
      '/api/ready',
      '/api/openapi.json',
    ]);
  });
});

describe('H7: loopback only', () => {
  test.each(['0.0.0.0', '::', '', '192.0.2.1', 'localhost'])('%j is refused', async (host) => {
    await expect(listen(makeApp().app, { host, port: 0 })).rejects.toMatchObject({ code: 'usage' });
  });

  test('a taken port is said in a sentence', async () => {
    await expect(listen(makeApp().app, { host: '127.0.0.1', port: server.port })).rejects.toMatchObject({
      code: 'busy',
    });
  });

  test('both loopback addresses answer under one port, and a stranger on either means another port', async () => {
    const { app } = makeApp();
    const both = await listenOnLoopback(app, 0);
    const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
    const hosts = hasIpv6 ? ['127.0.0.1', '[::1]'] : ['127.0.0.1'];
    for (const host of hosts) expect((await fetch(`http://${host}:${both.port}/`)).status).toBe(403);
    await expect(listenOnLoopback(app, both.port)).rejects.toMatchObject({ code: 'busy' });
    await both.close();
    if (!hasIpv6) return;
    const stranger = await listen(app, { host: '::1', port: 0 });
    await expect(listenOnLoopback(app, stranger.port)).rejects.toMatchObject({ code: 'busy' });
    await expect(fetch(`http://127.0.0.1:${stranger.port}/`)).rejects.toThrow('fetch failed');
    await stranger.close();
  });

  test('closing ends open connections', async () => {
    const own = await startTestServer();
    await fetch(`${own.url}api/health`);
    await own.close();
    const again = createServer();
    const listening = new Promise<void>((resolve) => again.listen(own.port, '127.0.0.1', resolve));
    await expect(listening).resolves.toBeUndefined();
    again.close();
  });
});

describe('H8: tokens are compared in the same time for every guess', () => {
  test('of whatever length a guess is, it is right or wrong, and never an error', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (given, expected) => {
        expect(isSameToken(given, expected)).toBe(given === expected);
        expect(isSameToken(expected, expected)).toBe(true);
      }),
    );
  });

  test('nothing in the server compares a token sign by sign', () => {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
    const bySign = /\b(?:token|given|bearer|sha256)\b\s*[!=]==(?!\s*(?:null\b|undefined\b|'))/i;
    const found = sources.filter((file) => bySign.test(readFileSync(join(folder, file), 'utf8')));
    expect(sources).toContain('caller.ts');
    expect(found).toEqual([]);
  });
});

describe('H9: guessing is slowed down', () => {
  test('after ten failures in a minute 429, while the right token passes; a minute later 401 again', async () => {
    let now = 0;
    const { app, logged } = makeApp({ monotonicMs: () => now });
    const guess = () => app.request('/api/status', { headers: { authorization: 'Bearer wrong' } });
    for (let i = 0; i < MAX_TOKEN_FAILURES; i += 1) expect((await guess()).status).toBe(401);
    const refused = await guess();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await guess()).status).toBe(429);
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain('wrong"');
    expect((await app.request('/api/status', { headers: BEARER })).status).toBe(200);
    now = TOKEN_FAILURE_WINDOW_MS;
    expect((await guess()).status).toBe(401);
  });
});

describe('H17: headers that do not come', () => {
  // Finding 6.15: without an interval of our own, Node.js looks for late requests every 30 seconds.
  test('end a connection soon after their timeout, not when Node.js would look', async () => {
    const slow = await listen(makeApp().app, { host: '127.0.0.1', port: 0, headersTimeoutMs: 100 });
    // Looks as often as Node.js does by itself: ours has to be first, however slow the machine is.
    const plain = createHttpServer({ headersTimeout: 100 }, () => {});
    await once(plain.listen(0, '127.0.0.1'), 'listening');
    const late = (port: number) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET /api/status HTTP/1.1\r\nHost: x'));
      return once(socket.on('error', () => {}).resume(), 'close');
    };
    const ours = Promise.all(Array.from({ length: 20 }, () => late(slow.port))).then(() => 'ours');
    const theirs = late((plain.address() as AddressInfo).port).then(() => 'theirs');
    expect(await Promise.race([ours, theirs])).toBe('ours');
    plain.closeAllConnections();
    plain.close();
    await Promise.all([theirs, slow.close()]);
  });
});

describe('H17: bodies have a limit', () => {
  test('by their stated length', async () => {
    const answer = await rawRequest(
      server.port,
      head('POST', '/api/demo', [`Host: 127.0.0.1:${server.port}`, `Content-Length: ${MAX_BODY_BYTES + 1}`]) + '{"a":',
    );
    // It answers although the body has not come: who waited for it would wait for ever.
    expect(statusOf(answer)).toBe(413);
  });

  test('by what really comes', async () => {
    const chunk = new Uint8Array(100_000).fill(0x5b);
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(chunk);
      },
    });
    const response = await makeApp().app.request('/api/demo', {
      method: 'POST',
      headers: BEARER,
      body,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
  });

  test('deep JSON within the limit is not parsed', async () => {
    const send = (path: string) =>
      makeApp().app.request(path, {
        method: 'POST',
        headers: { ...BEARER, 'content-type': 'application/json' },
        body: `${'['.repeat(250_000)}${']'.repeat(250_000)}`,
      });
    expect((await send('/api/demo')).status).toBe(200);
    const refused = await send('/api/sessions/batch-status');
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('deeper than 50 levels');
  });

  test('a body of another type is refused', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const headers = { ...BEARER, 'content-type': type };
      const response = await makeApp().app.request('/api/sessions/batch-status', {
        method: 'POST',
        headers,
        body: '{}',
      });
      expect(response.status).toBe(415);
    }
  });
});
