import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { withQueries } from '../../test/browser/support/empty-data.ts';
import {
  BEARER,
  DEVICE_PATHS,
  examplePath,
  exampleWith,
  makeApp,
  makeData,
  SESSION_ID,
  TOKEN,
} from '../../test/browser/support/make-app.ts';
import { FuelError } from '../domain/errors.ts';
import { PAGE_PATHS } from '../domain/page-paths.ts';
import { MAX_REPORT_ROWS } from './limits.ts';
import { ROUTES } from './routes.ts';

async function get(path: string, init: RequestInit = { headers: BEARER }) {
  return makeApp().app.request(path, init);
}

async function errorOf(response: Response): Promise<{ code: string; message: string; hint: string | null }> {
  return ((await response.json()) as { error: { code: string; message: string; hint: string | null } }).error;
}

describe('answers have the types of the API', () => {
  test('health needs no token and returns the version', async () => {
    const response = await get('/api/health', {});
    expect(await response.json()).toEqual({ status: 'ok', version: '1.2.3' });
  });

  test('L9: health proves with an HMAC of nonce and host that it knows the token', async () => {
    const nonce = '00ff'.repeat(8);
    const answer = (await (await get(`/api/health?nonce=${nonce}`, {})).json()) as { proof: string };
    expect(answer.proof).toBe(createHmac('sha256', TOKEN).update(`${nonce}\nlocalhost`).digest('hex'));
  });

  test('list, one session, transcript, search, status', async () => {
    expect(await (await get('/api/sessions')).json()).toMatchObject({
      sessions: [{ id: SESSION_ID }],
      has_more: false,
    });
    expect(await (await get(`/api/sessions/${SESSION_ID.slice(0, 6)}`)).json()).toMatchObject({ id: SESSION_ID });
    expect(await (await get(`/api/sessions/${SESSION_ID}/transcript?after=-1&limit=5`)).json()).toMatchObject({
      messages: [{ ordinal: 0 }],
      next_after: null,
    });
    expect(await (await get('/api/search?q=ferry')).json()).toMatchObject({ sessions: [{ session_id: SESSION_ID }] });
    expect(await (await get('/api/status')).json()).toMatchObject({ sessions: 1, import: { phase: 'idle' } });
  });

  test('the filters of the list reach the store', async () => {
    expect(await (await get('/api/sessions?lifecycle=failed,ended')).json()).toMatchObject({ sessions: [] });
    expect(await (await get('/api/sessions?workspace_id=workspace-1&lifecycle=parsed')).json()).toMatchObject({
      sessions: [{ id: SESSION_ID }],
    });
  });

  test('HEAD is GET without a body', async () => {
    const response = await get('/api/status', { method: 'HEAD', headers: BEARER });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('HEAD of a file has its size and ignores ranges, without reading it; a range outside of it gets 416 and the size', async () => {
    let reads = 0;
    const data = makeData();
    const openFile: typeof data.openFile = async () => ({
      path: 'projects/pier/a.jsonl',
      sizeBytes: 5,
      tag: 'tag',
      async *read() {
        reads += 1;
        yield new TextEncoder().encode('ferry');
      },
      links: () => Promise.reject(new Error('none')),
    });
    const { app } = makeApp({ data: { ...data, openFile } });
    const ask = (method: string, range: string) =>
      app.request(`/api/sessions/${SESSION_ID}/transcript/raw`, { method, headers: { ...BEARER, range } });
    const head = await ask('HEAD', 'bytes=1-2');
    expect([head.status, head.headers.get('content-length'), head.headers.get('content-range')]).toEqual([
      200,
      '5',
      null,
    ]);
    const outside = await ask('GET', 'bytes=5-');
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, 'bytes */5']);
    expect(await errorOf(outside)).toMatchObject({ code: 'bad_range' });
    expect(reads).toBe(0);
    expect(await (await ask('GET', 'Bytes=1-2')).text()).toBe('ferry');
  });

  test('an unsupported method gets 405 and the list of supported ones', async () => {
    const response = await get('/api/sessions', { method: 'DELETE', headers: BEARER });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, PATCH, HEAD']);
  });
});

