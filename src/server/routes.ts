import type { Endpoint, EndpointName, Method } from '../api/endpoint.ts';
import { API } from '../api/table.ts';
import type { DataSource } from '../app/data-source.ts';
import { sendJson } from './compress.ts';
import { parseBody, parseParams, parseQuery, readBody } from './input.ts';
import type { Handlers, RequestContext, Route, RouteScope, ServerName } from './route.ts';
import { handlers } from './routes/handlers.ts';
import { ingestHandlers } from './routes/ingest.ts';
import { assetRoute, pageRoutes, sharedPageRoute } from './routes/pages.ts';

const HANDLERS: Pick<Handlers, ServerName> & Partial<Handlers> = {
  ...handlers,
  ...ingestHandlers,
};

type AnyHandler = (input: unknown, scope: RouteScope) => unknown;

function handlerOf(name: EndpointName, { kind }: Endpoint): AnyHandler {
  const own = (HANDLERS as Readonly<Record<string, AnyHandler | undefined>>)[name];
  if (own !== undefined) return own;
  return (input, { data, commands }) => {
    const table = (kind === 'query' ? data.queries : commands) as unknown as Readonly<Record<string, AnyHandler>>;
    return table[name]?.(input, { data, commands } as RouteScope);
  };
}

function mount(
  prefix: string,
  dataOf: (scope: RouteScope) => DataSource,
  isWanted: (endpoint: Endpoint) => boolean,
): Route[] {
  return (Object.entries(API) as [EndpointName, Endpoint][])
    .filter(([, endpoint]) => isWanted(endpoint))
    .map(([name, endpoint]) => {
      const [method, path] = name.split(' ') as [Method, string];
      const handler = handlerOf(name, endpoint);
      return {
        method,
        path: prefix + path,
        about: endpoint.about,
        access: endpoint.access,
        endpoint,
        handle: async (context, scope) => {
          const input = await parseInput(context, endpoint);
          const answer = await handler(input, { ...scope, data: dataOf(scope) });
          return answer instanceof Response ? answer : sendJson(context, answer);
        },
      } satisfies Route;
    });
}

/** Errors: usage, not_found, too_large, unsupported_media. */
async function parseInput(context: RequestContext, { query, body }: Endpoint) {
  const params = parseParams(context);
  const checked = { params, query: parseQuery(context, query), context };
  if (body !== null && body !== 'bytes') return { ...checked, body: await parseBody(context, body) };
  // An unexpected body is read and dropped, up to the limit.
  if (body === null && context.req.method !== 'GET' && context.req.method !== 'HEAD') await readBody(context);
  return { ...checked, body: null };
}

/** Every route; documentation and tests are generated from this table too. */
export const ROUTES: readonly Route[] = [
  ...pageRoutes,
  assetRoute,
  sharedPageRoute,
  ...mount(
    '/api',
    (scope) => scope.data,
    () => true,
  ),
  ...mount(
    '/demo/api',
    (scope) => scope.demo.current(),
    (endpoint) => endpoint.isInDemo,
  ),
];
