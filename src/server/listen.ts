import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { FuelError } from '../domain/errors.ts';
import type { ServerApp } from './app.ts';
import { errorBody } from './errors.ts';
import {
  CLOSE_GRACE_MS,
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
  REQUEST_TIMEOUT_MS,
} from './limits.ts';
import { SECURITY_HEADERS } from './security.ts';

type RequestHandler = Pick<ServerApp, 'fetch'>;

interface ListenOptions {
  readonly host: string;
  /** Other machines can reach it; requires allowedHosts. */
  readonly isOpen?: boolean;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Time a client has to send its headers. */
  readonly headersTimeoutMs?: number;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);

/** H7: only binds to loopback, unless `isOpen`. Errors: usage for another address; busy when the port is taken; bad_config otherwise. */
export async function listen(app: RequestHandler, options: ListenOptions): Promise<Listening> {
  const { host, port, isOpen = false, headersTimeoutMs = HEADERS_TIMEOUT_MS } = options;
  if (!isOpen && !LOOPBACK_ADDRESSES.has(host)) {
    throw new FuelError('usage', `The server only binds to 127.0.0.1 or ::1, not ${JSON.stringify(host)}.`);
  }
  const server = createHttpServer(app, headersTimeoutMs);
  await bind(server, { host, port });
  const bound = (server.address() as AddressInfo).port;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${bound}/`, port: bound, close: () => closeServer(server) };
}

/**
 * Listens on both loopback addresses, if the machine has both: a browser may use either for `localhost`, and must not
 * reach another program there. Errors: as `listen`.
 */
export async function listenOnLoopback(app: RequestHandler, port: number): Promise<Listening> {
  const first = await listen(app, { host: '127.0.0.1', port });
  try {
    const second = await listen(app, { host: '::1', port: first.port });
    return { ...first, close: async () => void (await Promise.all([first.close(), second.close()])) };
  } catch (error) {
    if (hasNoAddress(error)) return first;
    await first.close();
    throw error;
  }
}

function hasNoAddress(error: unknown): boolean {
  const { code } = ((error as FuelError).cause ?? {}) as NodeJS.ErrnoException;
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}

/** A late request stays open for at most this part of its timeout beyond it. */
const CHECKS_PER_TIMEOUT = 4;

function createHttpServer(app: RequestHandler, headersTimeoutMs: number): Server {
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // Reached only by requests so malformed that no route can be chosen.
    errorHandler: () => malformedAnswer(),
  });
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    // By default Node.js checks for late requests every 30 seconds, so they would stay open that much longer.
    connectionsCheckingInterval: headersTimeoutMs / CHECKS_PER_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  };
  const server = createServer(options, (incoming, outgoing) => void listener(incoming, outgoing));
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

function malformedAnswer(): Response {
  const error = new FuelError('usage', 'The request is malformed.');
  return Response.json(errorBody(error), {
    status: error.status,
    headers: { ...SECURITY_HEADERS, 'cache-control': 'no-store' },
  });
}

function bind(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    // Never removed: a failed accept later on (no file handles left) must not end the program.
    server.on('error', (cause: NodeJS.ErrnoException) => reject(bindError(cause, host, port)));
    server.listen({ host, port, exclusive: true }, resolve);
  });
}

const BIND_REASONS: Readonly<Record<string, { readonly why: string; readonly hint: string }>> = {
  EADDRNOTAVAIL: { why: 'this machine has no such address', hint: 'Set host to an address of this machine.' },
  ENOTFOUND: { why: 'the name is unknown', hint: 'Set host to an address of this machine.' },
  EAFNOSUPPORT: { why: 'this kind of address is not supported here', hint: 'Set host to an IPv4 address.' },
  EACCES: { why: 'permission denied', hint: 'Choose a port above 1023 with --port.' },
};

function bindError(cause: NodeJS.ErrnoException, host: string, port: number): FuelError {
  if (cause.code === 'EADDRINUSE') {
    return new FuelError('busy', `Port ${port} is taken by another program.`, {
      hint: 'Choose another with --port.',
      cause,
    });
  }
  const { why, hint } = BIND_REASONS[cause.code ?? ''] ?? { why: cause.message, hint: undefined };
  return new FuelError('bad_config', `Cannot listen on ${host}, port ${port}: ${why}.`, { hint, cause });
}

/** Gives running requests a moment to finish, then closes all connections: an open page must not keep us alive. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
