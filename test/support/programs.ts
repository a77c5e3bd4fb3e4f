import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, openApp } from '../../src/app/open-app.ts';
import { type Config, databasePath, loadConfig } from '../../src/config.ts';
import { fixedClock, NOW, silentLog } from './fixed-clock.ts';
import { createMigratedSqlite } from './migrated-sqlite.ts';
import { createTestBucket } from './test-bucket.ts';
import { createMigratedDatabase } from './test-database.ts';

export { fixedClock, NOW, silentLog };

export interface Program extends AsyncDisposable {
  readonly config: Config;
  /** The same for a separate process. */
  readonly env: Readonly<Record<string, string>>;
  open(): Promise<App>;
}

/** The whole program in each of its configurations; end-to-end tests run on all of them. */
export const PROGRAMS: readonly { readonly name: string; create(claudeHome: string): Promise<Program> }[] = [
  { name: 'SQLite and files', create: createEmbedded },
  { name: 'PostgreSQL and S3', create: createServer },
];

async function createEmbedded(claudeHome: string): Promise<Program> {
  const program = createProgram(claudeHome, {}, async () => {});
  await createMigratedSqlite(databasePath(program.config.home));
  return program;
}

async function createServer(claudeHome: string): Promise<Program> {
  const [database, bucket] = await Promise.all([createMigratedDatabase(), createTestBucket()]);
  const env = {
    DATABASE_URL: database.url,
    S3_BUCKET: bucket.bucket,
    S3_ENDPOINT: bucket.endpoint,
    S3_REGION: bucket.region,
    S3_ACCESS_KEY_ID: bucket.accessKeyId,
    S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
  };
  return createProgram(claudeHome, env, async () => {
    await Promise.all([database.drop(), bucket.drop()]);
  });
}

function createProgram(claudeHome: string, env: Record<string, string>, also: () => Promise<void>): Program {
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-home-'));
  const environment = { FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claudeHome, ...env };
  const { config } = loadConfig(environment);
  return {
    config,
    env: environment,
    open: () => openApp({ config, clock: fixedClock, log: silentLog }),
    [Symbol.asyncDispose]: async () => {
      rmSync(home, { recursive: true });
      await also();
    },
  };
}
