import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyCommands } from '../../test/browser/support/empty-commands.ts';
import {
  BEARER,
  examplePath,
  makeApp,
  makeData,
  makePatientApp,
  SESSION_ID,
  startTestServer,
  type TestServer,
  TOKEN,
} from '../../test/browser/support/make-app.ts';
import { createMemoryKeys } from '../../test/browser/support/memory-keys.ts';
import { rawRequest, statusOf } from '../../test/browser/support/raw-request.ts';
import type { NewBrowserKey } from '../api/browser-keys.ts';
import { PAGE_PATHS } from '../domain/page-paths.ts';
import { isSameToken } from './auth.ts';
import { MAX_TOKEN_FAILURES, TOKEN_FAILURE_WINDOW_MS } from './limits.ts';
import { ROUTES } from './routes.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.close());

const BEARER_ROUTES = ROUTES.filter((route) => route.access === 'bearer');

describe('H6: no token, no data, even on loopback', () => {
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
    const { app } = makePatientApp();
    for (const route of BEARER_ROUTES) {
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

  test('a token in the query, a cookie or another header is ignored', async () => {
    const { app } = makeApp();
    expect((await app.request(`/api/status?token=${TOKEN}`)).status).toBe(401);
    expect((await app.request('/api/status', { headers: { cookie: `token=${TOKEN}` } })).status).toBe(401);
    expect((await app.request('/api/status', { headers: { 'x-authorization': `Bearer ${TOKEN}` } })).status).toBe(401);
  });

  test('an escaped path does not bypass the check', async () => {
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

  test('only these routes are open', () => {
    expect(ROUTES.filter((route) => route.access === 'open').map((route) => route.path)).toEqual([
      ...PAGE_PATHS,
      '/assets/:file',
      '/s/:token',
      '/api/health',
      '/api/ready',
      '/api/openapi.json',
    ]);
  });
});

describe('H8: tokens are compared in constant time', () => {
  test('a guess of any length is right or wrong, never an error', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (given, expected) => {
        expect(isSameToken(given, expected)).toBe(given === expected);
        expect(isSameToken(expected, expected)).toBe(true);
      }),
    );
  });

  test('nothing in the server compares a token character by character', () => {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
    const bySign = /\b(?:token|given|bearer|sha256)\b\s*[!=]==(?!\s*(?:null\b|undefined\b|'))/i;
    const found = sources.filter((file) => bySign.test(readFileSync(join(folder, file), 'utf8')));
    expect(sources).toContain('auth.ts');
    expect(found).toEqual([]);
  });
});

describe('H9: guessing is slowed down', () => {
  test('after ten failures in a minute a guess gets 429, while the right token works; a minute later it gets 401 again', async () => {
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

describe('H5: the key of a browser', () => {
  const keys = createMemoryKeys();
  const { app } = makeApp({
    browserKeys: keys.lookup,
    commands: { ...createEmptyCommands(makeData()), ...keys.commands },
  });
  const post = (path: string, token: string, body: object = {}) =>
    app.request(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const statusOfKey = async (key: string) =>
    (await app.request('/api/status', { headers: { authorization: `Bearer ${key}` } })).status;

  test('is issued only for the server token, reads until it is revoked, and can neither upload nor issue keys', async () => {
    const { id, key } = (await (await post('/api/browser-keys', TOKEN, { name: 'Firefox' })).json()) as NewBrowserKey;
    expect(await statusOfKey(key)).toBe(200);
    expect(await statusOfKey(`${key.slice(0, -1)}0`)).toBe(401);
    expect((await post('/api/browser-keys', key, { name: 'Another' })).status).toBe(403);
    expect((await post('/api/events/ingest', key, { events: [] })).status).toBe(403);
    const headers = { authorization: `Bearer ${key}` };
    expect((await app.request(`/api/browser-keys/${id}`, { method: 'DELETE', headers })).status).toBe(200);
    expect(await statusOfKey(key)).toBe(401);
  });

  test('that is wrong counts as a wrong token', async () => {
    const guess = `brw_${'0'.repeat(16)}_${'0'.repeat(64)}`;
    const statuses: number[] = [];
    for (let count = 0; count <= MAX_TOKEN_FAILURES; count += 1) statuses.push(await statusOfKey(guess));
    expect(statuses.at(-1)).toBe(429);
  });
});
