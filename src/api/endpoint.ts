import { z } from 'zod';

/** What a route answers with when it is not JSON. */
export type OtherAnswer = 'page' | 'bytes' | 'download' | 'text' | 'events';

/** One question of the HTTP door; its method and path are its name in the table. */
export interface Endpoint {
  readonly about: string;
  /** `open` routes answer without a token; of them only a shared page gives a person's data. */
  readonly access: 'open' | 'bearer';
  /** Asked of stored sessions: answers under /demo/api too, of the demo. */
  readonly isOfData: boolean;
  readonly query: z.ZodObject;
  /** JSON of this shape, bytes that the handler reads itself, or nothing. */
  readonly body: z.ZodType | 'bytes' | null;
  readonly answer: z.ZodType | OtherAnswer;
}

type Given = Pick<Endpoint, 'about' | 'answer'> & Partial<Endpoint>;
type Filled<G extends Given> = Omit<Endpoint, 'query' | 'body' | 'answer'> & {
  readonly query: G extends { readonly query: infer Q extends z.ZodObject } ? Q : typeof NO_QUERY;
  readonly body: G extends { readonly body: infer B extends z.ZodType | 'bytes' } ? B : null;
  readonly answer: G['answer'];
};

const NO_QUERY = z.strictObject({});

/** A question about stored sessions. */
export function dataEndpoint<const G extends Given>(given: G): Filled<G> {
  return { access: 'bearer', isOfData: true, query: NO_QUERY, body: null, ...given } as unknown as Filled<G>;
}

/** A question to this server itself, or an act. */
export function endpoint<const G extends Given>(given: G): Filled<G> {
  return { access: 'bearer', isOfData: false, query: NO_QUERY, body: null, ...given } as unknown as Filled<G>;
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
