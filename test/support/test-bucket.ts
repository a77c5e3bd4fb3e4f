import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { inject } from 'vitest';
import type { S3Access } from '../setup/s3.ts';

/** Everything needed to reach the bucket; the fields are those of `openS3Blobs`. */
export interface TestBucket extends S3Access {
  readonly bucket: string;
  readonly forcePathStyle: true;
  /** Removes the bucket with all its objects. */
  drop(): Promise<void>;
}

/** An empty bucket for a single test, on the S3 server of the test run. */
export async function createTestBucket(): Promise<TestBucket> {
  const access = inject('s3');
  const bucket = `test-${randomUUID()}`;
  const { create, drop } = access.folder === null ? bucketOf(access, bucket) : folderOf(join(access.folder, bucket));
  await create();
  return { ...access, bucket, forcePathStyle: true, drop };
}

/** Our own server accepts any folder as a bucket, which saves a dozen requests for every test. */
function folderOf(path: string) {
  return { create: () => mkdir(path), drop: () => rm(path, { recursive: true, maxRetries: 20, retryDelay: 100 }) };
}

function bucketOf(access: S3Access, bucket: string) {
  return {
    create: () => withClient(access, (client) => client.send(new CreateBucketCommand({ Bucket: bucket }))),
    drop: () => withClient(access, (client) => emptyAndDelete(client, bucket)),
  };
}

export async function withClient<T>(
  access: Omit<S3Access, 'folder'>,
  act: (client: S3Client) => Promise<T>,
): Promise<T> {
  const { endpoint, region, accessKeyId, secretAccessKey } = access;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  });
  try {
    return await act(client);
  } finally {
    client.destroy();
  }
}

async function emptyAndDelete(client: S3Client, bucket: string): Promise<void> {
  const keys: (string | undefined)[] = [];
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket })) {
    keys.push(...(page.Contents ?? []).map((object) => object.Key));
  }
  for (const key of keys) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
}
