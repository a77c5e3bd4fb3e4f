import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Intake } from '../ingest/intake.ts';
import type { Reads } from './reads.ts';
import type { DemoHolder } from './demo-holder.ts';
import type { StaticFiles } from './static-files.ts';
import type { UploadSlots } from './upload-slots.ts';

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
  /** Null where no other device may bring anything: the demo. */
  readonly intake: Intake | null;
  readonly uploadSlots: UploadSlots;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly about: string;
  /** `open` routes answer without a token; none of them gives a person's data. */
  readonly access: 'open' | 'bearer';
  /** `own`: the handler reads the body itself, under a limit of its own. */
  readonly body?: 'own';
  handle(context: RequestContext, scope: RouteScope): Response | Promise<Response>;
}

/** A question to the store, asked under `/api` of the real data and under `/demo/api` of the demo. */
export interface ReadRoute {
  readonly path: string;
  readonly about: string;
  read(context: RequestContext, reads: Reads): Promise<unknown>;
}