describe('the demo', () => {
  test('is missing until it is loaded, then answers under its own path', async () => {
    const { app } = makeApp();
    const read = () => app.request('/demo/api/sessions', { headers: BEARER });
    expect((await read()).status).toBe(404);
    const loaded = await app.request('/api/demo', { method: 'POST', headers: BEARER });
    expect(await loaded.json()).toEqual({ ok: true });
    expect((await read()).status).toBe(200);
  });

  test('is loaded once for several callers, and again after a failure', async () => {
    let calls = 0;
    const openDemo = async () => {
      calls += 1;
      if (calls === 1) throw new FuelError('busy', 'Not now.');
      return makeData();
    };
    const { app } = makeApp({ openDemo });
    const post = async () => (await app.request('/api/demo', { method: 'POST', headers: BEARER })).status;
    expect(await post()).toBe(503);
    expect(await Promise.all([post(), post(), post()])).toEqual([200, 200, 200]);
    expect(calls).toBe(2);
  });
});

describe('invalid input is rejected by name', () => {
  test.each([
    ['/api/sessions?limit=201', 'limit'],
    ['/api/sessions?limit=0', 'limit'],
    ['/api/sessions?limit=1e2', 'limit'],
    ['/api/sessions?limit=5&limit=6', 'limit'],
    ['/api/sessions?lifecycle=', 'lifecycle'],
    ['/api/sessions?cursor=%00', 'cursor'],
    ['/api/sessions?workspace_id=a%00b', 'workspace_id'],
    ['/api/sessions?__proto__=1', '__proto__'],
    ['/api/sessions?order=cost', 'order'],
    [`/api/sessions/${SESSION_ID}/transcript?after=x`, 'after'],
    [`/api/sessions/${SESSION_ID}/transcript?limit=-1`, 'limit'],
    ['/api/search', 'q'],
    ['/api/search?q=', 'q'],
    ['/api/search?q=%20%20', 'q'],
    [`/api/search?q=${'a'.repeat(501)}`, 'q'],
    ['/api/search?q=a&limit=101', 'limit'],
    ['/api/health?nonce=zz', 'nonce'],
    ['/api/status?x=1', 'x'],
  ])('%s', async (path, parameter) => {
    const response = await get(path);
    expect(response.status).toBe(400);
    const error = await errorOf(response);
    expect(error.code).toBe('usage');
    expect(error.message).toContain(`"${parameter}"`);
  });

  test('H15: a cursor that the store rejects gets its 400', async () => {
    expect((await get('/api/sessions?cursor=eyJhIjoxfQ')).status).toBe(400);
  });
});

describe('readiness', () => {
  test('is 503 without details while the database does not answer', async () => {
    const away = new FuelError('store_unavailable', 'The database does not answer: ECONNREFUSED 10.0.0.7:5432.');
    const { app, logged } = makeApp({ data: { ...makeData(), ping: () => Promise.reject(away) } });
    const response = await app.request('/api/ready');
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain('10.0.0.7');
    expect(logged).toHaveLength(1);
    expect((await app.request('/api/health')).status).toBe(200);
  });
});

describe('errors', () => {
  test('a defect shows neither its message nor its stack, and is logged', async () => {
    const data = withQueries(makeData(), { 'GET /status': () => Promise.reject(new Error('password=hunter2')) });
    const { app, logged } = makeApp({ data });
    const response = await app.request('/api/status', { headers: BEARER });
    expect(response.status).toBe(500);
    const body = await response.text();
    expect(body).not.toContain('hunter2');
    expect(body).not.toContain('.ts:');
    expect(logged).toMatchObject([{ message: 'request failed', fields: { message: 'password=hunter2' } }]);
  });

  test('a thrown value that is not an Error gets an answer too', async () => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    const data = withQueries(makeData(), { 'GET /status': () => Promise.reject('plain text') });
    const response = await makeApp({ data }).app.request('/api/status', { headers: BEARER });
    expect([response.status, (await errorOf(response)).code]).toEqual([500, 'internal']);
  });

  test('a report with too many rows is rejected', async () => {
    const own = makeData().queries;
    const rows = Array.from({ length: MAX_REPORT_ROWS + 1 }, () => ({}));
    const tooLong = async (report: object) => ({ ...report, rows }) as never;
    const data = withQueries(makeData(), {
      'GET /usage': async (input) => tooLong(await own['GET /usage'](input)),
      'GET /cost': async (input) => tooLong(await own['GET /cost'](input)),
    });
    for (const path of ['/api/usage', '/api/cost']) {
      const response = await makeApp({ data }).app.request(path, { headers: BEARER });
      expect([response.status, (await errorOf(response)).code]).toEqual([413, 'too_large']);
    }
  });

  test('missing parts of a request are named', async () => {
    const init = { method: 'PATCH', headers: { ...BEARER, 'content-type': 'application/json' }, body: '{}' };
    const { message } = await errorOf(await get('/api/workspaces/harbour', init));
    expect(message).toBe('The request is not valid: it must contain only one of display_name and merge_into.');
  });

  test('errors of the store keep their code, message and hint', async () => {
    const response = await get('/api/sessions/ffffffff');
    expect(response.status).toBe(404);
    expect(await errorOf(response)).toMatchObject({ code: 'not_found', message: 'No session with that id.' });
  });
});

