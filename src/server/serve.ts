import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserKeys, createBrowserKeys, createDeviceTokens, type DeviceTokens } from '../app/access-keys.ts';
import { type BackgroundImport, NO_IMPORT, startBackgroundImport } from '../app/background-import.ts';
import { type Commands, createCommands } from '../app/commands.ts';
import type { DataSource } from '../app/data-source.ts';
import { type App, openApp } from '../app/open-app.ts';
import { whenReachable } from '../app/round.ts';
import { type Intake, openIntake, prepareDemo, recordServer, type ServeOptions, type Serving } from '../app/serving.ts';
import type { Config } from '../config.ts';
import { FuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { type HeldFolder, holdFolder } from '../lib/data-folder.ts';
import { readTextFile, writePrivateFile } from '../lib/private-file.ts';
import { VERSION } from '../version.ts';
import { createServerApp, type ServerApp } from './app.ts';
import { type Listening, LOOPBACK_ADDRESSES, listen, listenOnLoopback } from './listen.ts';
import { readStaticFiles } from './routes/pages.ts';
import { loopbackHosts } from './security.ts';

const WEB_ROOT = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../dist/web' : './web', import.meta.url));
const MAX_PORT = 65_535;
const PORTS_TO_TRY = 20;

/**
 * Runs the web interface and the API, and imports in the background. F6: while a database server is unavailable,
 * requests for data get store_unavailable; everything opens once it responds. Errors: bad_config, busy,
 * store_unavailable for the embedded database.
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  ensureNamed(options.config);
  const parts: Parts = { closing: new AbortController(), opened: [], main: null, listening: null, record: null };
  try {
    return await start(options, parts);
  } catch (error) {
    await stop(parts);
    throw error;
  }
}

/** What was started so far, and has to be stopped. */
interface Parts {
  readonly closing: AbortController;
  readonly opened: Opened[];
  main: Promise<Opened | null> | null;
  listening: Listening | null;
  record: Disposable | null;
}

async function start(options: ServeOptions, parts: Parts): Promise<Serving> {
  const { config, log } = options;
  const { closing, opened } = parts;
  const open = () => openWithImport(options, opened);
  const files = readStaticFiles(WEB_ROOT);
  const first = await open().catch(nullIfUnavailable(config));
  const isReadOnly = first?.app.isReadOnly ?? false;
  const token = loadToken(config.home, isReadOnly);
  let port = 0;
  const createServer = (main: Opened | null) =>
    createServerApp({
      closing: closing.signal,
      token,
      version: VERSION,
      hosts: () => new Set([...loopbackHosts(port), ...config.allowedHosts]),
      ...(main === null ? UNAVAILABLE : servicesOf(main, options.clock)),
      openDemo: () => openDemo(options, opened),
      files,
      log,
    });
  let server = createServer(first);
  const listening = await listenNear({ fetch: (...request) => server.fetch(...request) }, config);
  parts.listening = listening;
  port = listening.port;
  const main = first === null ? whenReachable(open, { log, signal: closing.signal }) : Promise.resolve(first);
  parts.main = main;
  const firstRound = main.then((reached) => {
    if (first === null) server = createServer(reached);
    return reached?.background.firstRound;
  });
  // Callers that await it get the error.
  firstRound.catch(() => {});
  const moved = whenMoved(holdFolder(config.home), closing.signal);
  const address = `${listening.url}#token=${token}`;
  if (!isReadOnly) parts.record = recordServer(config.home, address);
  return { moved, address, isReadOnly, firstRound, [Symbol.asyncDispose]: () => stop(parts) };
}

async function stop({ closing, opened, main, listening, record }: Parts): Promise<void> {
  closing.abort();
  record?.[Symbol.dispose]();
  await Promise.allSettled([main]);
  await Promise.all([listening?.close(), ...opened.map(stopImport)]);
  for (const { app } of opened.toReversed()) await app.close();
}

const FOLDER_CHECK_MS = 1_000;

/** Rejects when the data folder was replaced or removed. */
function whenMoved(folder: HeldFolder, signal: AbortSignal): Promise<never> {
  const moved = new Promise<never>((_resolve, reject) => {
    const check = () => {
      try {
        folder.check();
      } catch (error) {
        reject(error);
      }
    };
    const timer = setInterval(check, FOLDER_CHECK_MS).unref();
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  });
  moved.catch(() => {});
  return moved;
}

/** A database server may start after us; an embedded database that cannot be opened needs its owner. */
function nullIfUnavailable({ databaseUrl }: Config): (error: unknown) => null {
  return (error) => {
    if (databaseUrl !== null && error instanceof FuelError && error.code === 'store_unavailable') return null;
    throw error;
  };
}

const UNAVAILABLE = {
  data: rejectAll<DataSource>(),
  commands: rejectAll<Commands>(),
  intake: rejectAll<Intake>(),
  tokens: rejectAll<DeviceTokens>(),
  browserKeys: rejectAll<BrowserKeys>(),
};

function servicesOf({ app, background }: Opened, clock: Clock) {
  return {
    data: app,
    intake: openIntake(app, clock, background.wake),
    commands: createCommands(app, clock, background.wake),
    tokens: createDeviceTokens(app.store.engine, clock),
    browserKeys: createBrowserKeys(app.store.engine, clock),
  };
}

/** H1, H7: a server that other machines can reach must know its names, or any web page could send it requests. */
function ensureNamed({ host, allowedHosts }: Config): void {
  if (LOOPBACK_ADDRESSES.has(host) || allowedHosts.length > 0) return;
  throw new FuelError('bad_config', `Listening on ${host} requires allowedHosts.`, {
    hint: 'Set it to the names under which other machines reach this server, for example fuel.example.org or 10.0.0.2:4680; see docs/self-hosting.md.',
  });
}

interface Opened {
  readonly app: App;
  readonly background: BackgroundImport;
}

/** Releases the claims of an import that was cut off; otherwise they would last until they expire. */
async function stopImport({ app, background }: Opened): Promise<void> {
  if ((await background.stop()) === 'cut_off') await app.releaseOwnClaims().catch(() => {});
}

async function openWithImport(options: ServeOptions, opened: Opened[]): Promise<Opened> {
  const { config, isDemo = false, onProgress = () => {}, onLog, rescanMs } = options;
  const app = await openApp({ ...options, isDemo });
  const background = app.isReadOnly
    ? NO_IMPORT
    : startBackgroundImport({
        config,
        isDemo,
        rescanMs,
        onLog,
        onProgress: (progress) => {
          onProgress(progress);
          app.notifyProgress();
        },
      });
  app.showProgressOf(background.progress);
  const both = { app, background };
  opened.push(both);
  return both;
}

/** The demo has its own data folder, so its sessions never mix with real ones. */
async function openDemo(options: ServeOptions, opened: Opened[]): Promise<DataSource> {
  const config = await prepareDemo(options.config, options.clock);
  const { app, background } = await openWithImport({ ...options, config, isDemo: true, onProgress: () => {} }, opened);
  await background.firstRound;
  return app;
}

/** 256 bits, created once, in a file that only its owner can read; only for this run if no file can be written. */
function loadToken(home: string, isReadOnly: boolean): string {
  const path = join(home, 'token');
  const known = readTextFile(path)?.trim();
  if (known && /^[0-9a-f]{64}$/.test(known)) return known;
  const token = randomBytes(32).toString('hex');
  if (!isReadOnly) writePrivateFile(path, `${token}\n`);
  return token;
}

/** Listens on the configured port, or the next free one after it. */
async function listenNear(server: Pick<ServerApp, 'fetch'>, { host, port: wanted }: Config): Promise<Listening> {
  for (let tried = 0; ; tried++) {
    const port = wanted === 0 ? 0 : wanted + tried;
    try {
      if (host === '127.0.0.1') return await listenOnLoopback(server, port);
      return await listen(server, { host, port, isOpen: true });
    } catch (error) {
      const isTaken = error instanceof FuelError && error.code === 'busy';
      if (!isTaken || tried >= PORTS_TO_TRY || port >= MAX_PORT) throw error;
    }
  }
}

/** Replaces services of an unavailable database: every call, at any depth, rejects. */
function rejectAll<T extends object>(): T {
  const reject = () => Promise.reject(new FuelError('store_unavailable', 'The database is not responding.'));
  const rejecting: object = new Proxy(reject, { get: (_, name) => (name === 'then' ? undefined : rejecting) });
  return rejecting as T;
}
