import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { createTestBucket, withClient } from '../support/test-bucket.ts';
import { createMigratedDatabase, createTestDatabase } from '../support/test-database.ts';
import { runSql, urlOfDatabase } from './template-database.ts';

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

/** Every row of every table, the next values of the sequences, and the indexes. */
async function contentOf(url: string): Promise<unknown> {
  const rows = await runSql(
    url,
    `SELECT tablename, query_to_xml('TABLE ' || tablename, true, false, '')::text AS rows
     FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
  );
  const sequences = await runSql(url, `SELECT * FROM pg_sequences WHERE schemaname = 'public'`);
  const indexes = await runSql(url, `SELECT * FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname`);
  return [rows, sequences, indexes];
}

async function numberOf(url: string): Promise<unknown> {
  const [row] = await runSql<{ oid: unknown }>(url, 'SELECT oid FROM pg_database WHERE datname = current_database()');
  return row?.oid;
}

test('a reused database equals a new one and is not reachable by its old name', async () => {
  const untouched = await contentOf(urlOfDatabase(inject('postgresUrl'), inject('postgresTemplate')));
  const used = await createMigratedDatabase();
  const number = await numberOf(used.url);
  const client = new Client({ connectionString: used.url });
  client.on('error', () => {});
  await client.connect();
  await client.query(`INSERT INTO workspaces VALUES ('w', 'c', 'n', NULL, '{}', now(), now())`);
  await client.query(`UPDATE change_clock SET seq = 7`);
  await client.query(`SELECT nextval('search_documents_id_seq')`);
  // An import may drop it, and build it later.
  await client.query('DROP INDEX content_blocks_trigrams');
  await used.drop();
  expect(await canConnect(used.url)).toBe(false);
  await expect(client.query('SELECT 1')).rejects.toThrow(/terminat|not queryable|closed/);

  const again = await createMigratedDatabase();
  expect(await numberOf(again.url)).toBe(number);
  expect(await contentOf(again.url)).toEqual(untouched);
  await runSql(again.url, 'ALTER TABLE sessions ADD COLUMN odd text');
  await again.drop();
  const fresh = await createMigratedDatabase();
  expect(await numberOf(fresh.url), 'a database with other columns is not used again').not.toBe(number);
  await fresh.drop();
});

test('a test gets its own bucket, which drop removes', async () => {
  const bucket = await createTestBucket();
  const head = () => withClient(bucket, (client) => client.send(new HeadBucketCommand({ Bucket: bucket.bucket })));
  await expect(head()).resolves.toBeDefined();
  await bucket.drop();
  await expect(head()).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } });
});
