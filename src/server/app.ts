import { Hono } from 'hono';
import { ingestEndpoints } from '../api/ingest.ts';
import { FuelError, NO_SUCH_ROUTE } from '../domain/errors.ts';
import type { Commands } from '../app/commands.ts';
import type { DataSource } from '../app/data-source.ts';
import { bearerOf, createFailureCounter, revokedToken, unauthorized, type FailureCounter } from './bearer.ts';
import { findCaller, STRANGER } from './caller.ts';
import { createDemoHolder } from './demo-holder.ts';
import type { DeviceTokens } from '../app/device-tokens.ts';
import { answerThrown, errorAnswer, type ServerLog } from './errors.ts';
import type { Intake } from '../app/serving.ts';
import {
  MAX_EXPORTS_AT_ONCE,
  MAX_REQUESTS_AT_ONCE,
  MAX_TOKEN_FAILURES,
  MAX_UPLOADS_AT_ONCE,
  RETRY_AFTER_SECONDS,
  TOKEN_FAILURE_WINDOW_MS,
} from './limits.ts';
import { createStreamGate } from './live/stream-gate.ts';
import { createMetrics } from './metrics.ts';
import { makeOpenApi } from './openapi.ts';
import type { RequestContext, Route, RouteScope, ServerEnv } from './route.ts';
import { ROUTES } from './routes.ts';
import { ensureOwnHost, ensureOwnOrigin, SECURITY_HEADERS } from './security.ts';
import { readStaticFiles } from './static-files.ts';
import { createUploadSlots } from './upload-slots.ts';

export interface ServerDeps {
  /** 256 random bits as text; never logged, never in an answer. */
  readonly token: string;
  /** Of single devices; without it only the token of the server is valid. */
  readonly tokens?: DeviceTokens;
  readonly version: string;
  /** The accepted Host values; evaluated for each request, since the port is known only after listening. */
  readonly hosts: () => ReadonlySet<string>;
  readonly data: DataSource;
  /** What other devices may bring; without it they are refused. */
  readonly intake?: Intake;
  readonly commands: Commands;
  /** Loads the demo home into its own data folder. Called at most once at a time. */
  openDemo(): Promise<DataSource>;
  /** Folder of the built page. */
  readonly webRoot: string;
  readonly log: ServerLog;
  readonly closing?: AbortSignal;
  /** Milliseconds that never jump. */
  readonly monotonicMs?: () => number;
}

export type ServerApp = Hono<ServerEnv>;

/** The whole HTTP door. Every request passes host, origin and token checks in that order, then one handler. */
export function createServerApp(deps: ServerDeps): ServerApp {
  const app: ServerApp = new Hono<ServerEnv>();
  const nowMs = deps.monotonicMs ?? (() => performance.now());
  const run: RunContext = {
    deps,
    nowMs,
    failures: createFailureCounter(nowMs),
    underWay: { count: 0 },
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
  app.notFound((context) => errorAnswer(context, new FuelError('not_found', NO_SUCH_ROUTE)));
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
    files: readStaticFiles(deps.webRoot),
    intake: deps.intake ?? null,
    uploadSlots: createUploadSlots(MAX_UPLOADS_AT_ONCE),
    exportSlots: createUploadSlots(MAX_EXPORTS_AT_ONCE),
    metrics: createMetrics(),
    streams: createStreamGate(),
    closing: deps.closing ?? new AbortController().signal,
    openApi: () => (openApi ??= makeOpenApi(ROUTES, deps.version)),
  };
}

/** A route may set a stricter policy, none can take one away. */
function finishHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!headers.has(name)) headers.set(name, value);
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
}

interface RunContext {
  readonly deps: ServerDeps;
  readonly scope: RouteScope;
  readonly failures: FailureCounter;
  readonly nowMs: () => number;
  readonly underWay: { count: number };
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
    // A page may be opened by a link from anywhere; data may not be asked for from anywhere.
    const isApi = route.path.includes('/api/');
    if (isApi) ensureOwnOrigin(context, run.deps.hosts());
    const refusal = route.access === 'bearer' ? await refuseToken(context, route, run) : null;
    if (refusal !== null) return refusal;
    return route.access === 'bearer' ? await runInTurn(context, route, run) : await route.handle(context, run.scope);
  } catch (thrown) {
    return answerThrown(context, thrown, run.deps.log);
  }
}

/** H19: one program that asks for everything at once must not take the page's turn for long. */
async function runInTurn(context: RequestContext, route: Route, run: RunContext): Promise<Response> {
  const { underWay } = run;
  if (underWay.count >= MAX_REQUESTS_AT_ONCE) {
    const error = new FuelError('rate_limited', `Too many concurrent requests (limit ${MAX_REQUESTS_AT_ONCE}).`);
    return errorAnswer(context, error, { 'retry-after': String(RETRY_AFTER_SECONDS) });
  }
  underWay.count += 1;
  try {
    return await route.handle(context, run.scope);
  } finally {
    underWay.count -= 1;
  }
}

const INGEST: ReadonlySet<unknown> = new Set(Object.values(ingestEndpoints));

/** H6, H9: null when the token is right. */
async function refuseToken(
  context: RequestContext,
  route: Route,
  { deps, failures }: RunContext,
): Promise<Response | null> {
  const token = bearerOf(context.req.header('authorization'));
  const { kind, sender } = token === null ? STRANGER : await findCaller(token, deps);
  context.set('sender', sender);
  if (kind === 'reader' && sender !== null && route.endpoint?.needsServerToken)
    return errorAnswer(context, serverOnly());
  if (kind === 'reader' || (kind === 'writer' && INGEST.has(route.endpoint))) return null;
  if (kind === 'writer') return errorAnswer(context, writeOnly());
  const address = context.env?.incoming?.socket.remoteAddress ?? 'unknown';
  const count = failures.fail(address);
  if (count <= MAX_TOKEN_FAILURES) {
    const error = kind === 'revoked' ? revokedToken() : unauthorized(token !== null);
    return errorAnswer(context, error, { 'www-authenticate': 'Bearer' });
  }
  // Once a minute: guessing tokens must not fill the log.
  if (count === MAX_TOKEN_FAILURES + 1) deps.log.warn('too many wrong tokens', { address });
  const error = new FuelError('rate_limited', 'Too many requests with a wrong token from this address.', {
    hint: 'Run `fuel-code` again; it prints a URL that contains the token.',
  });
  return errorAnswer(context, error, { 'retry-after': String(TOKEN_FAILURE_WINDOW_MS / 1_000) });
}

function writeOnly(): FuelError {
  return new FuelError('forbidden', 'This device token can upload sessions but not read any.', {
    hint: 'Use the server token, or create a device token without --write-only.',
  });
}

/** E16: with a merge, one device could take over the sessions of another. */
function serverOnly(): FuelError {
  return new FuelError('forbidden', "Renaming and merging devices requires the server's own token.", {
    hint: 'Run `fuel-code devices` on the server itself.',
  });
}

function methodNotAllowed(context: RequestContext, path: string): Response {
  const methods = ROUTES.filter((route) => route.path === path).map((route) => route.method);
  const allow = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  const error = new FuelError('method_not_allowed', `This route supports ${allow.join(' and ')}.`);
  return errorAnswer(context, error, { allow: allow.join(', ') });
}
