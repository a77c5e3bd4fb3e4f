import { z } from 'zod';
import { MAX_CURSOR_CHARS, MAX_LIST_WORDS, MAX_POSITION } from './limits.ts';

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

export function limit(max: number, otherwise: number) {
  return wholeNumber(1, max)
    .default(otherwise)
    .meta({ default: otherwise, description: `Maximum number of results (default ${otherwise}).` });
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

/** Comma-separated words from a fixed set. */
export function words<const W extends string>(known: readonly [W, ...W[]]) {
  const isKnown = (word: string): word is W => (known as readonly string[]).includes(word);
  return z
    .string()
    .max(known.join(',').length, 'has too many values')
    .transform((text) => text.split(','))
    .refine((all): all is W[] => all.every(isKnown), `must be a comma-separated list of ${known.join(', ')}`)
    .meta({ description: `Comma-separated: ${known.join(', ')}.`, maxLength: undefined });
}

/** Comma-separated free text. */
export function texts(maxChars: number) {
  return plainText(maxChars * MAX_LIST_WORDS)
    .transform((text) => text.split(',').filter((word) => word !== ''))
    .refine((all) => all.length <= MAX_LIST_WORDS, `must not have more than ${MAX_LIST_WORDS} entries`)
    .refine((all) => all.every((word) => word.length <= maxChars), 'has an entry that is too long');
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

export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((word) => word === 'true')
  .meta({ type: 'boolean', enum: undefined });
