import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { FuelError } from '../../domain/errors.ts';
import type { BlobStat, BlobStore } from '../../domain/ports.ts';
import {
  addressForUpload,
  addressOfStoredPath,
  compress,
  corrupt,
  decompressVerified,
  missing,
  storedPath,
} from './content-address.ts';
import { nameOf, type S3Location, s3Unavailable, statusOf } from './s3-errors.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_ATTEMPTS = 8;
const CONFLICT_ATTEMPTS = 5;
const CONFLICT_DELAY_MS = 50;
const READ_ATTEMPTS = 2;
const MAX_PRESIGN_SECONDS = 7 * 24 * 60 * 60;

export interface S3BlobsOptions {
  readonly bucket: string;
  readonly region: string;
  /** Default: Amazon's endpoint for the region. */
  readonly endpoint?: string;
  /** Default: the standard AWS credential chain (environment, profile, instance role). */
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly forcePathStyle?: boolean;
  /** Prepended to every key as it is, for example `team/`. */
  readonly prefix?: string;
  /** Attempts per request, with increasing delays. */
  readonly maxAttempts?: number;
  readonly silenceTimeoutMs?: number;
}

export type S3BlobStore = BlobStore & Required<Pick<BlobStore, 'presign'>>;

export interface S3Connection {
  readonly client: S3Client;
  readonly location: S3Location;
  readonly keyPrefix: string;
}

/** Stores blobs as objects `<prefix>blobs/ab/<sha256>.zst`. Opening makes no request. */
export function openS3Blobs(options: S3BlobsOptions): S3BlobStore {
  const connection = connectS3(options, 'blobs/');
  return {
    put: (bytes, expectedSha256) => putBlob(connection, bytes, expectedSha256),
    get: async (sha256) => (await readBlob(connection, sha256)).content,
    has: (sha256) => hasBlob(connection, sha256),
    delete: (sha256) => deleteBlob(connection, sha256),
    list: () => listBlobs(connection),
    presign: (sha256, expiresSeconds) => presignBlob(connection, sha256, expiresSeconds),
    close: async () => connection.client.destroy(),
  };
}

/** Makes no request. */
export function connectS3(options: S3BlobsOptions, folder: string): S3Connection {
  const { bucket, region, endpoint = `Amazon S3 in ${region}`, prefix = '' } = options;
  return { client: createClient(options), location: { bucket, endpoint }, keyPrefix: prefix + folder };
}

function createClient(options: S3BlobsOptions): S3Client {
  const { region, endpoint, accessKeyId, secretAccessKey, forcePathStyle = false } = options;
  const hasKey = accessKeyId !== undefined && secretAccessKey !== undefined;
  return new S3Client({
    region,
    forcePathStyle,
    maxAttempts: options.maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: options.silenceTimeoutMs ?? SILENCE_TIMEOUT_MS,
    },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(hasKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  });
}

function objectOf(connection: S3Connection, sha256: string): { readonly Bucket: string; readonly Key: string } {
  return { Bucket: connection.location.bucket, Key: connection.keyPrefix + storedPath(sha256) };
}

async function putBlob(connection: S3Connection, bytes: Uint8Array, expectedSha256?: string): Promise<BlobStat> {
  const sha256 = addressForUpload(bytes, expectedSha256);
  const stored = await compress(bytes);
  try {
    const isNew = await createObject(connection, sha256, stored);
    const storedBytes = isNew ? stored.byteLength : await confirmOrHeal(connection, sha256, stored);
    return { sha256, sizeBytes: bytes.byteLength, storedBytes };
  } catch (error) {
    throw s3Unavailable(error, `store blob ${sha256}`, connection.location);
  }
}

/**
 * Writes the object unless it exists; returns false if it does. Stores that ignore the condition overwrite it with the
 * same content, and stores that reject the condition are asked again without it. Both are harmless, because the key is
 * the hash of the content.
 */
async function createObject(connection: S3Connection, sha256: string, stored: Uint8Array): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await writeObject(connection, sha256, stored, { onlyIfAbsent: true });
      return true;
    } catch (error) {
      const status = statusOf(error);
      // Old MinIO versions answer 304 instead of 412.
      if (status === 412 || status === 304) return false;
      if (status === 501 || status === 400) break;
      if (status !== 409 || attempt === CONFLICT_ATTEMPTS) throw error;
      await delay(CONFLICT_DELAY_MS * 2 ** attempt * Math.random());
    }
  }
  await writeObject(connection, sha256, stored, { onlyIfAbsent: false });
  return true;
}

