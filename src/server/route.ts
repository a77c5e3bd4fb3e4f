import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Reads } from './reads.ts';
import type { DemoHolder } from './demo-holder.ts';
import type { StaticFiles } from './static-files.ts';

/** `incoming` is there when the request came over a socket, absent in `app.request()`. */
export interface ServerEnv {
  readonly Bindings: Partial<HttpBindings>;
}
export type RequestContext = Context<ServerEnv>;

/** What a handler may touch. */
export interface RouteScope {
  readonly token: string;
  readonly version: string;
  readonly reads: Reads;
  readonly demo: DemoHolder;
  readonly files: StaticFiles;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly about: string;
  /** `open` routes answer without a token; none of them gives a person's data. */
  readonly access: 'open' | 'bearer';
  handle(context: RequestContext, scope: RouteScope): Response | Promise<Response>;
}

/** A question to the store, asked under `/api` of the real data and under `/demo/api` of the demo. */
export interface ReadRoute {
  readonly path: string;
  readonly about: string;
  read(context: RequestContext, reads: Reads): Promise<unknown>;
}
