import { z } from 'zod';

/** What a route answers with when it is not JSON. */
export type OtherAnswer = 'page' | 'bytes' | 'download' | 'text' | 'events';

/** One route of the HTTP API; its method and path are its name in the table. */
export interface Endpoint {
  readonly about: string;
  /** `query` and `command` are functions of src/app; `server` routes have a handler of their own in src/server. */
  readonly kind: 'query' | 'command' | 'server';
  /** `open` routes answer without a token; of them only a shared page gives a person's data. */
  readonly access: 'open' | 'bearer';
  /** About stored sessions: answers under /demo/api too, from the demo. */
  readonly isOfData: boolean;
  /** Refused to the token of a device. */
  readonly needsServerToken: boolean;
  readonly query: z.ZodObject;
  /** JSON of this shape, bytes that the handler reads itself, or nothing. */
  readonly body: z.ZodType | 'bytes' | null;
  readonly answer: z.ZodType | OtherAnswer;
}

type Given = Pick<Endpoint, 'about' | 'answer'> & Partial<Omit<Endpoint, 'kind'>>;
type Filled<K extends Endpoint['kind'], G extends Given> = Omit<Endpoint, 'kind' | 'query' | 'body' | 'answer'> & {
  readonly kind: K;
  readonly query: G extends { readonly query: infer Q extends z.ZodObject } ? Q : typeof NO_QUERY;
  readonly body: G extends { readonly body: infer B extends z.ZodType | 'bytes' } ? B : null;
  readonly answer: G['answer'];
};

const NO_QUERY = z.strictObject({});
const DEFAULTS = { access: 'bearer', isOfData: false, needsServerToken: false, query: NO_QUERY, body: null } as const;

/** Reads stored data; answered by src/app/queries.ts. */
export function queryEndpoint<const G extends Given>(given: G): Filled<'query', G> {
  return { ...DEFAULTS, kind: 'query', isOfData: true, ...given } as unknown as Filled<'query', G>;
}

/** Changes stored data; carried out by src/app/commands.ts. */
export function commandEndpoint<const G extends Given>(given: G): Filled<'command', G> {
  return { ...DEFAULTS, kind: 'command', ...given } as unknown as Filled<'command', G>;
}

/** Concerns the server itself, or is more than JSON in and JSON out. */
export function serverEndpoint<const G extends Given>(given: G): Filled<'server', G> {
  return { ...DEFAULTS, kind: 'server', ...given } as unknown as Filled<'server', G>;
}

/** Shapes that have a name of their own in the OpenAPI document. */
export const SHAPES: [id: string, schema: z.ZodType][] = [];

export function shape<S extends z.ZodType>(id: string, schema: S): S {
  SHAPES.push([id, schema]);
  return schema;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
export type EndpointName = `${Method} /${string}`;

type NameIn<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | NameIn<Tail>
    : Rest
  : never;

/** The values that stand in a path such as `/sessions/:id`. */
export type ParamsOf<Path extends string> = { readonly [N in NameIn<Path>]: string };

/** What a caller gives for the query: numbers as numbers, lists as lists, what has a default left out or not. */
export type QueryOf<E extends Endpoint> = {
  readonly [K in keyof z.input<E['query']>]: K extends keyof z.output<E['query']>
    ? ListOrValue<z.output<E['query']>[K]>
    : never;
};

/** What a query function takes: the same once checked, so that what has a default is there. */
export type CheckedQuery<E extends Endpoint> = {
  readonly [K in keyof z.output<E['query']>]: ListOrValue<z.output<E['query']>[K]>;
};
type ListOrValue<V> = V extends readonly unknown[] ? readonly V[number][] : V;

export type BodyOf<E extends Endpoint> = E['body'] extends z.ZodType
  ? z.input<E['body']>
  : E['body'] extends 'bytes'
    ? Uint8Array<ArrayBuffer>
    : undefined;
export type AnswerOf<E extends Endpoint> = E['answer'] extends z.ZodType ? z.output<E['answer']> : Response;
