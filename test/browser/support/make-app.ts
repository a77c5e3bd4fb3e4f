import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ingestEndpoints } from '../../../src/api/ingest.ts';
import { FuelError } from '../../../src/domain/errors.ts';
import { createServerApp, type ServerApp, type ServerDeps } from '../../../src/server/app.ts';
import { TOKEN_FAILURE_WINDOW_MS } from '../../../src/server/limits.ts';
import { type Listening, listen } from '../../../src/server/listen.ts';
import type { Route } from '../../../src/server/route.ts';
import { readStaticFiles, type StaticFiles } from '../../../src/server/routes/pages.ts';
import { loopbackHosts } from '../../../src/server/security.ts';
import { createEmptyCommands } from './empty-commands.ts';
import { makeBlock, makeMessage, makeSession } from './make-rows.ts';
import { createMemoryData } from './memory-data.ts';
import { makeTempFolder } from './temp-folder.ts';

export const TOKEN = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
export const SESSION_ID = '6f1d2c3b-0000-4000-8000-000000000001';

export const BEARER = { authorization: `Bearer ${TOKEN}` };

export interface LogLine {
  readonly message: string;
  readonly fields: Record<string, unknown> | undefined;
}

export function makeData() {
  const message = makeMessage({
    ordinal: 0,
    content_blocks: [makeBlock({ block_type: 'text', content_text: 'Hello from the ferry.' })],
  });
  return createMemoryData({
    sessions: [makeSession({ id: SESSION_ID })],
    messages: new Map([[SESSION_ID, [message]]]),
  });
}

let files: StaticFiles | undefined;

/** The output folder of vite, created without running vite. */
function samplePage(): StaticFiles {
  return (files ??= readStaticFiles(writeWebRoot()));
}

function writeWebRoot(): string {
  const root = makeTempFolder('web');
  mkdirSync(join(root, 'assets'));
  writeFileSync(join(root, 'index.html'), '<!doctype html><title>fuel-code</title>');
  writeFileSync(join(root, 'assets', 'index-abc123.js'), 'export {};');
  writeFileSync(join(root, 'assets', 'secret.env'), 'KEY=1');
  writeFileSync(join(root, 'private.html'), 'not part of the page');
  return root;
}

export interface TestApp {
  readonly app: ServerApp;
  readonly logged: LogLine[];
}

/** An app for `app.request()`; it only accepts the host `localhost` that those requests have. */
export function makeApp(overrides: Partial<ServerDeps> = {}): TestApp {
  const logged: LogLine[] = [];
  const log = (message: string, fields?: Record<string, unknown>) => void logged.push({ message, fields });
  const app = createServerApp({
    token: TOKEN,
    version: '1.2.3',
    hosts: () => new Set(['localhost']),
    data: makeData(),
    commands: createEmptyCommands(overrides.data ?? makeData()),
    openDemo: async () => makeData(),
    files: samplePage(),
    log: { warn: log, error: log },
    ...overrides,
  });
  return { app, logged };
}

/** An app that never answers 429 to wrong tokens: each of its requests is a minute after the one before. */
export function makePatientApp(overrides: Partial<ServerDeps> = {}): TestApp {
  let now = 0;
  return makeApp({ monotonicMs: () => (now += TOKEN_FAILURE_WINDOW_MS), ...overrides });
}

export interface TestServer extends Listening {
  readonly logged: readonly LogLine[];
}

/** Ports of closed servers. They are used again, because a browser knows the scripts of their addresses. */
const knownPorts = new Set<number>();

/** The same app on a free loopback port. */
export async function startTestServer(overrides: Partial<ServerDeps> = {}): Promise<TestServer> {
  let port = 0;
  const { app, logged } = makeApp({ hosts: () => loopbackHosts(port), ...overrides });
  const listening = await listenOnKnownPort(app);
  port = listening.port;
  const close = async () => {
    await listening.close();
    knownPorts.add(port);
  };
  return { ...listening, logged, close };
}

async function listenOnKnownPort(app: ServerApp): Promise<Listening> {
  const [port = 0] = knownPorts;
  knownPorts.delete(port);
  try {
    return await listen(app, { host: '127.0.0.1', port });
  } catch (error) {
    const isTaken = error instanceof FuelError && error.code === 'busy';
    if (port === 0 || !isTaken) throw error;
    return listenOnKnownPort(app);
  }
}

const EXAMPLE_BODIES = [
  { name: 'laptop' },
  { session_ids: [SESSION_ID] },
  { session_ids: [SESSION_ID], is_pinned: true },
  { name: 'Dear', q: 'cost>5' },
  { period: 'day', amount_usd: 20 },
  { tags: ['harbour'] },
  { text: 'A note.' },
  { display_name: 'pier' },
  { expires_in: 3_600 },
];

/** A valid request for a route, without a token. */
function exampleInit({ method, endpoint }: Pick<Route, 'method' | 'endpoint'>): RequestInit {
  const body = EXAMPLE_BODIES.find(
    (each) => typeof endpoint?.body === 'object' && endpoint.body?.safeParse(each).success,
  );
  if (body === undefined) return { method };
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The same with additional headers. */
export function exampleWith(route: Pick<Route, 'method' | 'endpoint'>, headers: Record<string, string>): RequestInit {
  const init = exampleInit(route);
  return { ...init, headers: { ...(init.headers as Record<string, string> | undefined), ...headers } };
}

/** A concrete path for a route of the table. */
export function examplePath(path: string): string {
  return path
    .replace(':id', SESSION_ID)
    .replace(':message_id', 'message-0')
    .replace(':workspace_id', 'harbour')
    .replace(':device_id', 'laptop')
    .replace(':note_id', 'note-1')
    .replace(':view_id', 'view-1')
    .replace(':budget_id', 'budget-1')
    .replace(':compaction_id', 'compaction-1')
    .replace(':key_id', 'a'.repeat(16))
    .replace(':share_id', 'share-1')
    .replace(':session_id', SESSION_ID)
    .replace(':token', 'A'.repeat(22))
    .replace(':file', 'index-abc123.js')
    .replace(':block_order', '0')
    .replace(/\/(search|facets|find|hits)$/, '/$1?q=ferry')
    .replace(/\/search\/values$/, '$&?field=model')
    .replace(/\/files\/(?:history|changes)$/, '$&?path=src/pier.ts')
    .replace(/\/activity$/, '$&?since=2026-11-01&until=2026-11-15')
    .replace(/\/cost\/sessions$/, '$&?workspace=harbour&branch=main');
}

/** Uploads from other devices are tested in test/contract/upload.test.ts. */
export const DEVICE_PATHS: ReadonlySet<string> = new Set(
  Object.keys(ingestEndpoints).map((name) => `/api${name.split(' ')[1] ?? ''}`),
);
