import { PAGE_PATHS } from '../../domain/page-paths.ts';
import { FuelError } from '../../domain/errors.ts';
import type { RequestContext, Route, RouteScope } from '../route.ts';
import { ASSETS_PREFIX, INDEX_PATH } from '../static-files.ts';

const ONE_YEAR_SECONDS = 31_536_000;

interface Served {
  /** Path of the file among the static files. */
  readonly path: string;
  readonly cacheControl: string;
}

function serveFile(context: RequestContext, scope: RouteScope, { path, cacheControl }: Served): Response {
  const file = scope.files.get(path);
  if (file === undefined) {
    throw new FuelError('not_found', 'Page not found.', {
      hint: scope.files.has(INDEX_PATH)
        ? 'The web interface is at /.'
        : 'The web interface is not built; run `npm run build`.',
    });
  }
  return context.body(file.bytes, 200, { 'content-type': file.contentType, 'cache-control': cacheControl });
}

/** The page chooses the screen by its address; any other address is answered with 404. */
export const pageRoutes: readonly Route[] = PAGE_PATHS.map((path) => ({
  method: 'GET',
  path,
  about: 'The web interface.',
  access: 'open',
  endpoint: null,
  handle: (context, scope) => serveFile(context, scope, { path: INDEX_PATH, cacheControl: 'no-cache' }),
}));

export const assetRoute: Route = {
  method: 'GET',
  path: `${ASSETS_PREFIX}:file`,
  about: 'An asset of the web interface; its name contains a hash, so it can be cached forever.',
  access: 'open',
  endpoint: null,
  handle: (context, scope) =>
    serveFile(context, scope, {
      path: new URL(context.req.url).pathname,
      cacheControl: `public, max-age=${ONE_YEAR_SECONDS}, immutable`,
    }),
};
