import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

export interface Asked {
  readonly path: string;
  readonly token: string;
  /** The Fuel-Upload header; null for events. */
  readonly upload: {
    readonly file: { readonly path: string };
    readonly generation: { readonly size_bytes: number };
  } | null;
  readonly events: readonly { readonly id: string }[];
}

export interface FakeServer extends AsyncDisposable {
  readonly url: string;
  readonly asked: Asked[];
  /** Answers as configured, and otherwise accepts everything. */
  script: (asked: Asked) => Answer | null;
}

/** A server with scripted responses. */
export async function startFakeServer(): Promise<FakeServer> {
  const asked: Asked[] = [];
  const fake = { asked, script: (() => null) as FakeServer['script'] };
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const one = await read(request);
    asked.push(one);
    const { status, headers = {}, body = {} } = fake.script(one) ?? accept(one);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(fake, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: () => close(server),
  });
}

async function read(request: IncomingMessage): Promise<Asked> {
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
  const header = request.headers['fuel-upload'];
  const isEvents = header === undefined;
  return {
    path: request.url ?? '',
    token: request.headers.authorization?.replace('Bearer ', '') ?? '',
    upload: isEvents ? null : (JSON.parse(String(header)) as NonNullable<Asked['upload']>),
    events: isEvents ? (JSON.parse(body.toString('utf8')) as { events: { id: string }[] }).events : [],
  };
}

function accept({ upload, events }: Asked): Answer {
  if (upload !== null) return { status: 200, body: { status: 'uploaded', size_bytes: upload.generation.size_bytes } };
  return { status: 200, body: { results: events.map(({ id }) => ({ id, status: 'accepted' })) } };
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
