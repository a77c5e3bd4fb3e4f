import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';

/** How the store treats `If-None-Match: *` on PUT. */
export type ConditionMode = 'honor' | 'ignore' | 'refuse';

interface StoredObject {
  readonly bytes: Uint8Array;
  readonly crc32: string;
}

export interface Exchange {
  readonly method: string;
  readonly key: string;
  readonly body: Uint8Array;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Handles the request like a healthy server. */
  serve(): void;
  /** Stores the body regardless of the condition, without responding. */
  store(): void;
  fail(status: number, code: string): void;
}

/** Handles one request in place of the healthy server. */
export type Fault = (exchange: Exchange) => void;

export interface FaultS3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly objects: Map<string, StoredObject>;
  /** `PUT 412`, `GET 200`, ... in the order answered. */
  readonly answers: readonly string[];
  /** Applies these faults to the next requests with this method, one each, in order. */
  plan(method: string, ...faults: readonly Fault[]): void;
  /** Changes the bytes of an object but not its checksum, like a failing disk. */
  damage(key: string, change: (bytes: Uint8Array) => Uint8Array): void;
  close(): Promise<void>;
}

export const PAGE_KEYS = 3;

/** A subset of S3 that can misbehave on demand: objects, checksums, conditional PUT and paged lists, all in memory. */
export async function startFaultS3Server(options: { readonly condition?: ConditionMode } = {}): Promise<FaultS3Server> {
  const { condition = 'honor' } = options;
  const bucket = 'archive';
  const objects = new Map<string, StoredObject>();
  const planned = new Map<string, Fault[]>();
  const answers: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const exchange = makeExchange({ request, response, body, objects, bucket, condition });
    const fault = planned.get(exchange.method)?.shift();
    if (fault === undefined) exchange.serve();
    else fault(exchange);
  };
  const server = createServer((request, response) => {
    response.on('close', () =>
      answers.push(`${request.method} ${response.writableFinished ? response.statusCode : 'cut'}`),
    );
    void handle(request, response);
  });
  const port = await listen(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    objects,
    answers,
    plan: (method, ...faults) => planned.set(method, [...(planned.get(method) ?? []), ...faults]),
    damage: (key, change) => {
      const object = objects.get(key);
      if (object === undefined) throw new Error(`no object ${key}`);
      objects.set(key, { ...object, bytes: change(object.bytes) });
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface Incoming {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Uint8Array;
  readonly objects: Map<string, StoredObject>;
  readonly bucket: string;
  readonly condition: ConditionMode;
}

function makeExchange(incoming: Incoming): Exchange {
  const { request, response, body, objects, bucket } = incoming;
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [bucketAsked = '', ...rest] = decodeURIComponent(url.pathname).slice(1).split('/');
  const exchange: Exchange = {
    method: request.method ?? '',
    key: rest.join('/'),
    body,
    request,
    response,
    store: () => {
      objects.set(exchange.key, { bytes: body, crc32: crc32Base64(body) });
    },
    fail: (status, code) => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} on purpose</Message></Error>`);
    },
    serve: () => {
      if (bucketAsked !== bucket) exchange.fail(404, 'NoSuchBucket');
      else if (exchange.key === '') listObjects(exchange, url.searchParams, objects);
      else serveObject(exchange, incoming);
    },
  };
  return exchange;
}

function serveObject(exchange: Exchange, incoming: Incoming): void {
  const { method, key, response } = exchange;
  const object = incoming.objects.get(key);
  if (method === 'PUT') return putObject(exchange, incoming);
  if (method === 'DELETE') {
    incoming.objects.delete(key);
    response.writeHead(204).end();
    return;
  }
  if (object === undefined) return exchange.fail(404, 'NoSuchKey');
  sendObject(exchange, object);
}

export function sendObject(exchange: Exchange, object: StoredObject): void {
  const wantsChecksum = exchange.request.headers['x-amz-checksum-mode'] === 'ENABLED';
  exchange.response.writeHead(200, {
    'content-length': object.bytes.byteLength,
    ...(wantsChecksum ? { 'x-amz-checksum-crc32': object.crc32, 'x-amz-checksum-type': 'FULL_OBJECT' } : {}),
  });
  exchange.response.end(exchange.method === 'HEAD' ? undefined : object.bytes);
}

function putObject(exchange: Exchange, { objects, condition }: Incoming): void {
  const { headers } = exchange.request;
  // The server must receive the raw bytes and the checksum that the SDK promises for them.
  if (headers['content-encoding'] === 'aws-chunked') return exchange.fail(501, 'ChunkedNotSpokenHere');
  if (headers['x-amz-checksum-crc32'] !== crc32Base64(exchange.body)) return exchange.fail(400, 'BadDigest');
  const isConditional = headers['if-none-match'] === '*';
  if (isConditional && condition === 'refuse') return exchange.fail(501, 'NotImplemented');
  if (isConditional && condition === 'honor' && objects.has(exchange.key)) {
    return exchange.fail(412, 'PreconditionFailed');
  }
  exchange.store();
  exchange.response.writeHead(200).end();
}

/** Pages of three keys, so that every list in the tests needs several pages. */
function listObjects(exchange: Exchange, query: URLSearchParams, objects: ReadonlyMap<string, StoredObject>): void {
  const after = query.get('continuation-token') ?? '';
  const prefix = query.get('prefix') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, PAGE_KEYS);
  const more = keys.length > page.length;
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
  const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  exchange.response.writeHead(200, { 'content-type': 'application/xml' });
  exchange.response.end(
    `<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${contents}</ListBucketResult>`,
  );
}

function crc32Base64(bytes: Uint8Array): string {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(crc32(bytes));
  return buffer.toString('base64');
}
