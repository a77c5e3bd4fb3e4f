import { z } from 'zod';

/** Response types other than JSON. */
export type OtherAnswer = 'file' | 'lines' | 'media' | 'export' | 'text' | 'events';

/** One route of the HTTP API; its key in the table is its method and path. */
export interface Endpoint {
  readonly about: string;
  /** `query` and `command` routes call functions in src/app; `server` routes have their own handler in src/server. */
  readonly kind: 'query' | 'command' | 'server';
  /** `open` routes need no token; a shared page is the only one that returns personal data. */
  readonly access: 'open' | 'bearer';
  /** Serves stored sessions, so it is also available under /demo/api with the data of the demo. */
  readonly isInDemo: boolean;
  /** Rejects the tokens of devices and the keys of browsers. */
  readonly needsServerToken: boolean;
  /** Rejects the token of a device, but not the key of a browser. */
  readonly isOwnersOnly: boolean;
  readonly query: z.ZodObject;
  /** JSON of this shape, bytes that the handler reads itself, or no body. */
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
const DEFAULTS = {
  access: 'bearer',
  isInDemo: false,
  needsServerToken: false,
  isOwnersOnly: false,
  query: NO_QUERY,
  body: null,
} as const;

/** Reads stored data; implemented in src/app/queries.ts. */
export function queryEndpoint<const G extends Given>(given: G): Filled<'query', G> {
  return { ...DEFAULTS, kind: 'query', isInDemo: true, ...given } as unknown as Filled<'query', G>;
}

/** Changes stored data; implemented in src/app/commands.ts. */
export function commandEndpoint<const G extends Given>(given: G): Filled<'command', G> {
  return { ...DEFAULTS, kind: 'command', ...given } as unknown as Filled<'command', G>;
}

/** Concerns the server itself, or does not fit JSON in and JSON out. */
export function serverEndpoint<const G extends Given>(given: G): Filled<'server', G> {
  return { ...DEFAULTS, kind: 'server', ...given } as unknown as Filled<'server', G>;
}

/** Named schemas of the OpenAPI document. */
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

/** The parameters of a path such as `/sessions/:id`. */
export type ParamsOf<Path extends string> = { readonly [N in NameIn<Path>]: string };

/** The query as a caller passes it: numbers as numbers, lists as lists; parameters with a default are optional. */
export type QueryOf<E extends Endpoint> = {
  readonly [K in keyof z.input<E['query']>]: K extends keyof z.output<E['query']>
    ? ListOrValue<z.output<E['query']>[K]>
    : never;
};

/** The query as a query function receives it: validated, with defaults filled in. */
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
