import type { Reads } from './reads.ts';
import type { ReadRoute, Route, RouteScope } from './route.ts';
import { demoRoute } from './routes/demo.ts';
import { healthRoute } from './routes/health.ts';
import { eventIngestRoute } from './routes/ingest.ts';
import { searchRoute } from './routes/search.ts';
import { sessionListRoute, sessionRoute, transcriptRoute } from './routes/sessions.ts';
import { assetRoute, pageRoute } from './routes/static.ts';
import { statusRoute } from './routes/status.ts';
import { fileUploadRoute, transcriptUploadRoute } from './routes/upload.ts';

const READ_ROUTES: readonly ReadRoute[] = [statusRoute, sessionListRoute, sessionRoute, transcriptRoute, searchRoute];

function mount(prefix: string, pick: (scope: RouteScope) => Reads, aboutPrefix: string): Route[] {
  return READ_ROUTES.map((route) => ({
    method: 'GET',
    path: prefix + route.path,
    about: aboutPrefix + route.about,
    access: 'bearer',
    handle: async (context, scope) => context.json(await route.read(context, pick(scope))),
  }));
}

/** Registers the routes and feeds documentation and tests: what is not in this table is not served. */
export const ROUTES: readonly Route[] = [
  pageRoute,
  assetRoute,
  healthRoute,
  demoRoute,
  eventIngestRoute,
  fileUploadRoute,
  transcriptUploadRoute,
  ...mount('/api', (scope) => scope.reads, ''),
  ...mount('/demo/api', (scope) => scope.demo.current(), 'Demo: '),
];
