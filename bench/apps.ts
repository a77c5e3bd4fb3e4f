import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type App, openApp } from '../src/app/open-app.ts';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import { systemClock } from '../src/lib/timing.ts';
import { startPostgres } from '../test/setup/postgres.ts';

type Env = Readonly<Record<string, string>>;

export function openBenchApp(env: Env, now = systemClock.now): Promise<App> {
  const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });
  return openApp({ config: loadConfig(env).config, clock: { ...systemClock, now }, log });
}

/** Runs a benchmark on SQLite and on a separate PostgreSQL, each with an empty data folder; `folder` is for its own files. */
export async function onEachStore(run: (name: string, env: Env, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  const postgres = await startPostgres();
  try {
    await run('SQLite', { FUEL_CODE_HOME: join(folder, 'sqlite') }, folder);
    await run('PostgreSQL', { FUEL_CODE_HOME: join(folder, 'postgres'), DATABASE_URL: postgres.url }, folder);
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true });
  }
}
