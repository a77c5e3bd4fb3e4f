import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BEARER,
  DEVICE_PATHS,
  examplePath,
  exampleWith,
  makeApp,
  makeData,
  SESSION_ID,
  startTestServer,
  type TestServer,
} from '../../test/browser/support/make-app.ts';
import { head, rawRequest, statusOf } from '../../test/browser/support/raw-request.ts';
import type { DataSource } from '../app/data-source.ts';
import { archivedName } from '../reading/names.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { CONTENT_SECURITY_POLICY, DOWNLOAD_POLICY, SHARED_PAGE_POLICY } from './security.ts';

const API_ROUTES = ROUTES.filter((route) => route.path.includes('/api/'));

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await fetch(`${server.url}api/demo`, { method: 'POST', headers: BEARER });
});
afterAll(() => server.close());

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

  async function expectRejection({ method, path }: Pick<Route, 'method' | 'path'>, headers: string[]): Promise<void> {
    const answer = await rawRequest(server.port, head(method, examplePath(path), headers));
    expect([400, 403]).toContain(statusOf(answer));
    expect(answer).not.toContain(SESSION_ID);
  }

  test.each(Object.keys(foreign))('rejects: %s', async (name) => {
    // A page, a route that reads, one that changes data, one of the demo and one for other devices.
    const kinds = ['/', '/api/sessions', '/api/sessions/:id/notes', '/demo/api/sessions', '/api/events/ingest'];
    const routes = ROUTES.filter(({ path }) => kinds.includes(path));
    expect(routes.length).toBeGreaterThanOrEqual(kinds.length);
    for (const route of routes) await expectRejection(route, foreign[name]?.() ?? []);
  });

  test.each(['another name', 'none'])('rejects on every route: %s', async (name) => {
    for (const route of ROUTES) await expectRejection(route, foreign[name]?.() ?? []);
  });

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

  test('the three hosts of the list are answered', async () => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const answer = await rawRequest(server.port, head('GET', '/api/health', [`Host: ${host}:${server.port}`]));
      expect(statusOf(answer)).toBe(200);
    }
  });

  test('HTTP/1.0 without a Host is rejected', async () => {
    expect(statusOf(await rawRequest(server.port, 'GET /api/health HTTP/1.0\r\n\r\n'))).toBe(400);
  });
});

describe('H2: requests caused by another site are rejected, even with the token', () => {
  const origin = 'http://localhost';
  const cases: [string, Record<string, string>, number][] = [
    ['a program without browser headers', {}, 200],
    ['our own page', { 'sec-fetch-site': 'same-origin', origin }, 200],
    ['our own page, older browser', { origin }, 200],
    ['typed address', { 'sec-fetch-site': 'none' }, 200],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
    ['an image or script tag of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another port of localhost', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }, 403],
    ['an image or script tag of another port', { 'sec-fetch-site': 'same-site' }, 403],
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

  test('no GET has an effect', () => {
    expect(ROUTES.filter((route) => route.method !== 'GET').map((route) => route.path)).toEqual([
      '/api/demo',
      '/api/browser-keys',
      '/api/browser-keys/:key_id',
      '/api/sessions/batch-status',
      '/api/sessions',
      '/api/sessions/:id',
      '/api/sessions/:id/notes',
      '/api/notes/:note_id',
      '/api/notes/:note_id',
      '/api/sessions/:id/reparse',
      '/api/sessions/:id/restore',
      '/api/sessions/:id/archive',
      '/api/views',
      '/api/views/:view_id',
      '/api/views/:view_id',
      '/api/sessions/:id/shares',
      '/api/shares/:share_id',
      '/api/deletions',
      '/api/deletions/:session_id',
      '/api/budgets',
      '/api/budgets/:budget_id',
      '/api/workspaces/:workspace_id',
      '/api/devices/:device_id',
      '/api/events/ingest',
      '/api/git/ingest',
      '/api/deletions/ingest',
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

  test('H3: no CORS header at all, even for a preflight', async () => {
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
    'H22: a file named %j cannot end its header or start another',
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

  test.each([
    ['image/png', '\x89PNG\r\n\x1a\n0000'],
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF89a'],
    ['image/webp', 'RIFF\n\n\n\nWEBPVP8 '],
    [null, '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    [null, '<!doctype html><script>alert(1)</script>'],
    [null, ' GIF89a'],
    [null, '%PDF-1.7'],
    [null, ''],
  ])('H12: the type of an image is %s, whatever the transcript calls it', async (type, content) => {
    const { app } = makeApp({ data: { ...makeData(), readMedia: async () => Buffer.from(content, 'latin1') } });
    const path = `/api/sessions/${SESSION_ID}/messages/m1/blocks/0/bytes`;
    const { headers } = await app.request(path, { headers: BEARER });
    expect(headers.get('content-type')).toBe(type ?? 'application/octet-stream');
    expect(headers.get('content-disposition')?.startsWith('attachment') ?? false).toBe(type === null);
    expect(headers.get('content-security-policy')).toBe(DOWNLOAD_POLICY);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

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

test('docs/security.md quotes the policy that is sent', () => {
  const manual = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
  expect(manual).toContain(CONTENT_SECURITY_POLICY);
});
