import { z } from 'zod';
import { type Endpoint, type OtherAnswer, SHAPES } from '../api/endpoint.ts';
import { MAX_ID_CHARS } from '../api/values.ts';
import { ERROR_CATALOG } from '../domain/errors.ts';
import { IMAGE_TYPES } from '../domain/image-type.ts';
import { SESSION_ID_PATTERN } from '../domain/session.ts';
import type { Route } from './route.ts';

type Json = Readonly<Record<string, unknown>>;

const API_PREFIX = '/api';
const DEMO_PREFIX = '/demo/api';
const COMPONENTS = '#/components/schemas/';

/** The routes of the API as an OpenAPI 3.1 document. */
export function makeOpenApi(routes: readonly Route[], version: string): Json {
  const own = routes.filter((route) => route.endpoint !== null && route.path.startsWith(`${API_PREFIX}/`));
  const shapes = collectShapes(own);
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of own) {
    const path = toTemplate(route.path.slice(API_PREFIX.length));
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route, route.endpoint as Endpoint, shapes);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'fuel-code',
      version,
      description: 'Claude Code sessions: contents, activity and cost.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: API_PREFIX, description: 'Your own sessions.' },
      {
        url: DEMO_PREFIX,
        description: 'The demo sessions, after POST /api/demo has loaded them; session routes only.',
      },
    ],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'The token in the printed URL.' } },
      schemas: shapes.schemas,
    },
  };
}

const toTemplate = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}');

function operation({ method, path, about, access }: Route, endpoint: Endpoint, shapes: Shapes): Json {
  return {
    operationId: operationId(method, path),
    summary: about,
    tags: [path.split('/')[2] ?? ''],
    ...(access === 'open' ? { security: [] } : {}),
    parameters: [...pathParameters(path), ...queryParameters(endpoint)],
    ...(endpoint.body === null ? {} : { requestBody: requestBody(endpoint.body) }),
    responses: { ...okAnswers(endpoint.answer, shapes), ...errorAnswers(endpoint, access) },
  };
}

function requestBody(body: NonNullable<Endpoint['body']>): Json {
  const content =
    body === 'bytes' ? { 'application/octet-stream': {} } : { 'application/json': { schema: inputSchema(body) } };
  return { required: true, content };
}

/** `GET /api/sessions/:id/tool-calls` → `getSessionsIdToolCalls`. */
function operationId(method: string, path: string): string {
  const words = path.slice(API_PREFIX.length).split(/[^A-Za-z0-9]+/);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return method.toLowerCase() + name;
}

/** Parameters in paths, by name. */
const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  id: 'Id of a session, or a unique prefix of it.',
  session_id: 'Id of a deleted session, or a unique prefix of it.',
  message_id: '`id` of a message.',
  block_order: '`block_order` of a block.',
  compaction_id: '`id` of a compaction.',
  workspace_id: 'Id, canonical id, name or unique prefix of a workspace.',
  device_id: 'Id, name or unique prefix of a device.',
  note_id: '`id` of a note.',
  view_id: '`id` of a saved view.',
  share_id: '`id` of a link.',
  budget_id: '`id` of a budget.',
  key_id: '`id` of a browser key.',
};

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name],
    schema:
      name === 'id'
        ? { type: 'string', pattern: SESSION_ID_PATTERN.source }
        : { type: 'string', maxLength: MAX_ID_CHARS },
  }));
}

export function queryParameters({ query }: Endpoint): Json[] {
  const { properties = {}, required = [] } = inputSchema(query) as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

const OTHER_TYPES: Readonly<Record<OtherAnswer, readonly string[]>> = {
  file: ['application/x-ndjson', 'application/octet-stream'],
  lines: ['application/x-ndjson'],
  media: [...IMAGE_TYPES, 'application/octet-stream'],
  export: ['application/json', 'text/markdown', 'text/html', 'text/csv'],
  text: ['text/plain'],
  events: ['text/event-stream'],
};

function okAnswers(answer: Endpoint['answer'], { nameOf }: Shapes): Json {
  const description = 'The response.';
  if (typeof answer !== 'string') {
    const schema = { $ref: COMPONENTS + (nameOf.get(answer) ?? '') };
    return { 200: { description, content: { 'application/json': { schema } } } };
  }
  const content = Object.fromEntries(
    OTHER_TYPES[answer].map((type) => [type, { schema: { type: type === 'application/json' ? 'object' : 'string' } }]),
  );
  const ranges = answer === 'file' ? { 206: { description: 'The requested range of bytes.', content } } : {};
  return { 200: { description, content }, ...ranges };
}

/** Error statuses of the route with their codes. */
function errorAnswers({ body, answer }: Endpoint, access: string): Json {
  const codes = Object.entries(ERROR_CATALOG).filter(([code]) => {
    if (code === 'unsupported_media') return body !== null && body !== 'bytes';
    if (code === 'too_large') return body !== null;
    if (code === 'unauthorized' || code === 'rate_limited') return access === 'bearer';
    if (code === 'bad_range') return answer === 'file';
    return ['usage', 'not_found', 'ambiguous', 'forbidden', 'store_unavailable', 'timeout'].includes(code);
  });
  return Object.fromEntries(
    codes.map(([code, { status, about }]) => [
      status,
      {
        description: `\`${code}\`: ${about}`,
        content: { 'application/json': { schema: { $ref: `${COMPONENTS}Error` } } },
      },
    ]),
  );
}

function inputSchema(schema: z.ZodType): Json {
  const { $schema: _draft, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return json;
}

interface Shapes {
  readonly nameOf: ReadonlyMap<z.ZodType, string>;
  readonly schemas: Json;
}

/** Every answer has a name: its own, or one derived from its route. */
function collectShapes(routes: readonly Route[]): Shapes {
  const nameOf = new Map<z.ZodType, string>(SHAPES.map(([id, schema]) => [schema, id]));
  for (const { method, path, endpoint } of routes) {
    const answer = endpoint?.answer;
    if (answer === undefined || typeof answer === 'string' || nameOf.has(answer)) continue;
    nameOf.set(answer, `${operationId(method, path)}Answer`);
  }
  const registry = z.registry<{ readonly id: string }>();
  for (const [schema, id] of nameOf) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => COMPONENTS + id,
    unrepresentable: 'any',
    // `readonly` concerns our own types only.
    override: ({ jsonSchema }) => delete jsonSchema.readOnly,
  });
  const sorted = Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    nameOf,
    schemas: Object.fromEntries(sorted.map(([id, { $schema: _draft, $id: _id, ...json }]) => [id, json])),
  };
}
