import { type SearchField, type SearchFieldName, SEARCH_FIELDS } from '../domain/search-fields.ts';
import type { Comparison, FieldValue } from '../domain/search.ts';
import { toFuelError } from '../domain/errors.ts';
import { readDuration, startOfDate } from '../lib/dates.ts';
import { badQuery } from './bad-query.ts';

interface ValuePlace {
  /** Where the value begins in the search. */
  readonly at: number;
  readonly now: Date;
}

/** The value of a field as its type wants it. Errors: bad_query, at the value. */
export function parseValue(name: SearchFieldName, sign: string, text: string, place: ValuePlace): FieldValue {
  const field: SearchField = SEARCH_FIELDS[name];
  if (field.type === 'date')
    return {
      type: 'time',
      comparison: name === 'before' ? '<' : '>=',
      at: at(place, () => startOfDate(text, { now: place.now })),
    };
  if (field.type === 'text') return readText(text);
  if (field.type === 'name') return readName(name, field, text, place);
  const number = field.type === 'duration' ? at(place, () => readDuration(text, name)) : readNumber(field.type, text);
  if (number !== null) return { type: 'number', comparison: sign === '' ? '=' : (sign as Comparison), number };
  throw badQuery(place.at, `${name} takes a number`, `For example ${field.example}.`);
}

/** Complaints about a value, with its position in the search. */
function at<T>(place: ValuePlace, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { message, hint } = toFuelError(error);
    throw badQuery(place.at, lowerFirst(message.replace(/\.$/, '')), hint ?? undefined);
  }
}

function readText(text: string): FieldValue {
  const isPrefix = text.endsWith('*');
  return { type: 'text', text: lowerAscii(isPrefix ? text.replace(/\*+$/, '') : text), isPrefix };
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** As both databases do it without asking for a language. */
function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function readName(name: string, { values = {} }: SearchField, text: string, { at }: ValuePlace): FieldValue {
  const lower = text.toLowerCase();
  if (Object.hasOwn(values, lower)) return { type: 'text', text: lower, isPrefix: false };
  throw badQuery(
    at,
    `unknown value ${JSON.stringify(text)} for ${name}:`,
    `Valid values: ${Object.keys(values).join(', ')}.`,
  );
}

const MULTIPLES: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

function readNumber(type: SearchField['type'], text: string): number | null {
  if (type === 'number') return /^-?\d{1,10}$/.test(text) ? Number(text) : null;
  if (type === 'dollars') return /^\$?\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text.replace('$', '')) : null;
  const [, digits = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([a-z]?)$/.exec(text.toLowerCase()) ?? [];
  const factor = digits === '' ? undefined : MULTIPLES[unit];
  return factor === undefined ? null : Math.round(Number(digits) * factor);
}
