import * as fc from 'fast-check';
import type { Route } from '../../src/server/route.ts';
import { examplePath } from '../browser/support/make-app.ts';
import { anyCharacter } from './any-character.ts';

const NASTY = [
  "' OR 1=1 --",
  '"; DROP TABLE sessions; --',
  '%',
  '_',
  '\\',
  '*',
  '^',
  'NEAR(a b)',
  'a AND',
  '"',
  '""',
  '(',
  '-',
  ':*',
  'col:x',
  '\u0000',
  '\ud800',
  '\u202e',
  '../../etc/passwd',
  '..%2f',
  '%00',
  '%zz',
  '%c0%ae',
  'null',
  '__proto__',
  'constructor',
  '1e309',
  '-1',
  '0',
  '7',
  '9'.repeat(400),
  '2026-11-15',
  '2026-02-31T25:61:61Z',
  '0000-01-01',
  '9999-12-31T23:59:59.999-23:59',
  '0001-01-01T00:00:00+23:59',
  'eyJzIjoiMjAyNi0xMS0xNVQxMjowMDowMC4wMDBaIiwiaSI6IngifQ',
  '00000000-5',
  'parsed,failed',
  'commit,commit,commit',
  'true',
  '💥',
  '日本',
  'a'.repeat(2_000),
  '<script>',
  '\r\nX: y',
  ' ',
  '+',
  '&',
  '=',
  '#',
  '?',
  ';',
  ',',
  '[]',
  '{}',
  '0x10',
  'NaN',
];

const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ maxLength: 20 }),
);
const encoded = fc.oneof(
  text.map((value) => encodeURIComponent(value.toWellFormed())),
  fc.constantFrom('%', '%zz', '%c0%af', '..%2f..%2f', '%00', '.', '..', '%2e%2e', 'a%5cb', '%25252e'),
);

const HEADERS = [
  'accept',
  'content-type',
  'origin',
  'sec-fetch-site',
  'range',
  'if-range',
  'if-none-match',
  'last-event-id',
  'x-http-method-override',
  'cookie',
];
const headerText = fc.string({ maxLength: 30 }).map((value) => value.replace(/[^ -~]/g, '').trim());
const headerValue = fc.oneof(
  headerText,
  fc.constantFrom('bytes=0-', 'bytes=-1', 'bytes=5-2', 'bytes=99999999999-', 'bytes=0-1,3-4', 'application/json'),
);
const json = fc.oneof(
  fc.json({ maxDepth: 6 }),
  text,
  fc.constantFrom('{"session_ids":[]}', '{"session_ids":["a","a"]}', '{"session_ids":[1]}', '{"__proto__":{}}'),
);

/** Requests that start like valid ones and are malformed in many ways. */
export function requestOf(routes: readonly Route[]) {
  return fc.constantFrom(...routes).chain((route) => {
    const names = [...Object.keys(route.endpoint?.query.shape ?? {}), 'unknown'];
    const parameter = fc.tuple(fc.oneof(fc.constantFrom(...names), encoded), encoded);
    return fc.record({
      route: fc.constant(route),
      method: fc.oneof(
        { weight: 6, arbitrary: fc.constant(route.method as string) },
        fc.constantFrom('HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'QUERY'),
      ),
      params: fc.option(fc.array(encoded, { minLength: 2, maxLength: 2 })),
      tail: fc.oneof(
        { weight: 8, arbitrary: fc.constant('') },
        encoded.map((value) => `/${value}`),
      ),
      query: fc.array(parameter, { maxLength: 4 }),
      headers: fc.array(fc.tuple(fc.constantFrom(...HEADERS), headerValue), { maxLength: 3 }),
      body: fc.option(json),
      hasToken: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
    });
  });
}

export type Given = ReturnType<typeof requestOf> extends fc.Arbitrary<infer T> ? T : never;

export function pathOf({ route, params, tail, query }: Given): string {
  let at = 0;
  const path =
    params === null ? examplePath(route.path).split('?')[0] : route.path.replaceAll(/:\w+/g, () => params[at++] ?? '');
  const search = query.map(([name, value]) => `${name}=${value}`).join('&');
  return path + tail + (search === '' ? '' : `?${search}`);
}

/** An endless stream is read up to its first event. */
export async function bodyOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text();
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}

/** The parts of a request besides its path. */
export function initOf({ method, body, headers, hasToken }: Given, bearer: Record<string, string>): RequestInit {
  const hasBody = body !== null && !['GET', 'HEAD'].includes(method);
  return {
    method,
    headers: {
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...Object.fromEntries(headers),
      ...(hasToken ? bearer : {}),
    },
    ...(hasBody ? { body } : {}),
  };
}

/** No answer may contain one (H18). */
export const STACK_TRACE = /\bat .+:\d+:\d+|node_modules/;
