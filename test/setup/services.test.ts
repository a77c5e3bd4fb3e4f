import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createTestBucket, withClient } from '../support/test-bucket.ts';
import { createTestDatabase } from '../support/test-database.ts';

async function canConnect(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

test('a test gets its own PostgreSQL database, which drop removes', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  expect(one.url).not.toBe(two.url);
  expect(await canConnect(one.url)).toBe(true);
  await Promise.all([one.drop(), two.drop()]);
  expect(await canConnect(one.url)).toBe(false);
});

test('a test gets its own bucket, which drop removes', async () => {
  const bucket = await createTestBucket();
  const head = () => withClient(bucket, (client) => client.send(new HeadBucketCommand({ Bucket: bucket.bucket })));
  await expect(head()).resolves.toBeDefined();
  await bucket.drop();
  await expect(head()).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } });
});
