import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDeviceTokens } from '../../src/app/access-keys.ts';
import { createCommands } from '../../src/app/commands.ts';
import type { DataSource } from '../../src/app/data-source.ts';
import { type App, openApp } from '../../src/app/open-app.ts';
import { type ShipReport, ship } from '../../src/app/shipping/ship.ts';
import { loadConfig } from '../../src/config.ts';
import type { Clock } from '../../src/domain/ports.ts';
import { createIntake } from '../../src/ingest/intake.ts';
import { createServerApp } from '../../src/server/app.ts';
import { type ClaudeHome, createClaudeHome } from './claude-home.ts';
import { fixedClock, type Program, silentLog } from './programs.ts';

export const TOKEN = 'a'.repeat(64);
export const SERVER_URL = 'http://server.test/';

export interface Device extends AsyncDisposable {
  readonly app: App;
  readonly home: string;
}

/** A machine with its own data folder, which can ship what it has imported. */
export async function createDevice(claudeHome: string, clock: Clock = fixedClock): Promise<Device> {
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-device-'));
  const env = { FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claudeHome, FUEL_CODE_SERVER_URL: SERVER_URL };
  const { config } = loadConfig({ ...env, FUEL_CODE_SERVER_TOKEN: TOKEN, FUEL_CODE_SERVER_ALLOW_HTTP: '1' });
  const app = await openApp({ config, clock, log: silentLog });
  return {
    app,
    home,
    [Symbol.asyncDispose]: async () => {
      await app.close();
      rmSync(home, { recursive: true });
    },
  };
}

export interface Pair extends AsyncDisposable {
  /** The Claude home of the device; the one of the server is empty. */
  readonly claude: ClaudeHome;
  readonly device: Device;
  readonly program: Program;
  readonly server: App;
}

/** A device with a Claude home, and a server. */
export async function createPair(create: (claudeHome: string) => Promise<Program>): Promise<Pair> {
  const [claude, nothing] = [createClaudeHome(), createClaudeHome()];
  const device = await createDevice(claude.path);
  const program = await create(nothing.path);
  const server = await program.open();
  return {
    claude,
    device,
    program,
    server,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await program[Symbol.asyncDispose]();
      await device[Symbol.asyncDispose]();
      for (const home of [claude, nothing]) home[Symbol.dispose]();
    },
  };
}

type ServerSide = Pick<
  App,
  'blobs' | 'config' | 'journal' | 'device' | keyof DataSource | 'openPipeline' | 'openSharing' | 'purgeDeleted'
> & {
  readonly store: Pick<App['store'], 'engine'>;
};

/** The HTTP API of a server as a fetch function, without a socket. */
export function fetchFrom(server: ServerSide, token = TOKEN): typeof fetch {
  const { store, blobs, journal, device } = server;
  const app = createServerApp({
    token,
    tokens: createDeviceTokens(store.engine, fixedClock),
    version: 'test',
    hosts: () => new Set(['server.test']),
    data: server,
    commands: createCommands(server, fixedClock, () => {}),
    intake: createIntake({ engine: store.engine, blobs, journal, device, clock: fixedClock }, () => {}),
    openDemo: async () => server,
    files: new Map(),
    log: { warn: () => {}, error: () => {} },
  });
  return async (input, init) => app.request(new Request(input instanceof URL ? input.href : input, init));
}

/** Whether a request uploads git activity. */
export function isOfGit(input: Parameters<typeof fetch>[0]): boolean {
  return input instanceof URL && input.pathname === '/api/git/ingest';
}

export interface ShipSettings {
  readonly fetch: typeof fetch;
  readonly token?: string;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export function shipTo({ app }: Device, settings: ShipSettings): Promise<ShipReport> {
  const { clock = fixedClock, token = TOKEN, ...rest } = settings;
  const { signal } = new AbortController();
  const { store, blobs, device } = app;
  return ship({ engine: store.engine, blobs, device, clock, signal, server: { url: SERVER_URL, token }, ...rest });
}
