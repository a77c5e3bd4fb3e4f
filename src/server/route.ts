import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { AnswerOf, Endpoint, Method } from '../api/endpoint.ts';
import type { Api, CommandName, InputOf, QueryName } from '../api/table.ts';
import type { DeviceTokens } from '../app/access-keys.ts';
import type { Commands } from '../app/commands.ts';
import type { DataSource } from '../app/data-source.ts';
import type { Intake } from '../app/serving.ts';
import type { Sender } from '../domain/device.ts';
import type { Metrics } from './metrics.ts';
import type { StaticFiles } from './routes/pages.ts';
import type { Slots } from './slots.ts';

/** `incoming` is present when the request came over a socket, absent in `app.request()`. */
export interface ServerEnv {
  readonly Bindings: Partial<HttpBindings>;
  /** Set for every request with a valid token. */
  readonly Variables: { sender: Sender };
}
export type RequestContext = Context<ServerEnv>;

export interface DemoHolder {
  /** Loads the demo once; concurrent callers wait for the same load. A failed load can be retried. */
  open(): Promise<DataSource>;
  /** Errors: not_found before the demo is open. */
  current(): DataSource;
}

/** Everything a handler can use. */
export interface RouteScope {
  readonly token: string;
  readonly tokens: DeviceTokens | null;
  readonly version: string;
  readonly data: DataSource;
  readonly commands: Commands;
  readonly demo: DemoHolder;
  readonly files: StaticFiles;
  /** Null where uploads are not accepted: the demo. */
  readonly intake: Intake | null;
  readonly uploadSlots: Slots;
  readonly exportSlots: Slots;
  readonly metrics: Metrics;
  readonly streamSlots: Slots;
  /** Aborted when the server closes, which ends live streams. */
  readonly closing: AbortSignal;
  /** The OpenAPI document, generated on first use. */
  readonly openApi: () => unknown;
}

/** An entry of the route table, from which the server registers, documents and tests its routes. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly about: string;
  readonly access: Endpoint['access'];
  /** Null for the files of the web interface and shared pages. */
  readonly endpoint: Endpoint | null;
  handle(context: RequestContext, scope: RouteScope): Response | Promise<Response>;
}

/** A validated request, and the request itself. */
interface HandlerInput<N extends keyof Api> extends InputOf<N> {
  readonly context: RequestContext;
}

/** Endpoints implemented in src/server. */
export type ServerName = Exclude<keyof Api, QueryName | CommandName>;

/** `scope.data` is that of the demo under /demo/api. */
export type Handlers = {
  readonly [N in keyof Api]: (
    input: HandlerInput<N>,
    scope: RouteScope,
  ) => AnswerOf<Api[N]> | Response | Promise<AnswerOf<Api[N]> | Response>;
};
