import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openSpool } from '../../src/capture/spool/spool.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { openStore } from '../../src/store/store.ts';
import { createHookHome, type HookHome } from '../support/hook-home.ts';
import { childEnv, crowd } from '../support/processes.ts';
import { size } from '../support/sizes.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const DRAIN = join(import.meta.dirname, '../support/drain-spool.ts');
const WRITERS = crowd(20) / 2;
const CALLS = size('SPOOL_CALLS', 25);
const DRAINERS = 3;
const KILLS = size('DRAINER_KILLS', 4);

interface Place extends AsyncDisposable {
  readonly env: Record<string, string>;
}

const ENGINES = [
  {
    name: 'SQLite',
    place: async (home: HookHome): Promise<Place> => ({
      env: { SQLITE_PATH: join(dirname(home.path), 'fuel.db') },
      [Symbol.asyncDispose]: async () => {},
    }),
  },
  {
    name: 'PostgreSQL',
    place: async (): Promise<Place> => {
      const database = await createTestDatabase();
      return { env: { DATABASE_URL: database.url }, [Symbol.asyncDispose]: () => database.drop() };
    },
  },
];

describe.each(ENGINES)('many hooks and many drainers on $name', ({ place }) => {
  it('B4, B5: kill -9 of drainers loses nothing and stores nothing twice', async () => {
    using home = createHookHome();
    await using where = await place(home);
    const drainers = new Set<ChildProcess>();
    // A drainer never exits by itself; if it does, it has failed.
    const failures: string[] = [];
    const start = () => {
      const child = spawn(process.execPath, [DRAIN, home.path], {
        env: childEnv(where.env),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let errors = '';
      child.stderr.on('data', (piece) => (errors += String(piece)));
      child.on('close', (code) => code !== null && failures.push(errors));
      drainers.add(child);
      return child;
    };
    const kill = async (child: ChildProcess) => {
      drainers.delete(child);
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'close');
    };
    const isStored = async () => {
      const stored = await storedSessions(where.env);
      return failures.length > 0 || stored.length >= WANTED.length;
    };
    try {
      const writing = writeAll(home);
      for (let n = 0; n < DRAINERS; n++) start();
      for (let kills = 0; kills < KILLS; kills++) {
        const [victim = start()] = drainers;
        // It is killed in the middle of its work: as soon as it has stored something.
        await Promise.race([once(victim.stdout ?? victim, 'data'), writing]);
        await kill(victim);
        start();
      }
      await writing;
      // Hooks continue in the background with low priority.
      await until(async () => expect(await isStored()).toBe(true));
      const spool = openSpool(home.path, systemClock);
      await until(() => expect(failures.length === 0 ? spool.entries() : []).toEqual([]));
      expect(failures).toEqual([]);
      expect(spool.stats()).toMatchObject({ dead_letters: 0, dropped: 0, unknown: 0 });
    } finally {
      for (const child of drainers) await kill(child);
    }
    expect(await storedSessions(where.env)).toEqual(WANTED);
  });
});

const WANTED = Array.from({ length: WRITERS * CALLS }, (_, n) => `s${n}`).sort();

/** Real hooks, a few at a time. */
async function writeAll(home: HookHome): Promise<void> {
  const command = join(dirname(home.path), 'command');
  writeFileSync(command, home.command);
  const loop = `n=$1; while [ "$n" -lt "$2" ]; do
    printf '{"session_id":"s%s","hook_event_name":"Stop"}' "$n" | /bin/sh "$0"; n=$((n + 1)); done`;
  await Promise.all(
    Array.from({ length: WRITERS }, (_, n) =>
      run('/bin/sh', ['-c', loop, command, String(n * CALLS), String((n + 1) * CALLS)], {
        env: { FUEL_CODE_NO_WORKER: '1' },
      }),
    ),
  );
}

async function storedSessions(env: Record<string, string>): Promise<string[]> {
  await using store = await openStore({
    databaseUrl: env.DATABASE_URL ?? null,
    sqlitePath: env.SQLITE_PATH ?? '',
    onIdleError: (error) => {
      throw error;
    },
  });
  const rows = await store.engine.kysely.selectFrom('events').select('data').execute();
  return rows.map(({ data }) => (JSON.parse(data) as { session_id: string }).session_id).sort();
}
