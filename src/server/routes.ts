import type { Endpoint, EndpointName, Method } from '../api/endpoint.ts';
import { API, type Api } from '../api/table.ts';
import { parseBody, parseParams, parseQuery, readBody } from './input.ts';
import type { Reads } from '../app/queries.ts';
import type { Handlers, HandlerScope, RequestContext, Route, RouteScope } from './route.ts';
import { aroundHandlers } from './routes/around.ts';
import { ingestHandlers } from './routes/ingest.ts';
import { liveHandlers } from './routes/live.ts';
import { peopleHandlers } from './routes/people.ts';
import { searchHandlers } from './routes/search.ts';
import { serverHandlers } from './routes/server.ts';
import { sessionHandlers } from './routes/sessions.ts';
import { sharedPageRoute } from './routes/shared-page.ts';
import { shareHandlers } from './routes/shares.ts';
import { assetRoute, pageRoute } from './routes/static.ts';
import { structureHandlers } from './routes/structure.ts';
import { transcriptHandlers } from './routes/transcript.ts';
import { usageHandlers } from './routes/usage.ts';
import { workHandlers } from './routes/work.ts';

const HANDLERS: Handlers<Api> = {
  ...serverHandlers,
  ...sessionHandlers,
  ...peopleHandlers,
  ...shareHandlers,
  ...transcriptHandlers,
  ...structureHandlers,
  ...aroundHandlers,
  ...usageHandlers,
  ...workHandlers,
  ...searchHandlers,
  ...liveHandlers,
  ...ingestHandlers,
};

type AnyHandler = (input: unknown, scope: HandlerScope) => unknown;

function mount(
  prefix: string,
  readsOf: (scope: RouteScope) => Reads,
  isWanted: (endpoint: Endpoint) => boolean,
): Route[] {
  return (Object.entries(API) as [EndpointName, Endpoint][])
    .filter(([, endpoint]) => isWanted(endpoint))
    .map(([name, endpoint]) => {
      const [method, path] = name.split(' ') as [Method, string];
      const handler = HANDLERS[name as keyof Api] as AnyHandler;
      return {
        method,
        path: prefix + path,
        about: endpoint.about,
        access: endpoint.access,
        endpoint,
        handle: async (context, scope) => {
          const input = await parseInput(context, endpoint);
          const answer = await handler(input, { ...scope, reads: readsOf(scope) });
          return answer instanceof Response ? answer : context.json(answer as object);
        },
      } satisfies Route;
    });
}

/** Errors: usage, not_found, too_large, unsupported_media. */
async function parseInput(context: RequestContext, { query, body }: Endpoint) {
  const params = parseParams(context);
  const checked = { params, query: parseQuery(context, query), context };
  if (body !== null && body !== 'bytes') return { ...checked, body: await parseBody(context, body) };
  // Whatever was sent is read and dropped, up to the limit.
  if (body === null && context.req.method !== 'GET' && context.req.method !== 'HEAD') await readBody(context);
  return { ...checked, body: null };
}

/** Registers the routes and feeds documentation and tests: what is not in this table is not served. */
export const ROUTES: readonly Route[] = [
  pageRoute,
  assetRoute,
  sharedPageRoute,
  ...mount(
    '/api',
    (scope) => scope.reads,
    () => true,
  ),
  ...mount(
    '/demo/api',
    (scope) => scope.demo.current(),
    (endpoint) => endpoint.isOfData,
  ),
];
