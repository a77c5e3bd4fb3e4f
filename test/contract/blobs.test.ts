import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { openDiskBlobs } from '../../src/archive/blobs/disk.ts';
import { openS3Blobs } from '../../src/archive/blobs/s3.ts';
import { collect } from '../support/collect.ts';
import { type ConditionMode, PAGE_KEYS, startFaultS3Server } from '../support/fault-s3-server.ts';
import { createTestBucket, withClient } from '../support/test-bucket.ts';
import { describeBlobStore, type OpenedBlobs } from './blobs.contract.ts';

async function openOnDisk(): Promise<OpenedBlobs> {
  const base = await mkdtemp(join(tmpdir(), 'fuel-blobs-'));
  const root = join(base, 'blobs');
  return {
    blobs: openDiskBlobs({ root }),
    // Everything fits in one page.
    pageSize: 10,
    storedNames: async () => {
      const entries = await readdir(base, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
    },
    readStored: (name) => readFile(join(root, name)),
    overwriteStored: async (name, bytes) => {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), bytes);
    },
    close: () => rm(base, { recursive: true, force: true }),
  };
}

async function openOnS3rver(): Promise<OpenedBlobs> {
  const bucket = await createTestBucket();
  const prefix = 'team/';
  const object = (name: string) => ({ Bucket: bucket.bucket, Key: `${prefix}blobs/${name}` });
  return {
    blobs: openS3Blobs({ ...bucket, prefix }),
    pageSize: 1000,
    storedNames: () =>
      withClient(bucket, async (client) => {
        const pages = await collect(paginateListObjectsV2({ client }, { Bucket: bucket.bucket }));
        const keys = pages.flatMap((page) => page.Contents ?? []).map(({ Key = '' }) => Key);
        return keys.map((key) => key.slice(`${prefix}blobs/`.length));
      }),
    readStored: (name) =>
      withClient(bucket, async (client) => {
        const { Body: body } = await client.send(new GetObjectCommand(object(name)));
        return (await body?.transformToByteArray()) ?? new Uint8Array();
      }),
    overwriteStored: async (name, bytes) => {
      await withClient(bucket, (client) => client.send(new PutObjectCommand({ ...object(name), Body: bytes })));
    },
    close: () => bucket.drop(),
  };
}

async function openOnOwnServer(condition: ConditionMode): Promise<OpenedBlobs> {
  const server = await startFaultS3Server({ condition });
  const { endpoint, bucket, objects } = server;
  const access = { region: 'us-east-1', accessKeyId: 'test', secretAccessKey: 'test', forcePathStyle: true };
  return {
    blobs: openS3Blobs({ endpoint, bucket, ...access }),
    pageSize: PAGE_KEYS,
    storedNames: async () => [...objects.keys()].map((key) => key.slice('blobs/'.length)),
    readStored: async (name) => objects.get(`blobs/${name}`)?.bytes ?? new Uint8Array(),
    overwriteStored: async (name, bytes) => {
      const key = `blobs/${name}`;
      objects.set(key, { crc32: objects.get(key)?.crc32 ?? '', bytes });
    },
    close: () => server.close(),
  };
}

describeBlobStore('blobs on disk', openOnDisk);
describeBlobStore('blobs on S3 (s3rver)', openOnS3rver);
describeBlobStore('blobs on S3 with conditional writes, checksums and short pages', () => openOnOwnServer('honor'));
describeBlobStore('G5: blobs on S3 that refuses conditional writes', () => openOnOwnServer('refuse'));
