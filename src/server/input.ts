import { z } from 'zod';
import { FuelError } from '../domain/errors.ts';
import { SESSION_ID_PATTERN } from '../domain/session.ts';
import type { RequestContext } from './route.ts';

/** A whole number in the query string. */
export function wholeNumber(min: number, max: number) {
  const sentence = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^-?\d{1,10}$/, sentence)
    .transform(Number)
    .refine((value) => value >= min && value <= max, sentence);
}

/** Text without control characters: what may safely reach either database. */
export function plainText(maxChars: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(maxChars, `must not be longer than ${maxChars} characters`)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters');
}

/**
 * The query string as `schema` wants it. A parameter that is unknown, given twice or malformed is refused by name: a
 * filter that is silently ignored gives a wrong answer. Errors: usage.
 */
export function parseQuery<T>(context: RequestContext, schema: z.ZodType<T>): T {
  const given = context.req.queries();
  for (const [name, values] of Object.entries(given)) {
    if (values.length > 1) throw badParameter(name, 'must be given once');
  }
  const flat = Object.fromEntries(Object.entries(given).map(([name, values]) => [name, values[0]]));
  const result = schema.safeParse(flat);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue?.code === 'unrecognized_keys') throw badParameter(issue.keys[0] ?? '', 'is not known here');
  const isMissing = issue !== undefined && !Object.hasOwn(flat, String(issue.path[0]));
  throw badParameter(String(issue?.path[0] ?? ''), isMissing ? 'is needed' : (issue?.message ?? 'is not valid'));
}

const MAX_NAME_SHOWN_CHARS = 40;

function badParameter(name: string, complaint: string): FuelError {
  const shown = JSON.stringify(name.slice(0, MAX_NAME_SHOWN_CHARS));
  return new FuelError('usage', `The parameter ${shown} ${complaint}.`, {
    hint: 'docs/api.md lists the parameters of every route.',
  });
}

/** H16: an id that cannot be one is not looked for. Errors: not_found. */
export function sessionIdOf(context: RequestContext): string {
  const id = context.req.param('id') ?? '';
  if (SESSION_ID_PATTERN.test(id)) return id;
  throw new FuelError('not_found', 'No session goes by that id.', { hint: '`fuel-code sessions` lists them.' });
}
