import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collect } from '../../../test/support/collect.ts';
import {
  type ConditionMode,
  type Fault,
  type FaultS3Server,
  sendObject,
  startFaultS3Server,
} from '../../../test/support/fault-s3-server.ts';
import { createTestBucket } from '../../../test/support/test-bucket.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { storedPath } from './content-address.ts';
import { openS3Blobs, type S3BlobStore, type S3BlobsOptions } from './s3.ts';

const CONTENT = Buffer.concat([Buffer.from('a transcript '), randomBytes(20_000)]);
const ADDRESS = sha256Hex(CONTENT);
const KEY = `blobs/${storedPath(ADDRESS)}`;
const ACCESS = { region: 'us-east-1', accessKeyId: 'key', secretAccessKey: 'secret', forcePathStyle: true };

let server: FaultS3Server;
let blobs: S3BlobStore;

async function start(options: { condition?: ConditionMode } & Partial<S3BlobsOptions> = {}): Promise<void> {
  const { condition = 'honor', ...rest } = options;
  server = await startFaultS3Server({ condition });
  blobs = openS3Blobs({ ...ACCESS, endpoint: server.endpoint, bucket: server.bucket, ...rest });
}

async function stop(): Promise<void> {
  await blobs.close();
  await server.close();
}

const fails =
  (status: number, code: string): Fault =>
  (exchange) =>
    exchange.fail(status, code);
const resets: Fault = ({ response }) => void response.socket?.destroy();
const storesThenResets: Fault = (exchange) => {
  exchange.store();
  resets(exchange);
};
const givesHalf: Fault = ({ response, key }) => {
  const bytes = server.objects.get(key)?.bytes ?? new Uint8Array();
  response.writeHead(200, { 'content-length': bytes.byteLength });
  response.write(bytes.subarray(0, bytes.byteLength >> 1), () => response.socket?.destroy());
};
const givesHalfAndCallsItWhole: Fault = (exchange) => {
  const bytes = server.objects.get(exchange.key)?.bytes ?? new Uint8Array();
  exchange.response.writeHead(200, { 'content-length': bytes.byteLength >> 1 });
  exchange.response.end(bytes.subarray(0, bytes.byteLength >> 1));
};
const flip = (bytes: Uint8Array) => bytes.map((byte, at) => (at === 100 ? byte ^ 1 : byte));
const givesWrongBytes: Fault = (exchange) => {
  const object = server.objects.get(exchange.key);
  if (object !== undefined) sendObject(exchange, { ...object, bytes: flip(object.bytes) });
};
const isSilent: Fault = () => {};

/** The keys of the store, after the whole blob was read back. */
async function keysAfterReading(): Promise<readonly string[]> {
  expect(Buffer.compare(await blobs.get(ADDRESS), CONTENT)).toBe(0);
  return [...server.objects.keys()];
}

