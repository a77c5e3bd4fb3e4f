import { z } from 'zod';
import { MAX_CURSOR_CHARS, MAX_DOLLARS, MAX_LIST_WORDS, MAX_POSITION } from './limits.ts';

/** A whole number in the query string. */
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

/** The place to go on after, in lists that are ordered by position. */
export const after = wholeNumber(-1, MAX_POSITION)
  .optional()
  .meta({ description: '`next_after` of the previous page; omit it for the first page.' });

export const cursor = z
  .string()
  .regex(new RegExp(`^[!-~]{1,${MAX_CURSOR_CHARS}}$`), 'is not a valid cursor')
  .optional()
  .meta({ description: '`next_cursor` of the previous page.' });

/** Text without control characters: what may safely reach either database. */
export function plainText(maxChars: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(maxChars, `must not be longer than ${maxChars} characters`)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters');
}

/** Comma-separated words, each one of these. */
export function words<const W extends string>(known: readonly [W, ...W[]]) {
  const isKnown = (word: string): word is W => (known as readonly string[]).includes(word);
  return z
    .string()
    .max(known.join(',').length, 'has too many values')
    .transform((text) => text.split(','))
    .refine((all): all is W[] => all.every(isKnown), `must be a comma-separated list of ${known.join(', ')}`)
    .meta({ description: `Comma-separated: ${known.join(', ')}.`, maxLength: undefined });
}

/** Comma-separated texts of anybody's choice. */
export function texts(maxChars: number) {
  return plainText(maxChars * MAX_LIST_WORDS)
    .transform((text) => text.split(',').filter((word) => word !== ''))
    .refine((all) => all.length <= MAX_LIST_WORDS, `must not have more than ${MAX_LIST_WORDS} entries`)
    .refine((all) => all.every((word) => word.length <= maxChars), 'has an entry that is too long');
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** A day or a time in ISO-8601; without a zone it is UTC. Given on in the one form that the store orders by. */
export const time = z
  .string()
  .regex(TIME, 'must be a day or a time like 2026-11-15T09:30:00Z')
  .transform((text) => new Date(/T.*(Z|[+-]\d\d:\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`))
  .refine((at) => at.getUTCFullYear() >= 1 && at.getUTCFullYear() <= 9999, 'is not a valid time')
  .transform((at) => at.toISOString())
  .meta({ description: 'A date or time in ISO 8601, UTC unless it has an offset.', pattern: undefined });

export const dollars = z
  .string()
  .regex(/^\d{1,7}(\.\d{1,9})?$/, `must be dollars from 0 to ${MAX_DOLLARS}`)
  .transform(Number)
  .refine((value) => value <= MAX_DOLLARS, `must be dollars from 0 to ${MAX_DOLLARS}`)
  .meta({ type: 'number', minimum: 0, maximum: MAX_DOLLARS, pattern: undefined });

export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((word) => word === 'true')
  .meta({ type: 'boolean', enum: undefined });
