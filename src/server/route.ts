import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { AnswerOf, Endpoint, EndpointName, Method, ParamsOf } from '../api/endpoint.ts';
import type { Acts } from '../app/command-types.ts';
import type { Intake } from '../app/intake.ts';
import type { Sender } from '../domain/device-token.ts';
import type { DemoHolder } from './demo-holder.ts';
import type { DeviceTokens } from '../app/device-tokens.ts';
import type { Metrics } from './metrics.ts';
import type { Reads } from '../app/queries.ts';
import type { StaticFiles } from './static-files.ts';
import type { UploadSlots } from './upload-slots.ts';
import type { StreamGate } from './live/stream-gate.ts';

/** `incoming` is there when the request came over a socket, absent in `app.request()`. */
export interface ServerEnv {
  readonly Bindings: Partial<HttpBindings>;
  /** Set for every request that passed the check of its token. */
  readonly Variables: { sender: Sender };
}
export type RequestContext = Context<ServerEnv>;

/** What a handler may touch. */
export interface RouteScope {
  readonly token: string;
  readonly tokens: DeviceTokens | null;
  readonly version: string;
  readonly reads: Reads;
  readonly acts: Acts;
  readonly demo: DemoHolder;
  readonly files: StaticFiles;
  /** Null where no other device may bring anything: the demo. */
  readonly intake: Intake | null;
  readonly uploadSlots: UploadSlots;
  readonly exportSlots: UploadSlots;
  readonly metrics: Metrics;
  readonly streams: StreamGate;
  /** Aborted when the server is about to close: whoever follows live is let go. */
  readonly closing: AbortSignal;
  /** The OpenAPI document, made when it is first asked for. */
  readonly openApi: () => unknown;
}

/** A row of the table of routes: what the server registers, documents and tests. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly about: string;
  readonly access: Endpoint['access'];
  /** What it takes and gives, for routes of the API; null for the page's own files. */
  readonly endpoint: Endpoint | null;
  handle(context: RequestContext, scope: RouteScope): Response | Promise<Response>;
}

/** A request that was checked: every value has the type that the endpoint's schemas give it. */
export interface Input<N extends EndpointName, E extends Endpoint> {
  readonly params: N extends `${Method} ${infer Path}` ? ParamsOf<Path> : never;
  readonly query: z.output<E['query']>;
  readonly body: E['body'] extends z.ZodType ? z.output<E['body']> : null;
  readonly context: RequestContext;
}

/** What a handler gets besides its input: `reads` is the demo's under /demo/api. */
export interface HandlerScope extends RouteScope {
  readonly reads: Reads;
}

export type Handler<N extends EndpointName, E extends Endpoint> = (
  input: Input<N, E>,
  scope: HandlerScope,
) => AnswerOf<E> | Response | Promise<AnswerOf<E> | Response>;

/** One handler for each endpoint of a group; the compiler misses none. */
export type Handlers<G extends Readonly<Record<EndpointName, Endpoint>>> = {
  readonly [N in keyof G & EndpointName]: Handler<N, G[N]>;
};