describe('static files', () => {
  test('the page is not cached; its hashed files are cached forever', async () => {
    const page = await get('/', {});
    expect([page.headers.get('content-type'), page.headers.get('cache-control')]).toEqual([
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    const asset = await get('/assets/index-abc123.js', {});
    expect(asset.headers.get('cache-control')).toContain('immutable');
    expect(asset.headers.get('content-type')).toContain('javascript');
  });

  test.each(PAGE_PATHS)('%s serves the page', async (path) => {
    const response = await get(examplePath(path), {});
    expect([response.status, await response.text()]).toEqual([200, '<!doctype html><title>fuel-code</title>']);
  });

  test.each(['/sessions', '/session', '/session/a/b', '/searching', '/demo/demo', '/demo/api', '/demo/nowhere'])(
    '%s does not serve the page',
    async (path) => {
      expect((await get(path, {})).status).toBe(404);
    },
  );

  test('a browser at an unknown address gets the page, which says so; a program gets an error', async () => {
    const headers = { accept: 'text/html,*/*;q=0.8' };
    const page = await get('/nowhere', { headers });
    expect([page.status, await page.text()]).toEqual([404, '<!doctype html><title>fuel-code</title>']);
    for (const path of ['/api/nowhere', '/assets/nowhere', '/demo/api/nowhere']) {
      const answer = await get(path, { headers });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
    }
    expect((await get('/nowhere', { headers, method: 'POST' })).headers.get('content-type')).toBe('application/json');
  });

  test.each([
    '/index.html',
    '/private.html',
    '/assets/secret.env',
    '/assets/',
    '/assets/..%2f..%2fetc%2fpasswd',
    '/assets/%2e%2e/private.html',
  ])('H16: %s is not served', async (path) => {
    expect((await get(path, {})).status).toBe(404);
  });

  test('H16: an invalid id never reaches the store', async () => {
    const asked: string[] = [];
    const own = makeData().queries;
    const data = withQueries(makeData(), {
      'GET /sessions/:id': (input) => (asked.push(input.params.id), own['GET /sessions/:id'](input)),
      'GET /sessions/:id/transcript': (input) => (
        asked.push(input.params.id), own['GET /sessions/:id/transcript'](input)
      ),
    });
    const { app } = makeApp({ data });
    for (const id of [
      '..%2f..%2fetc',
      '%00',
      'a%5cb',
      "'%20OR%201=1--",
      'a%20b',
      '%252e',
      '-x',
      'a'.repeat(129),
      '%E2%80%AE',
      '*',
    ]) {
      for (const tail of ['', '/transcript']) {
        const { status } = await app.request(`/api/sessions/${id}${tail}`, { headers: BEARER });
        expect([id, status]).toEqual([id, 404]);
      }
    }
    expect(asked).toEqual([]);
  });

  test('without a built page, the answer says how to build it', async () => {
    const response = await makeApp({ files: new Map() }).app.request('/');
    expect(response.status).toBe(404);
    expect((await errorOf(response)).hint).toContain('npm run build');
  });
});

describe('the table of routes', () => {
  test('names each route once', () => {
    const names = ROUTES.map((route) => `${route.method} ${route.path}`);
    expect(new Set(names).size).toBe(names.length);
  });

  // Uploads from other devices are tested in test/contract/upload.test.ts.
  const plain = ROUTES.filter(({ path }) => !DEVICE_PATHS.has(path));
  test.each(plain.map((route) => [`${route.method} ${route.path}`, route] as const))('%s answers', async (_, route) => {
    const { app } = makeApp();
    await app.request('/api/demo', { method: 'POST', headers: BEARER });
    const response = await app.request(examplePath(route.path), exampleWith(route, BEARER));
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });
});
