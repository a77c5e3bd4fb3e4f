import { z } from 'zod';
import type { JsonObject, JsonValue } from '../domain/transcript.ts';

export const MAX_NONCE_CHARS = 128;
export const MIN_NONCE_CHARS = 16;
export const MAX_QUERY_CHARS = 500;
const MAX_CURSOR_CHARS = 1_024;
export const MAX_ID_CHARS = 256;
const MAX_LIST_WORDS = 32;
export const MAX_GIT_ROWS = 500;
export const MAX_EVENT_ROWS = 1_000;
export const MAX_BATCH_IDS = 10_000;
export const MAX_POSITION = 2_147_483_647;

/** An integer in the query string. */
export function wholeNumber(min: number, max: number) {
  const sentence = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^-?\d{1,10}$/, sentence)
    .transform(Number)
    .refine((value) => value >= min && value <= max, sentence)
    .meta({ type: 'integer', minimum: min, maximum: max, pattern: undefined });
}

export function limit(max: number, defaultRows: number) {
  return wholeNumber(1, max)
    .default(defaultRows)
    .meta({ default: defaultRows, description: `Maximum number of results (default ${defaultRows}).` });
}

/** Position after which the page starts, in lists ordered by position. */
export const after = wholeNumber(-1, MAX_POSITION)
  .optional()
  .meta({ description: '`next_after` of the previous page; omit it for the first page.' });

export const cursor = z
  .string()
  .regex(new RegExp(`^[!-~]{1,${MAX_CURSOR_CHARS}}$`), 'is not a valid cursor')
  .optional()
  .meta({ description: '`next_cursor` of the previous page.' });

/** Text without control characters, safe for both databases. */
export function plainText(maxChars: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(maxChars, `must not be longer than ${maxChars} characters`)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters');
}

/** Comma-separated values from a fixed set. */
export function choices<const W extends string>(known: readonly [W, ...W[]]) {
  const isKnown = (value: string): value is W => (known as readonly string[]).includes(value);
  return z
    .string()
    .max(known.join(',').length, 'has too many values')
    .transform((list) => list.split(','))
    .refine((all): all is W[] => all.every(isKnown), `must be a comma-separated list of ${known.join(', ')}`)
    .meta({ description: `Comma-separated: ${known.join(', ')}.`, maxLength: undefined });
}

/** Comma-separated free text. */
export function commaSeparated(maxChars: number) {
  return plainText(maxChars * MAX_LIST_WORDS)
    .transform((list) => list.split(',').filter((entry) => entry !== ''))
    .refine((all) => all.length <= MAX_LIST_WORDS, `must not have more than ${MAX_LIST_WORDS} entries`)
    .refine((all) => all.every((entry) => entry.length <= maxChars), 'has an entry that is too long');
}

const MAX_DATE_CHARS = 64;

/** A date, parsed by src/lib/dates.ts in the time zone of the request. */
export const date = plainText(MAX_DATE_CHARS);

const MAX_ZONE_CHARS = 64;

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const zone = plainText(MAX_ZONE_CHARS).refine(isZone, 'must be a time zone such as Europe/Berlin');

/** The zone of the dates in a query. */
export const dateZone = zone.optional().meta({ description: 'Time zone of dates (default: the zone of the server).' });

/** The zone in which time is divided into days. */
export const dayZone = zone.default('UTC').meta({ description: 'Time zone for days (default UTC).' });

/** A range of time. */
export const times = {
  after: date.optional().meta({ description: 'At this time or later.' }),
  before: date.optional().meta({ description: 'Before this time.' }),
  zone: dateZone,
};

/** A range of whole days. */
export const days = {
  zone: dayZone,
  since: date.optional().meta({ description: 'First day.' }),
  until: date.optional().meta({ description: 'Last day, inclusive.' }),
};

export const inWorkspace = plainText(MAX_ID_CHARS)
  .optional()
  .meta({ description: 'Only this workspace: id, canonical id, name or unique prefix.' });

export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((value) => value === 'true')
  .meta({ type: 'boolean', enum: undefined });

/** Any JSON value found in a transcript. */
export const jsonValue: z.ZodType<JsonValue> = z.unknown() as unknown as z.ZodType<JsonValue>;
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>;

export const text = z.string();
export const textOrNull = z.string().nullable();
/** Counts and sizes; all are within JavaScript's safe integer range. */
export const count = z.number().int();
export const countOrNull = z.number().int().nullable();
export const counts = z.array(count).readonly();
export const countsOrNull = z.array(countOrNull).readonly();
export const texts = z.array(z.string()).readonly();
export const done = z.strictObject({ ok: z.literal(true) });
