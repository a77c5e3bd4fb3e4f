import { Hono } from 'hono';
import { FuelError } from '../domain/errors.ts';
import { bearerOf, createFailureCounter, isSameToken, unauthorized, type FailureCounter } from './bearer.ts';
import { createDemoHolder } from './demo-holder.ts';
import { answerThrown, errorAnswer, type ServerLog } from './errors.ts';
import { MAX_TOKEN_FAILURES, MAX_UPLOADS_AT_ONCE, TOKEN_FAILURE_WINDOW_MS } from './limits.ts';
import type { Intake } from '../ingest/intake.ts';
import type { Reads } from './reads.ts';
import type { RequestContext, Route, RouteScope, ServerEnv } from './route.ts';
import { ROUTES } from './routes.ts';
import { ensureOwnHost, ensureOwnOrigin, readBody, SECURITY_HEADERS } from './security.ts';
import { readStaticFiles } from './static-files.ts';
import { createUploadSlots } from './upload-slots.ts';

export interface ServerDeps {
  /** 256 random bits as text; never logged, never in an answer. */
  readonly token: string;
  readonly version: string;
  /** The exact Host values we answer to; asked anew for each request, since the port is known only after listening. */
  readonly hosts: () => ReadonlySet<string>;
  readonly reads: Reads;
  /** What other devices may bring; without it they are refused. */
  readonly intake?: Intake;
  /** Loads the demo home into its own data folder. Called at most once at a time. */
  openDemo(): Promise<Reads>;
  /** Folder of the built page. */
  readonly webRoot: string;
  readonly log: ServerLog;
  /** Milliseconds that never jump. */
  readonly monotonicMs?: () => number;
}

export type ServerApp = Hono<ServerEnv>;

/** The whole HTTP door. Every request passes host, origin and token checks in that order, then one handler. */
export function createServerApp(deps: ServerDeps): ServerApp {
  const app: ServerApp = new Hono<ServerEnv>();
  const failures = createFailureCounter(deps.monotonicMs ?? (() => performance.now()));
  const scope: RouteScope = {
    token: deps.token,
    version: deps.version,
    reads: deps.reads,
    demo: createDemoHolder(() => deps.openDemo()),
    files: readStaticFiles(deps.webRoot),
    intake: deps.intake ?? null,
    uploadSlots: createUploadSlots(MAX_UPLOADS_AT_ONCE),
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
    app.on(route.method, route.path, (context) => runRoute(context, route, { deps, scope, failures }));
  }
  for (const path of new Set(ROUTES.map((route) => route.path)))
    app.all(path, (context) => methodNotAllowed(context, path));
  app.notFound((context) => errorAnswer(context, new FuelError('not_found', 'There is no such route.')));
  app.onError((thrown, context) => answerThrown(context, thrown, deps.log));
  return app;
}

function finishHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) headers.set(name, value);
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
}

interface RunContext {
  readonly deps: ServerDeps;
  readonly scope: RouteScope;
  readonly failures: FailureCounter;
}

async function runRoute(context: RequestContext, route: Route, run: RunContext): Promise<Response> {
  try {
    // A page may be opened by a link from anywhere; data may not be asked for from anywhere.
    const isApi = route.path.includes('/api/');
    if (isApi) ensureOwnOrigin(context, run.deps.hosts());
    const refusal = route.access === 'bearer' ? refuseToken(context, run) : null;
    if (refusal !== null) return refusal;
    if (route.method !== 'GET' && route.body !== 'own') await readBody(context);
    return await route.handle(context, run.scope);
  } catch (thrown) {
    return answerThrown(context, thrown, run.deps.log);
  }
}

/** H6, H9: null when the token is right. */
function refuseToken(context: RequestContext, { deps, failures }: RunContext): Response | null {
  const token = bearerOf(context.req.header('authorization'));
  if (token !== null && isSameToken(token, deps.token)) return null;
  const address = context.env?.incoming?.socket.remoteAddress ?? 'unknown';
  const error = unauthorized(token !== null);
  const count = failures.fail(address);
  if (count <= MAX_TOKEN_FAILURES) return errorAnswer(context, error, { headers: { 'www-authenticate': 'Bearer' } });
  // Once a minute: whoever guesses must not fill the log as well.
  if (count === MAX_TOKEN_FAILURES + 1) deps.log.warn('too many wrong tokens', { address });
  return errorAnswer(context, error, {
    status: 429,
    headers: { 'retry-after': String(TOKEN_FAILURE_WINDOW_MS / 1_000) },
  });
}

function methodNotAllowed(context: RequestContext, path: string): Response {
  const methods = ROUTES.filter((route) => route.path === path).map((route) => route.method);
  const allow = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  const error = new FuelError('usage', `This route answers ${allow.join(' and ')}.`);
  return errorAnswer(context, error, { status: 405, headers: { allow: allow.join(', ') } });
}
