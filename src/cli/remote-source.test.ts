import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestServer, TOKEN } from '../../test/browser/support/make-app.ts';
import { runCommand } from '../../test/support/run-command.ts';
import type { BatchStatus } from '../api/sessions.ts';
import { createClient } from '../client/client.ts';
import { loadConfig } from '../config.ts';
import { loadCommands } from './commands.ts';
import { parseArguments } from './parse-arguments.ts';
import { waitUntilParsed } from './remote-source.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server with custom responses, and the requests it received. */
async function stranger(answer: Answer) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.rawHeaders.join(' ')}`);
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** Proves that it knows the token, and answers everything else with the given handler. */
function proven(answer: Answer): Promise<{ readonly origin: string }> {
  return stranger((request, response) => {
    const nonce = /^\/api\/health\?nonce=(\w+)$/.exec(request.url ?? '')?.[1];
    if (nonce === undefined) return answer(request, response);
    const proof = createHmac('sha256', TOKEN).update(`${nonce}\n${request.headers.host}`).digest('hex');
    sendJson(response, 200, { status: 'ok', version: '0.0.1', proof });
  });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const configured = { FUEL_CODE_HOME: '/nonexistent/fuel-code', FUEL_CODE_SERVER_TOKEN: TOKEN };

const worldOf = (env: Readonly<Record<string, string>>) => ({
  config: loadConfig(env).config,
  openApp: () => Promise.reject(new Error('something of this machine was opened')),
});

async function ask(line: string, env: Readonly<Record<string, string>> = configured) {
  const { error } = await runCommand(line.split(' '), worldOf(env));
  return { code: error?.code, exit: error?.exitCode, message: error?.message ?? '', hint: error?.hint ?? '' };
}

describe('a server that cannot be used', () => {
  test('reports that no server is listening', async () => {
    const { origin } = await stranger(() => {});
    await new Promise((resolve) => servers.pop()?.close(resolve));
    const { code, exit, message } = await ask(`sessions --server ${origin}`);
    expect([code, exit]).toEqual(['unreachable', 6]);
    expect(message).toBe(`The server at ${origin} is not responding: connection refused.`);
  });

  test('does not send the token to a server with another token', async () => {
    const server = await startTestServer();
    const token = 'ff'.repeat(32);
    const { code, exit, message, hint } = await ask(`sessions --server ${server.url}`, {
      ...configured,
      FUEL_CODE_SERVER_TOKEN: token,
    });
    await server.close();
    expect([code, exit]).toEqual(['unauthorized', 4]);
    expect(message).toContain(server.url.slice(0, -1));
    expect(hint).toContain('was not sent');
  });

  test.each<[string, Answer]>([
    ['an HTML page', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>')],
    ['a 404 response', (_, response) => response.writeHead(404).end('not found')],
    ['other JSON', (_, response) => sendJson(response, 200, { status: 'ok' })],
    ['an invalid proof', (_, response) => sendJson(response, 200, { status: 'ok', proof: 7 })],
    ['JSON null', (_, response) => sendJson(response, 200, null)],
    ['a JSON string', (_, response) => sendJson(response, 500, 'sorry')],
    ['a redirect', (_, response) => response.writeHead(302, { location: 'https://example.org/' }).end()],
    [
      'an incomplete response',
      (_, response) => response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
    ],
  ])('rejects a server that is not fuel-code: %s', async (_, answer) => {
    const { origin, seen } = await stranger(answer);
    const { code, exit } = await ask(`status --server ${origin}`);
    expect([code, exit]).toEqual(['unreachable', 6]);
    expect(seen).toHaveLength(1);
    expect(seen.join()).not.toContain(TOKEN);
  });

  test('J15: refuses unencrypted connections to other machines', async () => {
    const { code, exit, message, hint } = await ask('sessions --server http://10.1.2.3:4680');
    expect([code, exit]).toEqual(['bad_config', 2]);
    expect(message).toBe('http://10.1.2.3:4680 is on another machine and not encrypted.');
    expect(hint).toContain('serverAllowHttp');
  });

  test('reports a missing server URL, a missing token and an invalid URL', async () => {
    expect(await ask('sessions --remote')).toMatchObject({
      code: 'bad_config',
      hint: expect.stringContaining('serverUrl'),
    });
    const { FUEL_CODE_HOME } = configured;
    const keyless = await ask('sessions --server http://127.0.0.1:4680', { FUEL_CODE_HOME });
    expect(keyless).toMatchObject({ code: 'bad_config', hint: expect.stringContaining('FUEL_CODE_SERVER_TOKEN') });
    for (const address of [
      'nonsense',
      'ftp://example.org',
      'https://ada:secret@example.org',
      'https://example.org?a=b',
    ])
      expect(await ask(`sessions --server ${address}`)).toMatchObject({ code: 'usage', exit: 2 });
  });

  test('rejects a token in the URL without repeating it', async () => {
    const { code, message, hint } = await ask(`sessions --server http://127.0.0.1:4680/#token=${TOKEN}`);
    expect(code).toBe('usage');
    expect(message).not.toContain(TOKEN);
    expect(hint).toContain('FUEL_CODE_SERVER_TOKEN');
  });

  test('reports a server that is too old for the request', async () => {
    const noRoute = { error: { code: 'unknown_route', message: 'Unknown route.', hint: null } };
    const older = await proven((_, response) => sendJson(response, 404, noRoute));
    const otherMethods = await proven((_, response) => sendJson(response, 405, {}));
    for (const [line, { origin }] of [
      ['tools', older],
      ['pin x', otherMethods],
    ] as const) {
      const { code, message, hint } = await ask(`${line} --server ${origin}`);
      expect([code, message]).toEqual(['unreachable', `The server at ${origin} does not support this request.`]);
      expect(hint).toContain('older version');
    }
  });

  test('does not mistake a missing session for an old server', async () => {
    const server = await startTestServer();
    expect(await ask(`session zzz --server ${server.url}`)).toMatchObject({ code: 'not_found', exit: 3 });
    await server.close();
  });

  test.each(['{"sessions":[', '', 'null'])('reports an incomplete or invalid response: %s', async (body) => {
    const { origin } = await proven((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    expect(await ask(`sessions --server ${origin}`)).toMatchObject({ code: 'unreachable', exit: 6 });
  });

  test('reports an export that ends early', async () => {
    const { origin } = await proven((request, response) => {
      if (!request.url?.includes('/export')) return sendJson(response, 200, { id: 'x', lifecycle: 'parsed' });
      response.writeHead(200, { 'content-type': 'application/json', 'content-disposition': 'attachment' });
      response.write('{"blocks":[', () => response.destroy());
    });
    const { code, message } = await ask(`session x --export json --server ${origin}`);
    expect([code, message]).toEqual(['unreachable', 'The export ended early.']);
  });

  test('stops waiting on Ctrl-C', async () => {
    const stop = new AbortController();
    const { origin } = await proven(() => stop.abort());
    const world = { ...worldOf(configured), signal: stop.signal };
    const { error } = await runCommand(['sessions', '--server', origin], world);
    expect(error).toMatchObject({ code: 'interrupted' });
  });
});

