import { Hono } from 'hono';
import type { BrowserKeys, DeviceTokens } from '../app/access-keys.ts';
import type { Commands } from '../app/commands.ts';
import type { DataSource } from '../app/data-source.ts';
import type { Intake } from '../app/serving.ts';
import { FuelError } from '../domain/errors.ts';
import { createFailureCounter, type FailureCounter, refuseToken } from './auth.ts';
import { answerThrown, errorAnswer, type ServerLog } from './errors.ts';
import { MAX_EXPORTS_AT_ONCE, MAX_LIVE_STREAMS, MAX_REQUESTS_AT_ONCE, MAX_UPLOADS_AT_ONCE } from './limits.ts';
import { createMetrics } from './metrics.ts';
import { makeOpenApi } from './openapi.ts';
import type { DemoHolder, RequestContext, Route, RouteScope, ServerEnv } from './route.ts';
import { type StaticFiles, serveUnknownPage } from './routes/pages.ts';
import { ROUTES } from './routes.ts';
import { ensureOwnHost, ensureOwnOrigin, SECURITY_HEADERS } from './security.ts';
import { createSlots, type Slots, withSlot } from './slots.ts';

export interface ServerDeps {
  /** 256 random bits as text; never logged or returned. */
  readonly token: string;
  /** Tokens of devices; without them only the server's own token is valid. */
  readonly tokens?: DeviceTokens;
  /** Of browsers that exchanged the server's token. */
  readonly browserKeys?: BrowserKeys;
  readonly version: string;
  /** The accepted Host values; evaluated for each request, since the port is known only after listening. */
  readonly hosts: () => ReadonlySet<string>;
  readonly data: DataSource;
  /** Accepts uploads from other devices; without it they are rejected. */
  readonly intake?: Intake;
  readonly commands: Commands;
  /** Loads the demo home into its own data folder. Called at most once at a time. */
  openDemo(): Promise<DataSource>;
  /** The built page. */
  readonly files: StaticFiles;
  readonly log: ServerLog;
  readonly closing?: AbortSignal;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs?: () => number;
}

export type ServerApp = Hono<ServerEnv>;

/** The HTTP server. Every request passes host, origin and token checks in that order, then one handler. */
export function createServerApp(deps: ServerDeps): ServerApp {
  const app: ServerApp = new Hono<ServerEnv>();
  const nowMs = deps.monotonicMs ?? (() => performance.now());
  const run: RunContext = {
    deps,
    nowMs,
    failures: createFailureCounter(nowMs),
    requestSlots: createSlots(MAX_REQUESTS_AT_ONCE, 'concurrent requests'),
    scope: makeScope(deps),
  };
  app.use(async (context, next) => {
    await next();
    finishHeaders(context.res.headers);
  });
  app.use(async (context, next) => {
    ensureOwnHost(context, deps.hosts());
    await next();
  });
  for (const route of ROUTES) {
    app.on(route.method, route.path, (context) => measureRoute(context, route, run));
  }
  for (const path of new Set(ROUTES.map((route) => route.path)))
    app.all(path, (context) => methodNotAllowed(context, path));
  app.notFound(
    (context) =>
      serveUnknownPage(context, run.scope) ?? errorAnswer(context, new FuelError('unknown_route', 'Unknown route.')),
  );
  app.onError((thrown, context) => answerThrown(context, thrown, deps.log));
  return app;
}

function makeScope(deps: ServerDeps): RouteScope {
  let openApi: unknown;
  return {
    token: deps.token,
    tokens: deps.tokens ?? null,
    version: deps.version,
    data: deps.data,
    commands: deps.commands,
    demo: createDemoHolder(() => deps.openDemo()),
    files: deps.files,
    intake: deps.intake ?? null,
    uploadSlots: createSlots(MAX_UPLOADS_AT_ONCE, 'concurrent uploads'),
    exportSlots: createSlots(MAX_EXPORTS_AT_ONCE, 'concurrent exports'),
    metrics: createMetrics(),
    streamSlots: createSlots(MAX_LIVE_STREAMS, 'live streams', 'Close a browser tab or program that follows sessions.'),
    closing: deps.closing ?? new AbortController().signal,
    openApi: () => (openApi ??= makeOpenApi(ROUTES, deps.version)),
  };
}

/** A route can set a stricter policy but cannot remove one. */
function finishHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!headers.has(name)) headers.set(name, value);
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
}

interface RunContext {
  readonly deps: ServerDeps;
  readonly scope: RouteScope;
  readonly failures: FailureCounter;
  readonly nowMs: () => number;
  readonly requestSlots: Slots;
}

async function measureRoute(context: RequestContext, route: Route, run: RunContext): Promise<Response> {
  const startMs = run.nowMs();
  const response = await runRoute(context, route, run);
  const seconds = (run.nowMs() - startMs) / 1_000;
  run.scope.metrics.count({ route: `${route.method} ${route.path}`, status: response.status, seconds });
  return response;
}

async function runRoute(context: RequestContext, route: Route, run: RunContext): Promise<Response> {
  try {
    // Any site may link to a page, but only our own pages may request data.
    if (route.path.includes('/api/')) ensureOwnOrigin(context, run.deps.hosts());
    if (route.access === 'open') return await route.handle(context, run.scope);
    const refusal = await refuseToken(context, route, run);
    // H19: one program that requests everything at once must not hold up the page for long.
    return refusal ?? (await withSlot(run.requestSlots, () => route.handle(context, run.scope)));
  } catch (thrown) {
    return answerThrown(context, thrown, run.deps.log);
  }
}

function methodNotAllowed(context: RequestContext, path: string): Response {
  const methods = ROUTES.filter((route) => route.path === path).map((route) => route.method);
  const allow = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  const error = new FuelError('method_not_allowed', `This route supports ${allow.join(', ')}.`);
  return errorAnswer(context, error, { allow: allow.join(', ') });
}

function createDemoHolder(openDemo: () => Promise<DataSource>): DemoHolder {
  let opening: Promise<DataSource> | null = null;
  let opened: DataSource | null = null;

  async function load(): Promise<DataSource> {
    try {
      opened = await openDemo();
      return opened;
    } catch (thrown) {
      opening = null;
      throw thrown;
    }
  }

  return {
    open: () => (opening ??= load()),
    current() {
      if (opened !== null) return opened;
      throw new FuelError('not_found', 'The demo is not loaded.', { hint: 'Load it with POST /api/demo.' });
    },
  };
}
