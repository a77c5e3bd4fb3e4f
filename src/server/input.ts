import type { z } from 'zod';
import { MAX_ID_CHARS } from '../api/values.ts';
import { FuelError } from '../domain/errors.ts';
import { SESSION_ID_PATTERN } from '../domain/session.ts';
import { complaintOf, pathText } from '../lib/schema-complaint.ts';
import { MAX_BODY_BYTES, MAX_JSON_DEPTH } from './limits.ts';
import type { RequestContext } from './route.ts';

/**
 * Parses the query string. An unknown, repeated or malformed parameter is rejected by name, since silently ignoring a
 * filter would give a wrong answer. Errors: usage.
 */
export function parseQuery<T>(context: RequestContext, schema: z.ZodType<T>): T {
  const given = context.req.queries();
  for (const [name, values] of Object.entries(given)) {
    if (values.length > 1) throw badParameter(name, 'must be given once');
  }
  return parseWith(schema, Object.fromEntries(Object.entries(given).map(([name, values]) => [name, values[0]])));
}

/** Parses a JSON body. Errors: unsupported_media, too_large, usage. */
export async function parseBody<T>(context: RequestContext, schema: z.ZodType<T>): Promise<T> {
  const type = context.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new FuelError('unsupported_media', 'The body must be JSON.', {
      hint: 'Send the header Content-Type: application/json.',
    });
  }
  return parseWith(schema, parseJson(await readBody(context)));
}

/** H17: JSON that is nested deeper than any valid request is not parsed. */
export function parseJson(bytes: Uint8Array, what = 'The body'): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (depthOf(text) <= MAX_JSON_DEPTH) return JSON.parse(text);
  } catch (cause) {
    throw new FuelError('usage', `${what} is not valid UTF-8 JSON.`, { cause });
  }
  throw new FuelError('usage', `${what} is nested deeper than ${MAX_JSON_DEPTH} levels.`);
}

/** Brackets in strings do not count: prompts and commit messages are full of them. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') isInString = !isInString;
    else if (isInString) at += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') deepest = Math.max(deepest, ++depth);
    else if (char === ']' || char === '}') depth--;
  }
  return deepest;
}

/** Errors: usage, naming the invalid parameter. */
export function parseWith<T>(schema: z.ZodType<T>, given: unknown): T {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue === undefined) throw new FuelError('usage', 'The request is not valid.');
  if (issue.code === 'unrecognized_keys')
    throw badParameter(pathText([...issue.path, issue.keys[0] ?? '']), 'is unknown');
  if (issue.path.length === 0) throw new FuelError('usage', `The request is not valid: it ${complaintOf(issue)}.`);
  throw badParameter(pathText(issue.path), isMissing(given, issue.path) ? 'is required' : complaintOf(issue));
}

function isMissing(given: unknown, path: readonly PropertyKey[]): boolean {
  let value: unknown = given;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return value === undefined;
}

const MAX_NAME_SHOWN_CHARS = 40;

function badParameter(name: string, complaint: string): FuelError {
  const shown = JSON.stringify(name.slice(0, MAX_NAME_SHOWN_CHARS));
  return new FuelError('usage', `The parameter ${shown} ${complaint}.`, {
    hint: 'See docs/api.md for the parameters of every route.',
  });
}

/** H16: an invalid id never reaches the store. */
const PARAM_PATTERNS: Readonly<Record<string, RegExp>> = { id: SESSION_ID_PATTERN };
const ANY_NAME = new RegExp(`^\\P{Cc}{1,${MAX_ID_CHARS}}$`, 'u');

/** The values in the path. Errors: not_found. */
export function parseParams(context: RequestContext): Record<string, string> {
  const params = context.req.param() as Record<string, string>;
  for (const [name, value] of Object.entries(params)) {
    if ((PARAM_PATTERNS[name] ?? ANY_NAME).test(value) && value.isWellFormed()) continue;
    const noun = name === 'id' ? 'session' : name.replace('_id', '');
    throw new FuelError('not_found', `No ${noun} with that id.`, { hint: 'GET /api/sessions lists all sessions.' });
  }
  return params;
}

/** Reads a body up to the limit. Errors: too_large; usage when it ends early. */
export async function readBody(context: RequestContext, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(streamBody(context, maxBytes)));
}

/** Errors: too_large, at the latest when the limit is exceeded; usage when the body ends early. */
export async function* streamBody(context: RequestContext, maxBytes: number): AsyncGenerator<Uint8Array> {
  const tooLarge = new FuelError('too_large', `The body is larger than ${maxBytes} bytes.`);
  if (Number(context.req.header('content-length') ?? 0) > maxBytes) throw tooLarge;
  let sizeBytes = 0;
  for await (const chunk of chunksOf(context.req.raw.body)) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw tooLarge;
    yield chunk;
  }
}

async function* chunksOf(body: AsyncIterable<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? [];
  } catch (cause) {
    throw new FuelError('usage', 'The request body is incomplete.', { cause });
  }
}