test('tail reports a lost connection and reconnects', async () => {
  const stop = new AbortController();
  const ids = ['one', 'two', 'three'];
  const { origin } = await proven((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const id = ids.shift();
    if (id === undefined) stop.abort();
    response.write(`event: session\ndata: ${JSON.stringify({ id })}\n\n`, () => response.destroy());
  });
  const world = { ...worldOf(configured), signal: stop.signal };
  const { out, err } = await runCommand(['tail', '--json', '--server', origin], world);
  expect(out).toBe('{"id":"one"}\n{"id":"two"}\n{"id":"three"}\n');
  expect(err.split('\n')[0]).toBe('The server is not responding; retrying.');
});

test('commands that only work on this machine reject --remote and --server', async () => {
  const commands = await loadCommands();
  const own = commands.filter(({ options }) => !Object.hasOwn(options, 'remote'));
  expect(own.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['start', 'backfill', 'verify', 'restore', 'hooks', 'queue', 'doctor', 'config']),
  );
  for (const command of own) {
    for (const words of [['--remote'], ['--server', 'https://example.org'], ['--server=https://example.org']]) {
      expect(() => parseArguments(command, words)).toThrow(`\`fuel-code ${command.name}\` only works on this machine`);
    }
  }
});

type Status = BatchStatus['statuses'][number];

const never = new AbortController().signal;
const status = (id: string, parse_status: Status['parse_status'], more: Partial<Status> = {}): Status => ({
  id,
  lifecycle: 'ended',
  parse_status,
  parse_error: null,
  ...more,
});

/** A server that returns a status per session and request number, and records the number of ids in each request. */
function serverOf(statusOf: (id: string, nth: number) => Status) {
  const asked: number[] = [];
  const transport = (_: string, { body }: RequestInit) => {
    const { session_ids } = JSON.parse(body as string) as { session_ids: string[] };
    asked.push(session_ids.length);
    const statuses = session_ids.map((id) => statusOf(id, asked.length));
    return Response.json({ statuses, not_found: [] } satisfies BatchStatus);
  };
  return { client: createClient({ origin: '', token: () => null, transport }), asked };
}

describe('waiting for a server to reparse sessions', () => {
  test('polls only the sessions that are not finished, until none is left', async () => {
    const { client, asked } = serverOf((id, nth) =>
      status(id, id === 'slow' && nth < 3 ? (nth === 1 ? 'pending' : 'parsing') : 'completed'),
    );
    const derived = await waitUntilParsed(client, ['slow', 'quick'], { signal: never, askEveryMs: 1 });
    expect(derived).toEqual({ sessions_parsed: 2, failed: [] });
    expect(asked).toEqual([2, 1, 1]);
  });

  test('lists failed sessions and does not wait for sessions without data', async () => {
    const { client } = serverOf((id) =>
      id === 'broken' ? status(id, 'failed', { parse_error: 'no' }) : status(id, 'pending', { lifecycle: 'detected' }),
    );
    const derived = await waitUntilParsed(client, ['broken', 'empty'], { signal: never, askEveryMs: 1 });
    expect(derived).toEqual({ sessions_parsed: 0, failed: [{ path: 'broken', error: 'no' }] });
  });

  test('polls any number of sessions in batches', async () => {
    const ids = Array.from({ length: 2_500 }, (_, at) => `session-${at}`);
    const { client, asked } = serverOf((id, nth) => status(id, nth === 1 ? 'pending' : 'completed'));
    const { sessions_parsed } = await waitUntilParsed(client, ids, { signal: never, askEveryMs: 1 });
    expect(sessions_parsed).toBe(ids.length);
    expect(Math.max(...asked)).toBeLessThanOrEqual(1_000);
  });

  test('stops when aborted', async () => {
    const { client } = serverOf((id) => status(id, 'pending'));
    const signal = AbortSignal.abort();
    await expect(waitUntilParsed(client, ['x'], { signal })).rejects.toMatchObject({ code: 'interrupted' });
  });
});
