import type { z } from 'zod';
import { activityEndpoints } from './activity.ts';
import { agentEndpoints } from './agents.ts';
import { browserKeyEndpoints } from './browser-keys.ts';
import { budgetEndpoints } from './budgets.ts';
import { checkupEndpoints } from './checkup.ts';
import { costEndpoints } from './cost.ts';
import { deletionEndpoints } from './deletions.ts';
import type { AnswerOf, CheckedQuery, Endpoint, EndpointName, ParamsOf } from './endpoint.ts';
import { facetEndpoints } from './facets.ts';
import { findEndpoints } from './find.ts';
import { historyEndpoints } from './history.ts';
import { ingestEndpoints } from './ingest.ts';
import { liveEndpoints } from './live.ts';
import { outlineEndpoints } from './outline.ts';
import { searchEndpoints } from './search.ts';
import { serverEndpoints } from './server.ts';
import { sessionViewEndpoints } from './session-views.ts';
import { sessionEndpoints } from './sessions.ts';
import { shareEndpoints } from './shares.ts';
import { structureEndpoints } from './structure.ts';
import { transcriptEndpoints } from './transcript.ts';
import { usageEndpoints } from './usage.ts';
import { viewEndpoints } from './views.ts';
import { workEndpoints } from './work.ts';
import { workspaceEndpoints } from './workspaces.ts';

/**
 * Every endpoint of the HTTP API below `/api`. Routes, validation, the OpenAPI document, the manual and the types of
 * the client are generated from this table; the compiler requires a handler for each entry.
 */
export const API = {
  ...serverEndpoints,
  ...browserKeyEndpoints,
  ...sessionEndpoints,
  ...facetEndpoints,
  ...viewEndpoints,
  ...shareEndpoints,
  ...deletionEndpoints,
  ...transcriptEndpoints,
  ...outlineEndpoints,
  ...sessionViewEndpoints,
  ...findEndpoints,
  ...structureEndpoints,
  ...agentEndpoints,
  ...activityEndpoints,
  ...usageEndpoints,
  ...costEndpoints,
  ...budgetEndpoints,
  ...checkupEndpoints,
  ...workEndpoints,
  ...historyEndpoints,
  ...workspaceEndpoints,
  ...searchEndpoints,
  ...liveEndpoints,
  ...ingestEndpoints,
} satisfies Readonly<Record<EndpointName, Endpoint>>;

export type Api = typeof API;

type NameOf<K extends Endpoint['kind']> = {
  [N in keyof Api]: Api[N]['kind'] extends K ? N : never;
}[keyof Api];

/** Endpoints implemented in src/app; the tables of queries and commands have one entry for each. */
export type QueryName = NameOf<'query'>;
export type CommandName = NameOf<'command'>;
type Name = QueryName | CommandName;

type PathOf<N extends keyof Api> = N extends `${string} ${infer Path}` ? Path : never;
type CheckedBody<E extends Endpoint> = E['body'] extends z.ZodType ? z.output<E['body']> : null;

/** A validated request: every value has the type given by the schemas of the endpoint. */
export interface InputOf<N extends keyof Api> {
  readonly params: ParamsOf<PathOf<N>>;
  readonly query: CheckedQuery<Api[N]>;
  readonly body: CheckedBody<Api[N]>;
}

/** `{ [K]: V }`; optional if all fields of V are optional, omitted if V has no fields. */
export type NonEmpty<K extends string, V> = V extends undefined | null
  ? unknown
  : [keyof V] extends [never]
    ? unknown
    : string extends keyof V
      ? unknown
      : Partial<V> extends V
        ? { readonly [N in K]?: V }
        : { readonly [N in K]: V };

/** An argument that may be omitted if all of its fields are optional. */
export type Rest<I> = Partial<I> extends I ? [input?: I] : [input: I];

type CallInput<N extends Name> = NonEmpty<'params', InputOf<N>['params']> &
  NonEmpty<'query', InputOf<N>['query']> &
  NonEmpty<'body', InputOf<N>['body']>;

/** Runs a query, in this process or on a server: `get('/sessions/:id', { params: { id } })`. */
export type Get = <P extends PathOf<Extract<QueryName, `GET ${string}`>>>(
  path: P,
  ...rest: Rest<CallInput<`GET ${P}` & QueryName>>
) => Promise<AnswerOf<Api[`GET ${P}` & QueryName]>>;

/** Runs a command, in this process or on a server: `send('DELETE /notes/:note_id', { params: { note_id } })`. */
export type Send = <N extends CommandName>(name: N, ...rest: Rest<CallInput<N>>) => Promise<AnswerOf<Api[N]>>;
