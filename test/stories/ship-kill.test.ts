import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app/open-app.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { countShipments } from '../../src/store/queries/shipping/shipments.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { baseEnv } from '../support/processes.ts';
import { PROGRAMS, type Program, silentLog } from '../support/programs.ts';
import { LAUNCHER, runProgram } from '../support/run-program.ts';
import { size } from '../support/sizes.ts';
import { until } from '../support/until.ts';

/** Two real programs, in separate processes, that are killed while they work. */
const SESSIONS = size('SHIP_SESSIONS', 15);

function environmentOf(config: Config): Record<string, string> {
  const given = {
    FUEL_CODE_HOME: config.home,
    CLAUDE_CONFIG_DIR: config.claudeHome,
    DATABASE_URL: config.databaseUrl,
    S3_BUCKET: config.s3Bucket,
    S3_ENDPOINT: config.s3Endpoint,
    S3_ACCESS_KEY_ID: config.s3AccessKeyId,
    S3_SECRET_ACCESS_KEY: config.s3SecretAccessKey,
  };
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null));
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe.each(PROGRAMS)('a device and a server that are killed ($name)', ({ create }) => {
  let claude: ClaudeHome;
  let nothing: ClaudeHome;
  let program: Program;
  let home = '';
  let port = 0;
  const children = new Set<ChildProcess>();

  beforeEach(async () => {
    claude = createClaudeHome();
    nothing = createClaudeHome();
    program = await create(nothing.path);
    home = mkdtempSync(join(tmpdir(), 'fuel-code-device-'));
    port = await findFreePort();
    for (let n = 0; n < SESSIONS; n++) writeSession(n);
  });
  afterEach(async () => {
    for (const child of children) await kill(child);
    await program[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
    claude[Symbol.dispose]();
    nothing[Symbol.dispose]();
  });

  function writeSession(n: number): void {
    const id = `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;
    const talk = createTalk(id, { prefix: `s${n}-` });
    const lines = [talk.user(`Question ${n}`), talk.assistant(`m${n}`, text('An answer.'), { input: n, output: 1 })];
    claude.write(`-home-ada-shop/${id}.jsonl`, lines);
  }

  const deviceEnv = (token: string) => ({
    FUEL_CODE_HOME: home,
    CLAUDE_CONFIG_DIR: claude.path,
    FUEL_CODE_SERVER_URL: `http://127.0.0.1:${port}`,
    FUEL_CODE_SERVER_TOKEN: token,
  });

  function start(args: readonly string[], env: Record<string, string>): ChildProcess {
    const child = spawn(process.execPath, [LAUNCHER, ...args], {
      env: { ...baseEnv(), HOME: '/nonexistent', CI: 'true', ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.add(child);
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async function startServer(): Promise<ChildProcess> {
    const child = start(['start', '--no-open', '--port', String(port)], environmentOf(program.config));
    await until(async () => expect((await fetch(`http://127.0.0.1:${port}/api/health`)).ok).toBe(true));
    return child;
  }

  const tokenOf = () => readFileSync(join(program.config.home, 'token'), 'utf8').trim();

  async function withApp<T>(config: Config, work: (app: App) => Promise<T>): Promise<T> {
    await using app = await openApp({ config, clock: systemClock, log: silentLog });
    return await work(app);
  }

  const filesOn = (config: Config) => withApp(config, async ({ get }) => (await get('/status')).files);
  const deviceConfig = () => loadConfig(deviceEnv('x')).config;

  it('E1, E17, B8: end with everything on the server, once', async () => {
    let server = await startServer();
    const env = deviceEnv(tokenOf());
    expect((await runProgram(['backfill'], { env: deviceEnv('wrong') })).code).toBe(0);
    expect((await runProgram(['worker', '--once'], { env: deviceEnv('wrong') })).code).toBe(0);
    const { stdout } = await runProgram(['status'], { env: deviceEnv('wrong') });
    expect(stdout).toMatch(new RegExp(`${SESSIONS} files waiting\\n\\s+Paused: .*Set serverToken`));
    expect(await filesOn(program.config)).toBe(0);

    for (const share of [0.2, 0.5, 0.8]) {
      const worker = start(['worker', '--once'], env);
      const enough = async () => worker.exitCode !== null || (await filesOn(program.config)) >= SESSIONS * share;
      await until(async () => expect(await enough()).toBe(true));
      if (share === 0.5) {
        await kill(server);
        server = await startServer();
      }
      await kill(worker);
    }
    await until(async () => {
      expect((await runProgram(['worker', '--once'], { env })).code).toBe(0);
      expect(await waiting()).toEqual({ waiting: 0, refused: 0 });
    });
    expect((await runProgram(['status'], { env })).stdout).toContain('up to date');
    await kill(server);

    expect((await runProgram(['verify'], { env: environmentOf(program.config) })).code).toBe(0);
    const sums = await Promise.all([deviceConfig(), program.config].map(sumOf));
    expect(sums[1]).toEqual(sums[0]);
    expect(sums[1]?.sessions).toBe(SESSIONS);
  });

  const waiting = () =>
    withApp(deviceConfig(), ({ store, device }) =>
      countShipments(store.engine.kysely, { server: `http://127.0.0.1:${port}/`, deviceId: device.id }),
    );

  /** All relevant data, after the last import. */
  function sumOf(config: Config): Promise<object & { readonly sessions: number }> {
    return withApp(config, async (app) => {
      await app.importNew();
      const { sessions, messages, files, archived_bytes } = await app.get('/status');
      const generations = await app.store.engine.kysely
        .selectFrom('generations')
        .select(['source_file_id', 'number', 'sha256'])
        .orderBy('source_file_id')
        .execute();
      return { sessions, messages, files, archived_bytes, generations };
    });
  }
});
