import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import { loadConfig } from '../../src/config.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { CLAIM_MS } from '../../src/store/queries/claims/claims.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { type OwnPostgres, startOwnPostgres } from '../setup/postgres.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { fixedClock, silentLog } from '../support/fixed-clock.ts';
import { childEnv } from '../support/processes.ts';
import { LAUNCHER } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const DEVICE = '{"id":"01TESTDEVICE000000000000000","name":"test"}';
const SESSIONS = 24;
const RESTARTS = 3;

let server: OwnPostgres;
let claude: ClaudeHome;
let scratch = '';
let databases = 0;

beforeAll(async () => {
  server = await startOwnPostgres();
  scratch = mkdtempSync(join(tmpdir(), 'fuel-code-restart-'));
  claude = createClaudeHome();
  for (let n = 0; n < SESSIONS; n++) writeSession(n);
});
afterAll(async () => {
  await server.stop();
  claude[Symbol.dispose]();
  rmSync(scratch, { recursive: true });
});

function writeSession(n: number): void {
  const id = `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;
  const talk = createTalk(id, { prefix: `s${n}-`, startedAt: new Date(Date.UTC(2026, 9, 1, n)).toISOString() });
  const lines = Array.from({ length: 5 }, (_, at) => [
    talk.user(`Question ${at} of session ${n}`),
    talk.assistant(`msg_${n}_${at}`, toolUse(`toolu_${n}_${at}`, 'Bash', { command: 'ls' }), { input: at, output: n }),
    talk.result(`toolu_${n}_${at}`, 'file '.repeat(100)),
    talk.assistant(`msg_shared_${at}_${n % 8}`, text('done'), { input: 1, output: 1 }),
  ]);
  claude.write(`-home-ada-p${n % 4}/${id}.jsonl`, lines.flat());
}

/** A separate data folder and database on the private server. */
async function createPlace(): Promise<Record<string, string>> {
  const name = `own_${++databases}`;
  const admin = openPostgres(server.url, { onIdleError: () => {} });
  await sql`CREATE DATABASE ${sql.ref(name)}`.execute(admin.kysely);
  await admin.close();
  const home = mkdtempSync(join(scratch, 'home-'));
  writeFileSync(join(home, 'device.json'), DEVICE, { mode: 0o600 });
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return { FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claude.path, DATABASE_URL: url.href };
}

async function importHere(env: Record<string, string>): Promise<string> {
  await using app = await openApp({ config: loadConfig(env).config, clock: fixedClock, log: silentLog });
  await app.importNew();
  return await dumpStore(app.store.engine);
}

async function countParsed(store: Store): Promise<number> {
  const { n } = await store.engine.kysely
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('parse_status', '=', 'completed')
    .executeTakeFirstOrThrow();
  return n;
}

function start(args: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [LAUNCHER, ...args], {
    // Its warnings about the lost connection are expected.
    env: childEnv({ HOME: scratch, FUEL_CODE_LOG_LEVEL: 'error', ...env }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

describe('F4: PostgreSQL that restarts after a crash', () => {
  it.each([
    { what: 'the worker', args: ['worker'] },
    { what: 'the server', args: ['start', '--no-open', '--port', '0'] },
  ])(
    `${RESTARTS} times during the import of $what: nothing is lost or stored twice, and it keeps running`,
    async ({ args }) => {
      const golden = await importHere(await createPlace());
      const env = await createPlace();
      await using store = await openStore({
        databaseUrl: env.DATABASE_URL ?? '',
        sqlitePath: '',
        onIdleError: () => {},
      });
      const child = start(args, env);
      const ended = once(child, 'exit');
      for (let restart = 1; restart <= RESTARTS; restart++) {
        const wanted = Math.floor((restart * SESSIONS) / (RESTARTS + 1));
        await until(async () => expect(await countParsed(store)).toBeGreaterThanOrEqual(wanted));
        await server.restart();
      }
      await until(async () => expect(await countParsed(store)).toBe(SESSIONS));
      expect(child.exitCode).toBeNull();
      await until(async () => expect(await dumpStore(store.engine)).toBe(golden));
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    },
  );

  it('and accepts no connection yet when the worker starts: the worker waits for it', async () => {
    const golden = await importHere(await createPlace());
    const env = await createPlace();
    const url = new URL(env.DATABASE_URL ?? '');
    const refused: Socket[] = [];
    let isUp = false;
    const front = createServer((socket) => {
      if (!isUp) refused.push(socket.destroy());
      else pipeline(socket, connect(Number(url.port), url.hostname), socket, () => {});
    });
    await once(front.listen(0, '127.0.0.1'), 'listening');
    const { port } = front.address() as AddressInfo;
    const child = start(['worker'], { ...env, DATABASE_URL: Object.assign(new URL(url), { port }).href });
    const ended = once(child, 'exit');
    await until(() => expect(refused.length).toBeGreaterThan(1));
    isUp = true;
    await using store = await openStore({ databaseUrl: url.href, sqlitePath: '', onIdleError: () => {} });
    await until(async () => expect(await dumpStore(store.engine)).toBe(golden));
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    front.close();
  });

  it('while a connection is in use between two queries: that transaction fails clearly, and the next one works', async () => {
    const env = await createPlace();
    await using store = await openStore({ databaseUrl: env.DATABASE_URL ?? '', sqlitePath: '', onIdleError: () => {} });
    const { engine } = store;
    const broken = engine.transaction(async (tx) => {
      await tx.selectFrom('sessions').select('id').execute();
      await server.restart();
      await tx.selectFrom('sessions').select('id').execute();
    });
    await expect(broken).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await countParsed(store)).toBe(0);
  });
});

describe('F2: a process that stops in the middle of a transaction', () => {
  it('locks its rows no longer than a claim lasts: PostgreSQL closes such a connection', async () => {
    const env = await createPlace();
    await using store = await openStore({ databaseUrl: env.DATABASE_URL ?? '', sqlitePath: '', onIdleError: () => {} });
    const { rows } = await sql<{ ms: string }>`
      SELECT setting AS ms FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'`.execute(
      store.engine.kysely,
    );
    expect(rows).toEqual([{ ms: String(CLAIM_MS) }]);
  });
});