describe('a failing store', () => {
  beforeEach(() => start());
  afterEach(stop);

  test.each([
    ['503 SlowDown', fails(503, 'SlowDown')],
    ['500 InternalError', fails(500, 'InternalError')],
    ['a connection reset', resets],
  ])('G1: %s, then ok: put and get retry', async (_, fault) => {
    server.plan('PUT', fault, fault);
    server.plan('GET', fault);
    await blobs.put(CONTENT);
    expect(await keysAfterReading()).toEqual([KEY]);
  });

  test('G1: a store that stays overloaded is blob_unavailable, and accepts the blob once it has recovered', async () => {
    await blobs.close();
    blobs = openS3Blobs({ ...ACCESS, endpoint: server.endpoint, bucket: server.bucket, maxAttempts: 3 });
    server.plan('PUT', ...Array.from({ length: 3 }, () => fails(503, 'SlowDown')));
    await expect(blobs.put(CONTENT)).rejects.toMatchObject({ code: 'blob_unavailable', status: 503 });
    expect(server.answers).toEqual(['PUT 503', 'PUT 503', 'PUT 503']);
    await blobs.put(CONTENT);
    expect(await keysAfterReading()).toEqual([KEY]);
  });

  test.each([
    ['cut in the middle', givesHalf],
    ['cut in the middle but called whole', givesHalfAndCallsItWhole],
    ['with a wrong byte', givesWrongBytes],
  ])('G2: a body %s is requested once more', async (_, fault) => {
    await blobs.put(CONTENT);
    server.plan('GET', fault);
    expect(Buffer.compare(await blobs.get(ADDRESS), CONTENT)).toBe(0);
    expect(server.answers.filter((answer) => answer.startsWith('GET'))).toHaveLength(2);
  });

  test('G2: a body cut every time is blob_unavailable, a wrong one blob_corrupt', async () => {
    await blobs.put(CONTENT);
    server.plan('GET', givesHalf, givesHalf, givesHalfAndCallsItWhole, givesHalfAndCallsItWhole);
    await expect(blobs.get(ADDRESS)).rejects.toMatchObject({ code: 'blob_unavailable' });
    await expect(blobs.get(ADDRESS)).rejects.toMatchObject({ code: 'blob_corrupt' });
    server.plan('GET', givesWrongBytes, givesWrongBytes);
    await expect(blobs.get(ADDRESS)).rejects.toMatchObject({ code: 'blob_corrupt' });
  });

  test('G3: a PUT that was stored but not answered, then 412, is a success', async () => {
    server.plan('PUT', storesThenResets);
    expect(await blobs.put(CONTENT)).toMatchObject({ sha256: ADDRESS, sizeBytes: CONTENT.byteLength });
    expect(server.answers).toEqual(['PUT cut', 'PUT 412', 'GET 200']);
    expect(await keysAfterReading()).toEqual([KEY]);
  });

  test('G3: 412 for an object that is damaged: it is overwritten', async () => {
    await blobs.put(CONTENT);
    server.damage(KEY, flip);
    await blobs.put(CONTENT);
    expect(await keysAfterReading()).toEqual([KEY]);
  });

  test('G3: 412 for an object that is then missing: it is stored', async () => {
    server.plan('PUT', fails(412, 'PreconditionFailed'));
    await blobs.put(CONTENT);
    expect(await keysAfterReading()).toEqual([KEY]);
  });

  test('G4: 409, then ok', async () => {
    const conflict = fails(409, 'ConditionalRequestConflict');
    server.plan('PUT', conflict, conflict);
    await blobs.put(CONTENT);
    expect(server.answers).toEqual(['PUT 409', 'PUT 409', 'PUT 200']);
    expect(await keysAfterReading()).toEqual([KEY]);
  });

  test('G4: an endless conflict is blob_unavailable', async () => {
    server.plan('PUT', ...Array.from({ length: 5 }, () => fails(409, 'ConditionalRequestConflict')));
    await expect(blobs.put(CONTENT)).rejects.toMatchObject({ code: 'blob_unavailable' });
    expect(server.objects.size).toBe(0);
  });

  test('G5: old MinIO returns 304 where S3 returns 412', async () => {
    await blobs.put(CONTENT);
    server.plan('PUT', ({ response }) => void response.writeHead(304).end());
    await blobs.put(CONTENT);
    expect(await keysAfterReading()).toEqual([KEY]);
  });

  test.each([
    ['AccessDenied', 403, 'access denied', 'access key'],
    ['SignatureDoesNotMatch', 403, 'access denied', 'secret'],
    ['NoSuchBucket', 404, 'bucket archive does not exist', 'Create the bucket'],
    ['RequestTimeTooSkewed', 403, 'clock', 'NTP'],
    ['AuthorizationHeaderMalformed', 400, 'region', 'region'],
  ])('G6: %s is one clear message with a remedy', async (code, status, why, hint) => {
    const refusal = {
      code: 'blob_unavailable',
      message: expect.stringContaining(why),
      hint: expect.stringContaining(hint),
    };
    const fault = fails(status, code);
    server.plan('PUT', fault, fault);
    server.plan('GET', fault, fault, fault, fault);
    server.plan('DELETE', fault, fault);
    await expect(blobs.put(CONTENT)).rejects.toMatchObject(refusal);
    await expect(blobs.get(ADDRESS)).rejects.toMatchObject(refusal);
    await expect(blobs.delete(ADDRESS)).rejects.toMatchObject(refusal);
    expect(server.objects.size).toBe(0);
  });

  test('G6: has and list fail the same way', async () => {
    server.plan('HEAD', fails(403, 'AccessDenied'));
    server.plan('GET', fails(403, 'AccessDenied'));
    await expect(blobs.has(ADDRESS)).rejects.toMatchObject({ code: 'blob_unavailable' });
    await expect(collect(blobs.list())).rejects.toMatchObject({ code: 'blob_unavailable' });
  });
});

describe('stores that behave differently', () => {
  afterEach(stop);

  test.each(['ignore', 'refuse'] as const)('G5: a store that would %s If-None-Match', async (condition) => {
    await start({ condition });
    await blobs.put(CONTENT);
    await blobs.put(CONTENT);
    expect(await keysAfterReading()).toEqual([KEY]);
  });

  test('a store that does not answer is abandoned after the timeout', async () => {
    await start({ maxAttempts: 2, silenceTimeoutMs: 200 });
    server.plan('PUT', isSilent, isSilent);
    await expect(blobs.put(CONTENT)).rejects.toMatchObject({
      code: 'blob_unavailable',
      message: expect.stringContaining('is unreachable'),
    });
  });

  test('a key prefix separates two archives in one bucket', async () => {
    await start({ prefix: 'one/' });
    const other = openS3Blobs({ ...ACCESS, endpoint: server.endpoint, bucket: server.bucket, prefix: 'two/' });
    await blobs.put(CONTENT);
    expect([...server.objects.keys()]).toEqual([`one/${KEY}`]);
    expect(await other.has(ADDRESS)).toBe(false);
    expect(await collect(other.list())).toEqual([]);
    await other.close();
  });
});

test('no server at the endpoint: blob_unavailable, cannot be reached', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  server.close();
  await once(server, 'close');
  const blobs = openS3Blobs({ ...ACCESS, endpoint: `http://127.0.0.1:${port}`, bucket: 'x', maxAttempts: 2 });
  await expect(blobs.get(ADDRESS)).rejects.toMatchObject({
    code: 'blob_unavailable',
    message: expect.stringContaining('is unreachable'),
  });
  await blobs.close();
});

describe('presigned links (s3rver)', () => {
  test('return the stored frame to anyone until they expire; invalid times are rejected', async () => {
    const bucket = await createTestBucket();
    const blobs = openS3Blobs(bucket);
    await blobs.put(CONTENT);
    const answer = await fetch(await blobs.presign(ADDRESS, 60));
    expect(answer.status).toBe(200);
    expect(zstdDecompressSync(Buffer.from(await answer.arrayBuffer())).equals(CONTENT)).toBe(true);
    for (const seconds of [0, -1, 0.5, Number.NaN, 604_801]) {
      await expect(blobs.presign(ADDRESS, seconds)).rejects.toMatchObject({ code: 'usage' });
    }
    await expect(blobs.presign('../x', 60)).rejects.toMatchObject({ code: 'usage' });
    await blobs.close();
    await bucket.drop();
  });
});
