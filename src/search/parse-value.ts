import { type SearchField, type SearchFieldName, SEARCH_FIELDS } from '../domain/search-fields.ts';
import type { Comparison, FieldValue } from '../domain/search.ts';
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
    return { type: 'time', comparison: name === 'before' ? '<' : '>=', at: readDate(text, place) };
  if (field.type === 'text') return readText(text);
  if (field.type === 'name') return readName(name, field, text, place);
  const number = readNumber(field.type, text);
  if (number !== null) return { type: 'number', comparison: sign === '' ? '=' : (sign as Comparison), number };
  throw badQuery(place.at, `${name} takes a number`, `For example ${field.example}.`);
}

function readText(text: string): FieldValue {
  const isPrefix = text.endsWith('*');
  return { type: 'text', text: lowerAscii(isPrefix ? text.replace(/\*+$/, '') : text), isPrefix };
}

/** As both databases do it without asking for a language. */
function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function readName(name: string, { values = {} }: SearchField, text: string, { at }: ValuePlace): FieldValue {
  const lower = text.toLowerCase();
  if (Object.hasOwn(values, lower)) return { type: 'text', text: lower, isPrefix: false };
  throw badQuery(at, `${name}: does not know ${JSON.stringify(text)}`, `It knows ${Object.keys(values).join(', ')}.`);
}

const MULTIPLES: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function readNumber(type: SearchField['type'], text: string): number | null {
  if (type === 'number') return /^-?\d{1,10}$/.test(text) ? Number(text) : null;
  if (type === 'dollars') return /^\$?\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text.replace('$', '')) : null;
  const [, digits = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([a-z]?)$/.exec(text.toLowerCase()) ?? [];
  const factor = digits === '' ? undefined : (type === 'count' ? MULTIPLES : UNITS_MS)[unit];
  return factor === undefined ? null : Math.round(Number(digits) * factor);
}

/** A day or a month means its first moment where the person is. */
function readDate(text: string, { at, now }: ValuePlace): string {
  const date = readMoment(text.toLowerCase(), now);
  if (date !== null && !Number.isNaN(date.getTime())) return date.toISOString();
  const hint = 'Write 2026-11-03, 2026-11, 2026, today, yesterday, or how long ago: 12h, 7d, 4w.';
  throw badQuery(at, `${JSON.stringify(text)} is no date`, hint);
}

function readMoment(text: string, now: Date): Date | null {
  const midnight = (daysBefore: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBefore);
  if (text === 'today') return midnight(0);
  if (text === 'yesterday') return midnight(1);
  const [, count, unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(now.getTime() - Number(count) * (UNITS_MS[unit] ?? 0));
  const [, year, month = '1', day = '1'] = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(text) ?? [];
  if (year !== undefined) return dayOf(Number(year), Number(month), Number(day));
  return /^\d{4}-\d\d-\d\dt\d\d:\d\d/.test(text) ? withinYears(new Date(text.toUpperCase())) : null;
}

function dayOf(year: number, month: number, day: number): Date | null {
  const date = new Date(year, month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? withinYears(date) : null;
}

/** What both databases can hold. */
function withinYears(date: Date): Date | null {
  return date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999 ? date : null;
}
