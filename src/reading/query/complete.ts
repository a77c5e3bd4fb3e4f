import { FIELDS, type Field, type FieldName, isComparable } from '../../domain/session-fields.ts';
import { formatTerm, type QueryTerm, termsOf } from './terms.ts';

/** The term that is being typed at the caret. */
export type Spot =
  /** A word that may become the name of a field or one of its values. */
  | { readonly kind: 'word'; readonly from: number; readonly to: number; readonly typed: string }
  | {
      readonly kind: 'value';
      readonly field: FieldName;
      readonly from: number;
      readonly to: number;
      readonly typed: string;
      /** Values that are already in a list: `has:commit,`. */
      readonly given: readonly string[];
    };

export function spotAt(text: string, caret: number): Spot | null {
  const term = termsOf(text).find(({ from, to }) => from < caret && caret <= to);
  if (term === undefined) return { kind: 'word', from: caret, to: caret, typed: '' };
  if (term.kind === 'field' && caret >= term.valueFrom) return valueSpot(text, term, caret);
  if (term.kind === 'field' || term.kind === 'word')
    return { kind: 'word', from: term.valueFrom, to: term.to, typed: wordBefore(text, term, caret) };
  // A closing quote or parenthesis ends a term without a space.
  const isBehind = caret === term.to && (term.kind === 'open' || (term.kind === 'close' && term.to === text.length));
  return isBehind ? { kind: 'word', from: caret, to: caret, typed: '' } : null;
}

function wordBefore(text: string, { valueFrom, from, kind }: QueryTerm, caret: number): string {
  const start = kind === 'field' ? text.slice(from, caret).replace(/^-/, '') : text.slice(valueFrom, caret);
  return start.toLowerCase();
}

