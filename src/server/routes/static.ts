import { FuelError } from '../../domain/errors.ts';
import type { RequestContext, Route, RouteScope } from '../route.ts';
import { ASSETS_PREFIX, INDEX_PATH } from '../static-files.ts';

const ONE_YEAR_SECONDS = 31_536_000;

function serveFile(context: RequestContext, scope: RouteScope, cacheControl: string): Response {
  const file = scope.files.get(new URL(context.req.url).pathname);
  if (file === undefined) {
    throw new FuelError('not_found', 'Page not found.', {
      hint: scope.files.has(INDEX_PATH)
        ? 'The web interface is at /.'
        : 'The web interface is not built; run `npm run build`.',
    });
  }
  return context.body(file.bytes, 200, { 'content-type': file.contentType, 'cache-control': cacheControl });
}

export const pageRoute: Route = {
  method: 'GET',
  path: INDEX_PATH,
  about: 'The web interface.',
  access: 'open',
  endpoint: null,
  handle: (context, scope) => serveFile(context, scope, 'no-cache'),
};

export const assetRoute: Route = {
  method: 'GET',
  path: `${ASSETS_PREFIX}:file`,
  about: 'An asset of the web interface; its name contains a hash, so it can be cached forever.',
  access: 'open',
  endpoint: null,
  handle: (context, scope) => serveFile(context, scope, `public, max-age=${ONE_YEAR_SECONDS}, immutable`),
};
