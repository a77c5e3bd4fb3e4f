import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { runSql, urlOfDatabase } from '../setup/template-database.ts';

export interface TestDatabase {
  readonly url: string;
  /** Closes every connection to the database, which no longer exists under this URL afterwards. */
  drop(): Promise<void>;
}

/** Names of migrated databases that tests of this process no longer use. */
const unused: string[] = [];

/** An empty PostgreSQL database for a single test. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = await createDatabase('');
  return { url: urlOf(name), drop: () => dropDatabase(name) };
}

/** A database with all tables: a used one that is restored, or a copy of the template. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  const name = (await reuseDatabase()) ?? (await createDatabase(`TEMPLATE ${inject('postgresTemplate')}`));
  return { url: urlOf(name), drop: () => putAside(name) };
}

async function createDatabase(like: string): Promise<string> {
  const name = newName();
  await runAsAdmin(`CREATE DATABASE ${name} ${like} STRATEGY file_copy`);
  return name;
}

async function reuseDatabase(): Promise<string | null> {
  for (let name = unused.pop(); name !== undefined; name = unused.pop()) {
    if (await isRestored(name)) return name;
    await dropDatabase(name);
  }
  return null;
}

async function isRestored(name: string): Promise<boolean> {
  const [row] = await runSql<{ restore: boolean }>(urlOf(name), 'SELECT pristine.restore()').catch(() => []);
  return row?.restore === true;
}

/** The new name keeps out processes that a test left behind. */
async function putAside(name: string): Promise<void> {
  const renamed = newName();
  await runAsAdmin(`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '${name}'`);
  try {
    await runAsAdmin(`ALTER DATABASE ${name} RENAME TO ${renamed}`);
    unused.push(renamed);
  } catch {
    await dropDatabase(name);
  }
}

function newName(): string {
  return `${inject('postgresTemplate')}_${randomUUID().replaceAll('-', '')}`;
}

function urlOf(name: string): string {
  return urlOfDatabase(inject('postgresUrl'), name);
}

async function dropDatabase(name: string): Promise<void> {
  await runAsAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

let admin: Promise<Client> | undefined;

async function runAsAdmin(sql: string): Promise<void> {
  await (await (admin ??= connectAsAdmin())).query(sql);
}

/** One connection for all tests of this process, reopened if the server closes it. */
async function connectAsAdmin(): Promise<Client> {
  const client = new Client({ connectionString: inject('postgresUrl') });
  client.on('error', () => {
    admin = undefined;
  });
  await client.connect();
  return client;
}