function valueSpot(text: string, term: QueryTerm, caret: number): Spot {
  const field = term.field as FieldName;
  const isQuoted = text[term.valueFrom] === '"';
  const before = text.slice(term.valueFrom + (isQuoted ? 1 : 0), caret).replace(/"$/, '');
  const listed = (FIELDS[field] as Field).list === undefined ? [before] : before.split(',');
  const typed = listed.at(-1) ?? '';
  const from = listed.length === 1 ? term.valueFrom : caret - typed.length;
  return { kind: 'value', field, from, to: term.to, typed: typed.trim().toLowerCase(), given: listed.slice(0, -1) };
}

/** A known value of a field, and the number of sessions that have it. */
export interface KnownValue {
  readonly value: string;
  readonly sessions: number | null;
}

export interface Suggestion {
  /** Replaces what is being typed. */
  readonly insert: string;
  readonly about: string;
  readonly sessions: number | null;
  /** The name of a field, whose value is next. */
  readonly isField: boolean;
}

const MAX_SUGGESTIONS = 12;
/** Values of other fields are suggested once a word is distinctive enough. */
const MIN_VALUE_CHARS = 2;

/** Completions of what is being typed, best first. `known` are the values of a stored field. */
export function suggest(spot: Spot, known: readonly KnownValue[] = []): readonly Suggestion[] {
  const all = spot.kind === 'word' ? suggestFields(spot.typed) : suggestValues(spot, known);
  return all.slice(0, MAX_SUGGESTIONS);
}

/** Fields that most searches use come first; the others follow in the order of the manual. */
const FIRST_FIELDS: readonly FieldName[] = [
  'workspace',
  'after',
  'has',
  'is',
  'model',
  'tool',
  'file',
  'branch',
  'tag',
];
const FIELD_NAMES: readonly FieldName[] = [...new Set([...FIRST_FIELDS, ...(Object.keys(FIELDS) as FieldName[])])];

function suggestFields(typed: string): Suggestion[] {
  const names = FIELD_NAMES.filter((name) => name.startsWith(typed)).map((name) => ({
    insert: `${name}${isComparable(name) ? '>' : ':'}`,
    about: plainAbout(FIELDS[name]),
    sessions: null,
    isField: true,
  }));
  return typed.length < MIN_VALUE_CHARS ? names : [...names, ...suggestChoices(typed)];
}

/** `commit` may mean `has:commit`. */
function suggestChoices(typed: string): Suggestion[] {
  return FIELD_NAMES.flatMap((name) =>
    Object.entries((FIELDS[name] as Field).values ?? {})
      .filter(([value]) => value.startsWith(typed))
      .map(([value, about]) => ({ insert: `${name}:${value}`, about, sessions: null, isField: false })),
  );
}

type ValueSpot = Extract<Spot, { kind: 'value' }>;

function suggestValues({ field, typed, given }: ValueSpot, known: readonly KnownValue[]): Suggestion[] {
  const { type, values }: Field = FIELDS[field];
  if (values !== undefined) {
    const counts = new Map(known.map(({ value, sessions }) => [value, sessions]));
    const free = Object.entries(values).filter(([value]) => !given.includes(value));
    return inOrder(free, typed, ([value]) => value).map(([value, about]) => ({
      insert: value,
      about,
      sessions: counts.get(value) ?? null,
      isField: false,
    }));
  }
  const examples = EXAMPLES[field] ?? EXAMPLES[type];
  const list =
    known.length > 0 || examples === undefined
      ? known.map(({ value, sessions }) => ({ value, about: '', sessions }))
      : Object.entries(examples).map(([value, about]) => ({ value, about, sessions: null }));
  return inOrder(list, typed, ({ value }) => value).flatMap(({ value, about, sessions }) => {
    const insert = formatTerm(field, value)?.slice(field.length + 1);
    return insert === undefined ? [] : [{ insert, about, sessions, isField: false }];
  });
}

/** Values that start with the typed text, then values that contain it. */
function inOrder<T>(list: readonly T[], typed: string, textOf: (item: T) => string): T[] {
  const starts = (item: T) => textOf(item).toLowerCase().startsWith(typed);
  const contains = (item: T) => textOf(item).toLowerCase().includes(typed);
  return [...list.filter(starts), ...list.filter((item) => contains(item) && !starts(item))];
}

const DATES = {
  today: 'since midnight',
  yesterday: 'the day before today',
  '7d': '7 days ago',
  '30d': '30 days ago',
  '6mo': 'half a year ago',
  '1y': 'a year ago',
  monday: 'the last Monday',
  '12h': '12 hours ago',
};

const EXAMPLES: Readonly<Partial<Record<string, Readonly<Record<string, string>>>>> = {
  date: DATES,
  dollars: { '0.50': '50 cents', '1': 'one dollar', '5': '5 dollars', '20': '20 dollars' },
  duration: { '10min': '10 minutes', '1h': 'an hour', '4h': '4 hours', '1d': 'a day' },
  count: { '100': '', '1k': 'a thousand', '100k': 'a hundred thousand', '1m': 'a million' },
  exit: { '0': 'success', '1': 'failure', '127': 'command not found', '130': 'interrupted' },
  error: {
    tool: 'a call that failed',
    denied: 'a call that was not allowed',
    interrupted: 'a call that was interrupted',
    api: 'an error of the API',
    user: 'denied by a person',
    rule: 'denied by a rule',
    hook: 'denied by a hook',
  },
};

/** The first sentence, without Markdown. */
function plainAbout({ about }: Field): string {
  return (about.split(/[.;] /)[0] ?? about).replaceAll('`', '').replace(/\.$/, '');
}

/** The search with a suggestion inserted, and the new caret position. */
export function accept(text: string, spot: Spot, { insert, isField }: Suggestion): { text: string; caret: number } {
  const after = text.slice(spot.to);
  const gap = isField || /^\s/.test(after) ? '' : ' ';
  const caret = spot.from + insert.length + (isField ? 0 : 1);
  return { text: text.slice(0, spot.from) + insert + gap + after, caret };
}