async function writeObject(
  connection: S3Connection,
  sha256: string,
  stored: Uint8Array,
  options: { readonly onlyIfAbsent: boolean },
): Promise<void> {
  await connection.client.send(
    new PutObjectCommand({
      ...objectOf(connection, sha256),
      Body: stored,
      ContentType: 'application/zstd',
      ...(options.onlyIfAbsent ? { IfNoneMatch: '*' } : {}),
    }),
  );
}

/** An existing object is trusted only after reading it back; a damaged one is overwritten. */
async function confirmOrHeal(connection: S3Connection, sha256: string, stored: Uint8Array): Promise<number> {
  try {
    return (await readBlob(connection, sha256)).storedBytes;
  } catch (error) {
    if (!(error instanceof FuelError) || error.code === 'blob_unavailable') throw error;
    await writeObject(connection, sha256, stored, { onlyIfAbsent: false });
    return stored.byteLength;
  }
}

interface Read {
  readonly content: Uint8Array;
  readonly storedBytes: number;
}

/**
 * Retries once when the bytes are damaged, which may have happened in transit; the second time the stored object is
 * damaged.
 */
async function readBlob(connection: S3Connection, sha256: string): Promise<Read> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await requestObject(connection, sha256);
    try {
      const stored = await receiveBody(response, connection.location, sha256);
      return { content: await decompressVerified(stored, sha256), storedBytes: stored.byteLength };
    } catch (error) {
      if (attempt === READ_ATTEMPTS) throw error;
    }
  }
}

async function requestObject(connection: S3Connection, sha256: string): Promise<GetObjectCommandOutput> {
  try {
    return await connection.client.send(new GetObjectCommand(objectOf(connection, sha256)));
  } catch (error) {
    if (nameOf(error) === 'NoSuchKey') throw missing(sha256, error);
    throw s3Unavailable(error, `read blob ${sha256}`, connection.location);
  }
}

/** The SDK retries only until the response headers arrive; a connection that breaks later is ours to handle. */
async function receiveBody(
  response: GetObjectCommandOutput,
  location: S3Location,
  sha256: string,
): Promise<Uint8Array> {
  const { Body: body, ContentLength: announcedBytes } = response;
  const stored =
    (await body?.transformToByteArray().catch((error: unknown) => {
      const isConnection = nameOf(error) === 'TimeoutError' || (error instanceof Error && 'code' in error);
      throw isConnection
        ? s3Unavailable(error, `read blob ${sha256}`, location)
        : corrupt(sha256, 'do not match the checksum of the object store', error);
    })) ?? new Uint8Array();
  if (announcedBytes !== undefined && stored.byteLength !== announcedBytes) {
    throw corrupt(sha256, `are ${stored.byteLength} bytes instead of ${announcedBytes}`);
  }
  return stored;
}

async function hasBlob(connection: S3Connection, sha256: string): Promise<boolean> {
  const object = objectOf(connection, sha256);
  try {
    await connection.client.send(new HeadObjectCommand(object));
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw s3Unavailable(error, `look for blob ${sha256}`, connection.location);
  }
}

/** One key per request: DeleteObjects fails on several S3-compatible stores. */
async function deleteBlob(connection: S3Connection, sha256: string): Promise<void> {
  const object = objectOf(connection, sha256);
  try {
    await connection.client.send(new DeleteObjectCommand(object));
  } catch (error) {
    if (nameOf(error) === 'NoSuchKey') return;
    throw s3Unavailable(error, `delete blob ${sha256}`, connection.location);
  }
}

async function* listBlobs(connection: S3Connection): AsyncGenerator<string> {
  const { client, location, keyPrefix } = connection;
  const pages = paginateListObjectsV2({ client }, { Bucket: location.bucket, Prefix: keyPrefix });
  try {
    for await (const page of pages) yield* (page.Contents ?? []).flatMap(({ Key }) => addressOfKey(Key, keyPrefix));
  } catch (error) {
    throw s3Unavailable(error, 'list the blobs', location);
  }
}

function addressOfKey(key: string | undefined, keyPrefix: string): readonly string[] {
  const sha256 = key?.startsWith(keyPrefix) ? addressOfStoredPath(key.slice(keyPrefix.length)) : undefined;
  return sha256 === undefined ? [] : [sha256];
}

async function presignBlob(connection: S3Connection, sha256: string, expiresSeconds: number): Promise<string> {
  if (!(Number.isInteger(expiresSeconds) && expiresSeconds > 0 && expiresSeconds <= MAX_PRESIGN_SECONDS)) {
    throw new FuelError('usage', `A link cannot be valid for ${expiresSeconds} seconds.`, {
      hint: `Ask for a whole number of seconds from 1 to ${MAX_PRESIGN_SECONDS}.`,
    });
  }
  const command = new GetObjectCommand(objectOf(connection, sha256));
  return getSignedUrl(connection.client, command, { expiresIn: expiresSeconds });
}
