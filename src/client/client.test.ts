import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest';
import { makeApp, SESSION_ID, startTestServer, TOKEN } from '../../test/browser/support/make-app.ts';
import type { LiveNews } from '../api/live.ts';
import type { SessionPage } from '../api/sessions.ts';
import { type Client, createClient, type Transport } from './client.ts';
import { followLive, readEvents } from './live.ts';
import { connectServer } from './prove-server.ts';

function inProcess(token: string | null = TOKEN): Client {
  const { app } = makeApp();
  return createClient({
    origin: 'http://localhost',
    token: () => token,
    transport: (url, init) => app.request(url, init),
  });
}

describe('the typed client', () => {
  test('calls a server in its own process', async () => {
    const client = inProcess();
    const page = await client.get('/sessions', { query: { limit: 5, lifecycle: 'parsed,ended' } });
    expectTypeOf(page).toEqualTypeOf<SessionPage>();
    expect(page.sessions.map(({ id }) => id)).toEqual([SESSION_ID]);
    const detail = await client.get('/sessions/:id', { params: { id: SESSION_ID } });
    expect(detail.workspace_name).toBe('harbour');
  });

  test('calls a server over a socket in the same way', async () => {
    const server = await startTestServer();
    const client = createClient({ origin: server.url.slice(0, -1), token: () => TOKEN });
    expect((await client.get('/sessions')).sessions).toHaveLength(1);
    const answer = await client.post('/sessions/batch-status', { body: { session_ids: ['a'] } });
    expect(answer.not_found).toEqual(['a']);
    await server.close();
  });

  test('throws errors with code, message and hint', async () => {
    await expect(inProcess(null).get('/sessions')).rejects.toMatchObject({
      code: 'unauthorized',
      hint: expect.stringContaining('fuel-code') as string,
    });
    await expect(inProcess().get('/sessions', { query: { cursor: 'forged' } })).rejects.toMatchObject({
      code: 'usage',
    });
  });

  test('reports an unreachable server and a server that is not fuel-code', async () => {
    const broken: Transport = () => Promise.reject(new TypeError('fetch failed'));
    const strange: Transport = () => new Response('<h1>It works!</h1>', { status: 500 });
    for (const transport of [broken, strange]) {
      const client = createClient({ origin: 'http://localhost', token: () => TOKEN, transport });
      await expect(client.get('/status')).rejects.toMatchObject({ code: 'unreachable' });
    }
  });

  test('escapes path and query parameters', async () => {
    const asked: string[] = [];
    const transport: Transport = (url) => (asked.push(url), Response.json({}));
    const client = createClient({ origin: '', token: () => null, transport });
    await client.get('/workspaces/:workspace_id', { params: { workspace_id: 'github.com/a/b?c' } });
    await client.get('/search', { query: { q: 'a&b=c #d' } });
    expect(asked).toEqual(['/api/workspaces/github.com%2Fa%2Fb%3Fc', '/api/search?q=a%26b%3Dc+%23d']);
  });

  test('does not compile calls that the API does not have', () => {
    const client = inProcess();
    const calls = () => [
      // @ts-expect-error there is no such path
      client.get('/nowhere'),
      // @ts-expect-error the path needs an id
      client.get('/sessions/:id'),
      // @ts-expect-error a search needs words
      client.get('/search'),
      // @ts-expect-error there is no such field
      client.get('/sessions', { query: { colour: 'red' } }),
    ];
    expect(calls).toBeTypeOf('function');
  });
});

describe('L9: a server proves itself before it gets the token', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function impostor(answer: (request: IncomingMessage) => Promise<string>) {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${JSON.stringify(request.rawHeaders)}`);
      void answer(request).then((body) => response.setHeader('content-type', 'application/json').end(body));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
  }

  test('accepts the real server', async () => {
    const server = await startTestServer();
    const client = await connectServer({ origin: server.url.slice(0, -1), token: TOKEN });
    expect((await client.get('/sessions')).sessions).toHaveLength(1);
    await server.close();
  });

  test('rejects a server that does not know the token', async () => {
    const answers = [
      ['', 'unreachable'],
      ['💥'.repeat(32), 'unreachable'],
      [7, 'unreachable'],
      // The proof of a server with another token.
      ['0'.repeat(64), 'unauthorized'],
    ] as const;
    for (const [proof, code] of answers) {
      const { origin, seen } = await impostor(async () => JSON.stringify({ status: 'ok', version: '1', proof }));
      await expect(connectServer({ origin, token: TOKEN })).rejects.toMatchObject({ code });
      expect(seen).toHaveLength(1);
      expect(seen.join()).not.toContain(TOKEN);
    }
  });

  test('rejects a server that relays the challenge to the real one, because the proof is for another port', async () => {
    const real = await startTestServer();
    const { origin, seen } = await impostor(async ({ url }) => (await fetch(real.url.slice(0, -1) + url)).text());
    await expect(connectServer({ origin, token: TOKEN })).rejects.toMatchObject({ code: 'unauthorized' });
    expect(seen.join()).not.toContain(TOKEN);
    await real.close();
  });
});

describe('live events', () => {
  const event = (id: string, type: string, data: object) =>
    `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  const stream = (text: string) => new Response(text, { headers: { 'content-type': 'text/event-stream' } });

  test('continues after the last event when the connection is lost', async () => {
    const lastIds: (string | null)[] = [];
    const answers = [
      () => stream(event('00000000-1', 'hello', {}) + event('00000000-2', 'session', { id: 'a' })),
      () => {
        throw new TypeError('fetch failed');
      },
      () => stream(`: still here\n\n${event('00000000-3', 'session', { id: 'b' })}`),
    ];
    const stop = new AbortController();
    const transport: Transport = (_, init) => {
      lastIds.push(new Headers(init.headers).get('last-event-id'));
      const answer = answers.shift();
      if (answer === undefined) stop.abort();
      return answer?.() ?? stream('');
    };
    const client = createClient({ origin: '', token: () => TOKEN, transport });
    const news: LiveNews[] = [];
    for await (const each of followLive(client, { signal: stop.signal, firstPauseMs: 1 })) news.push(each);
    expect(news.map(({ type }) => type)).toEqual(['hello', 'session', 'session']);
    expect(lastIds).toEqual([null, '00000000-2', '00000000-2', '00000000-3']);
  });

  test('does not retry after a refusal', async () => {
    const stop = new AbortController();
    const follow = followLive(inProcess('wrong'), { signal: stop.signal, firstPauseMs: 1 });
    await expect(follow.next()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('parses events split at any position', async () => {
    const text = event('00000000-1', 'session', { id: 'ä💥' }) + event('00000000-2', 'reset', {});
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
          controller.close();
        },
      });
      const events = await Array.fromAsync(readEvents(new Response(body)));
      expect(events.map(({ id, data }) => [id, JSON.parse(data)])).toEqual([
        ['00000000-1', { id: 'ä💥' }],
        ['00000000-2', {}],
      ]);
    }
  });
});
