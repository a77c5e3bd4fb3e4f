import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { CommandName, InputOf, QueryName, Api } from '../api/table.ts';
import type { AnswerOf, Endpoint, Method } from '../api/endpoint.ts';
import type { Commands } from '../app/commands.ts';
import type { DataSource } from '../app/data-source.ts';
import type { Intake } from '../app/serving.ts';
import type { Sender } from '../domain/device-token.ts';
import type { DemoHolder } from './demo-holder.ts';
import type { DeviceTokens } from '../app/device-tokens.ts';
import type { Metrics } from './metrics.ts';
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
  readonly data: DataSource;
  readonly commands: Commands;
  readonly demo: DemoHolder;
  readonly files: StaticFiles;
  /** Null where no other device may bring anything: the demo. */
  readonly intake: Intake | null;
  readonly uploadSlots: UploadSlots;
  readonly exportSlots: UploadSlots;
  readonly metrics: Metrics;
  readonly streams: StreamGate;
  /** Aborted when the server closes, which ends live streams. */
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

/** A request that was checked, and the request itself. */
export interface HandlerInput<N extends keyof Api> extends InputOf<N> {
  readonly context: RequestContext;
}

/** Endpoints that only the server can answer. */
export type ServerName = Exclude<keyof Api, QueryName | CommandName>;

/** `scope.data` is that of the demo under /demo/api. */
export type Handlers = {
  readonly [N in keyof Api]: (
    input: HandlerInput<N>,
    scope: RouteScope,
  ) => AnswerOf<Api[N]> | Response | Promise<AnswerOf<Api[N]> | Response>;
};
