import type { AnswerOf, BodyOf, Method, ParamsOf, QueryOf } from '../api/endpoint.ts';
import type { Api, NonEmpty, Rest } from '../api/table.ts';
import { ERROR_CATALOG, type ErrorCode, FuelError } from '../domain/errors.ts';

/** The API to use: the user's own sessions or the demo. */
export type ApiBase = '/api' | '/demo/api';

/** `fetch` or a substitute; the app of a server in this process has the same interface. */
export type Transport = (url: string, init: RequestInit) => Response | Promise<Response>;

export interface ClientOptions {
  /** Origin of the server without a trailing slash; empty in the server's own page. */
  readonly origin: string;
  readonly base?: ApiBase;
  readonly token: () => string | null;
  readonly transport?: Transport;
}

type PathsOf<M extends Method> = { [N in keyof Api]: N extends `${M} ${infer Path}` ? Path : never }[keyof Api];
type EndpointOf<M extends Method, P extends PathsOf<M>> = Api[`${M} ${P}` & keyof Api];

type Input<M extends Method, P extends PathsOf<M>> = NonEmpty<'params', ParamsOf<P>> &
  NonEmpty<'query', QueryOf<EndpointOf<M, P>>> &
  NonEmpty<'body', BodyOf<EndpointOf<M, P>>> & {
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  };

type Call<M extends Method> = <P extends PathsOf<M>>(
  path: P,
  ...rest: Rest<Input<M, P>>
) => Promise<AnswerOf<EndpointOf<M, P>>>;

/**
 * A client typed by the endpoint table of src/api, which it only imports as types. Errors: those of the server with
 * their codes; unreachable.
 */
export interface Client {
  readonly get: Call<'GET'>;
  readonly post: Call<'POST'>;
  readonly patch: Call<'PATCH'>;
  readonly delete: Call<'DELETE'>;
}

export function createClient(options: ClientOptions): Client {
  const call = (method: Method) => (path: string, input?: AnyInput) => send(options, method, path, input ?? {});
  return {
    get: call('GET') as Call<'GET'>,
    post: call('POST') as Call<'POST'>,
    patch: call('PATCH') as Call<'PATCH'>,
    delete: call('DELETE') as Call<'DELETE'>,
  };
}

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function send(options: ClientOptions, method: Method, path: string, input: AnyInput): Promise<unknown> {
  const { origin, base = '/api', token, transport = fetch } = options;
  const url = origin + base + fillPath(path, input.params ?? {}) + formatQuery(input.query ?? {});
  const headers = new Headers(input.headers);
  const key = token();
  if (key !== null) headers.set('authorization', `Bearer ${key}`);
  const isBytes = input.body instanceof Uint8Array;
  if (input.body !== undefined) headers.set('content-type', isBytes ? 'application/octet-stream' : 'application/json');
  const init: RequestInit = { method, headers, credentials: 'omit', cache: 'no-store', redirect: 'error' };
  const body =
    input.body === undefined
      ? {}
      : { body: isBytes ? (input.body as Uint8Array<ArrayBuffer>) : JSON.stringify(input.body) };
  const signal = input.signal === undefined ? {} : { signal: input.signal };
  const response = await fetchResponse(() => transport(url, { ...init, ...body, ...signal }), input.signal);
  return readAnswer(response);
}

function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** Lists are joined with commas; undefined values and empty lists are omitted. */
function formatQuery(query: Readonly<Record<string, unknown>>): string {
  const isGiven = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  const pairs = Object.entries(query).filter(([, value]) => isGiven(value));
  const text = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

async function fetchResponse(request: () => Response | Promise<Response>, signal?: AbortSignal): Promise<Response> {
  try {
    return await request();
  } catch (cause) {
    if (signal?.aborted === true || cause instanceof FuelError) throw cause;
    throw new FuelError('unreachable', 'fuel-code is not responding.', {
      hint: 'Check that it is still running; start it with `fuel-code`.',
      cause,
    });
  }
}

/** Downloads are returned as a response even if their content is JSON. */
function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') === true && !headers.has('content-disposition');
}

/** The fields of an error response. */
interface Refusal {
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string | null;
  readonly position?: number | null;
}

async function readAnswer(response: Response): Promise<unknown> {
  if (response.ok && !isJson(response)) return response;
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body === null) throw new FuelError('unreachable', 'The response was incomplete.');
  if (response.ok) return body;
  const { error } = Object(body) as { readonly error?: Refusal };
  const code = Object.hasOwn(ERROR_CATALOG, error?.code ?? '') ? (error?.code as ErrorCode) : 'unreachable';
  const { hint, position } = error ?? {};
  throw new FuelError(code, error?.message ?? `The response is not from fuel-code (HTTP ${response.status}).`, {
    ...(error === undefined ? { hint: 'Check the URL and any proxy in front of the server.' } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(typeof position === 'number' ? { position } : {}),
  });
}
