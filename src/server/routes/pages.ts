import { readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { FuelError } from '../../domain/errors.ts';
import { PAGE_PATHS } from '../../domain/page-paths.ts';
import { SHARE_PATH } from '../../domain/requests.ts';
import { listNames } from '../../lib/private-file.ts';
import { acceptedEncoding, type Compressed, compress, type Encoding, SMALL } from '../compress.ts';
import { sendStream, toStream } from '../downloads.ts';
import { MAX_STATIC_FILE_BYTES, MAX_STATIC_FILES } from '../limits.ts';
import type { RequestContext, Route, RouteScope } from '../route.ts';
import { SHARED_PAGE_HEADERS } from '../security.ts';

interface StaticFile {
  readonly contentType: string;
  /** Compressed when it is first asked for, and kept. */
  read(encoding: Encoding | null): Promise<Compressed>;
}

/** URL path → file, listed once, so that no part of a request ever becomes part of a file name. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

const INDEX_PATH = '/';
const ASSETS_PREFIX = '/assets/';

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
]);

/** The page as vite built it: `index.html` and `assets/`. Empty when the page is not built. */
export function readStaticFiles(webRoot: string): StaticFiles {
  const files = new Map<string, StaticFile>();
  addFile(files, INDEX_PATH, join(webRoot, 'index.html'));
  for (const name of listNames(join(webRoot, 'assets')).toSorted().slice(0, MAX_STATIC_FILES)) {
    addFile(files, ASSETS_PREFIX + name, join(webRoot, 'assets', name));
  }
  return files;
}

function addFile(files: Map<string, StaticFile>, urlPath: string, filePath: string): void {
  const contentType = CONTENT_TYPES.get(extname(filePath));
  const stat = statSync(filePath, { throwIfNoEntry: false });
  if (contentType === undefined || stat?.isFile() !== true || stat.size > MAX_STATIC_FILE_BYTES) return;
  files.set(urlPath, { contentType, read: keepCompressed(readFileSync(filePath)) });
}

function keepCompressed(bytes: Uint8Array): StaticFile['read'] {
  const kept = new Map<Encoding | null, Promise<Compressed>>();
  return (encoding) => {
    const known = kept.get(encoding) ?? compress(bytes, encoding, SMALL);
    kept.set(encoding, known);
    return known;
  };
}

/** Below these are data, files and shared pages. */
const NOT_PAGES = ['/api/', ASSETS_PREFIX, SHARE_PATH, '/demo/api/'] as const;

const ONE_YEAR_SECONDS = 31_536_000;

interface Served {
  /** Path of the file among the static files. */
  readonly path: string;
  readonly cacheControl: string;
  readonly status?: 200 | 404;
}

async function serveFile(
  context: RequestContext,
  scope: RouteScope,
  { path, cacheControl, status = 200 }: Served,
): Promise<Response> {
  const file = scope.files.get(path);
  if (file === undefined) {
    throw new FuelError('not_found', 'Page not found.', {
      hint: scope.files.has(INDEX_PATH)
        ? 'The web interface is at /.'
        : 'The web interface is not built; run `npm run build`.',
    });
  }
  const { bytes, headers } = await file.read(acceptedEncoding(context.req.header('accept-encoding')));
  return context.body(bytes, status, { 'content-type': file.contentType, 'cache-control': cacheControl, ...headers });
}

/** The page chooses the screen by its path; other paths return 404. */
export const pageRoutes: readonly Route[] = PAGE_PATHS.map((path) => ({
  method: 'GET',
  path,
  about: 'The web interface.',
  access: 'open',
  endpoint: null,
  handle: (context, scope) => serveFile(context, scope, { path: INDEX_PATH, cacheControl: 'no-cache' }),
}));

/** Somebody who mistyped an address sees a page with a way back; programs get an error. Null for everything else. */
export function serveUnknownPage(context: RequestContext, scope: RouteScope): Promise<Response> | null {
  const { method, path } = context.req;
  const isPage = method === 'GET' && (context.req.header('accept') ?? '').includes('text/html');
  if (!isPage || !scope.files.has(INDEX_PATH) || NOT_PAGES.some((prefix) => path.startsWith(prefix))) return null;
  return serveFile(context, scope, { path: INDEX_PATH, cacheControl: 'no-cache', status: 404 });
}

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

/** The same for links that are unknown, mistyped, expired or revoked. */
const NO_SUCH_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="robots" content="noindex"><title>Page not found</title></head>
<body><p>Page not found. If you followed a link, it may have expired or been revoked.</p></body>
</html>
`;

export const sharedPageRoute: Route = {
  method: 'GET',
  path: `${SHARE_PATH}:token`,
  about: 'A shared page. Anyone with the link can read it, without a token.',
  access: 'open',
  endpoint: null,
  handle: async (context, { data }) => {
    const page = await data.openShare(context.req.param('token') ?? '');
    if (page === null) return context.body(NO_SUCH_PAGE, 404, SHARED_PAGE_HEADERS);
    const headers = { ...SHARED_PAGE_HEADERS, 'content-length': String(page.sizeBytes) };
    return sendStream(context, headers, () => toStream(page.read()));
  },
};
