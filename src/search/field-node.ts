import { FuelError } from '../domain/errors.ts';
import type { Comparison, FieldNode, FieldValue, SearchNode } from '../domain/search.ts';
import { FIELDS, type Field, type FieldName, isComparable } from '../domain/session-fields.ts';
import { type DateOptions, readDuration, startOfDate } from '../lib/dates.ts';

export interface FieldOptions extends DateOptions {
  /** Name of a field in error messages. */
  readonly label?: (name: string) => string;
}

/** A field with its value parsed according to its type; a list of choices produces several nodes. Errors: usage. */
export function fieldNode(name: FieldName, comparison: string, text: string, options: FieldOptions): SearchNode {
  const field: Field = FIELDS[name];
  const label = options.label?.(name) ?? name;
  const node = (value: FieldValue): FieldNode => ({ kind: 'field', field: name, value });
  if (field.type === 'date') {
    return node({
      type: 'time',
      comparison: name.endsWith('before') ? '<' : '>=',
      at: startOfDate(text, { ...options, name: label }),
    });
  }
  if (field.type === 'text' || field.type === 'name or id') return node(readText(field, text));
  if (field.type !== 'choice') {
    const number = readNumber(label, field, text);
    return node({ type: 'number', comparison: comparison === '' ? '=' : (comparison as Comparison), number });
  }
  const nodes = text.split(',').map((value) => node(readChoice(label, field, value)));
  return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: field.list === 'any' ? 'any' : 'all', nodes };
}

/** `>5`, `>=5`, `<5`, `<=5` and `5`, for fields that compare numbers. */
export function splitComparison(name: FieldName, text: string): readonly [comparison: string, rest: string] {
  const [sign = ''] = (isComparable(name) && /^[<>]=?/.exec(text)) || [];
  return [sign, text.slice(sign.length)];
}

/** `main` is part of a name, `main*` its beginning, `=main` the whole name. */
function readText({ type }: Field, text: string): FieldValue {
  if (type === 'text' && text.length > 1 && text.startsWith('=')) {
    return { type: 'text', text: lowerAscii(text.slice(1)), isPrefix: false, isExact: true };
  }
  const isPrefix = text.endsWith('*');
  const plain = isPrefix ? text.replace(/\*+$/, '') : text;
  return { type: 'text', text: type === 'name or id' ? plain : lowerAscii(plain), isPrefix };
}

/** Only A to Z, as in both databases: independent of the locale. */
function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function readChoice(name: string, { values = {}, formerValues = {} }: Field, text: string): FieldValue {
  const lower = text.trim().toLowerCase();
  const value = Object.hasOwn(formerValues, lower) ? (formerValues[lower] ?? '') : lower;
  if (Object.hasOwn(values, value)) return { type: 'text', text: value, isPrefix: false };
  const known = Object.keys(values).join(', ');
  throw new FuelError('usage', `Unknown value ${JSON.stringify(text.trim())} for ${name}. Valid values: ${known}.`);
}

const MULTIPLES: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

function readNumber(name: string, { type, example }: Field, text: string): number {
  if (type === 'duration') return readDuration(text, name);
  const number = type === 'number' ? wholeNumber(text) : type === 'dollars' ? dollars(text) : count(text);
  if (number !== null) return number;
  throw new FuelError('usage', `Invalid number ${JSON.stringify(text)} for ${name}.`, {
    hint: `For example ${name.startsWith('-') ? example.replace(/^[a-z_]+(.*)$/, `${name} "$1"`) : example}.`,
  });
}

function wholeNumber(text: string): number | null {
  return /^-?\d{1,10}$/.test(text) ? Number(text) : null;
}

function dollars(text: string): number | null {
  return /^\$?\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text.replace('$', '')) : null;
}

function count(text: string): number | null {
  const [, digits = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([a-z]?)$/.exec(text.toLowerCase()) ?? [];
  const factor = digits === '' ? undefined : MULTIPLES[unit];
  return factor === undefined ? null : Math.round(Number(digits) * factor);
}
