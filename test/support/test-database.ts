import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  readonly url: string;
  /** Closes every connection to the database and drops it. */
  drop(): Promise<void>;
}

/** An empty PostgreSQL database for a single test. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase('');
}

/** A database with all tables: copying takes a third of the time of migrating. */
export function createMigratedDatabase(): Promise<TestDatabase> {
  return createDatabase(`TEMPLATE ${inject('postgresTemplate')}`);
}

async function createDatabase(like: string): Promise<TestDatabase> {
  const adminUrl = inject('postgresUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runAsAdmin(adminUrl, `CREATE DATABASE ${name} ${like} STRATEGY file_copy`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runAsAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function runAsAdmin(adminUrl: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
