import { FuelError, toFuelError } from '../domain/errors.ts';
import { MAX_SEARCH_CHARS, type SearchNode } from '../domain/search.ts';
import { FIELD_PARAMETERS, FIELDS, type FieldParameter, findField, isComparable } from '../domain/session-fields.ts';
import type { DateOptions } from '../lib/dates.ts';
import { nearest } from '../lib/nearest.ts';
import { type FieldOptions, fieldNode, splitComparison } from './field-node.ts';
import { badQuery, checkPattern } from './pattern.ts';
import { textNode } from './words.ts';

const MAX_TERMS = 32;
const MAX_DEPTH = 16;

/**
 * Parses a search into a tree. One pass from left to right; every input gives a tree or an error about one of its
 * characters. Errors: bad_query, with the position.
 */
export function parseQuery(text: string, dates: DateOptions): SearchNode {
  if (text.length > MAX_SEARCH_CHARS) {
    throw badQuery(MAX_SEARCH_CHARS, `it is longer than ${MAX_SEARCH_CHARS} characters`);
  }
  const node = new QueryReader(text, dates).read();
  if (node !== null) return node;
  const at = Math.max(0, text.search(/\S/));
  throw badQuery(at, 'there is no letter or digit to search for', 'Use a word, or `*"…"` to search for punctuation.');
}

/** A class because of its one piece of mutable state: the read position. */
class QueryReader {
  readonly #text: string;
  readonly #dates: DateOptions;
  #at = 0;
  #terms = 0;
  #depth = 0;

  constructor(text: string, dates: DateOptions) {
    this.#text = text;
    this.#dates = dates;
  }

  /** Null if there is nothing to search for. */
  read(): SearchNode | null {
    const node = this.#any();
    if (this.#at < this.#text.length) {
      throw badQuery(this.#at, 'unmatched closing parenthesis', 'Remove it, or add an opening parenthesis.');
    }
    return node;
  }

  #any(): SearchNode | null {
    const nodes = [this.#all()];
    for (let from = this.#at; this.#keyword('OR'); from = this.#at) {
      const next = this.#all();
      if (nodes.at(-1) === null || next === null) throw badQuery(from, 'OR needs something on both sides');
      nodes.push(next);
    }
    return join(
      'any',
      nodes.filter((node) => node !== null),
    );
  }

  #all(): SearchNode | null {
    const nodes: SearchNode[] = [];
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.#text.length || this.#isNext(')') || this.#startsWithKeyword('OR')) break;
      if (this.#keyword('AND')) continue;
      const node = this.#one();
      if (node !== null) nodes.push(node);
    }
    return join('all', nodes);
  }

  #one(): SearchNode | null {
    this.#skipSpace();
    const from = this.#at;
    if (this.#terms > MAX_TERMS) throw badQuery(from, `there are more than ${MAX_TERMS} terms`);
    if (this.#keyword('NOT') || this.#isDash()) {
      const node = this.#deeper(from, () => this.#one());
      return node === null ? null : { kind: 'not', node };
    }
    if (this.#isNext('(')) return this.#group(from);
    this.#terms++;
    return this.#quoted() ?? this.#pattern() ?? this.#field() ?? this.#word();
  }

  #isDash(): boolean {
    if (!this.#isNext('-') || !/[^\s-]/.test(this.#text[this.#at + 1] ?? '')) return false;
    this.#at++;
    return true;
  }

  #group(from: number): SearchNode | null {
    this.#at++;
    const node = this.#deeper(from, () => this.#any());
    if (!this.#isNext(')')) throw badQuery(from, 'missing closing parenthesis');
    this.#at++;
    return node;
  }

  #deeper<T>(from: number, read: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw badQuery(from, `this is nested deeper than ${MAX_DEPTH} levels`);
    const result = read();
    this.#depth--;
    return result;
  }

  #quoted(): SearchNode | null {
    if (!this.#isNext('"')) return null;
    const phrase = this.#quotedText();
    const isPrefix = this.#isNext('*');
    if (isPrefix) this.#at++;
    return textNode(phrase, isPrefix);
  }

  #quotedText(): string {
    const from = this.#at;
    const end = this.#text.indexOf('"', from + 1);
    if (end < 0) throw badQuery(from, 'missing closing quote');
    this.#at = end + 1;
    return this.#text.slice(from + 1, end);
  }

  /** `/regex/`, `/regex/i`, `*part*`, `*"part with spaces"`. A path like /home/dev is neither. */
  #pattern(): SearchNode | null {
    const from = this.#at;
    const regex = /^\/((?:[^/\\]|\\.)+)\/(i?)(?=[\s)]|$)/s.exec(this.#text.slice(from));
    if (regex !== null) {
      this.#at += regex[0].length;
      return checkPattern(regex[1] ?? '', { from: from + 1, isRegex: true, isCaseSensitive: regex[2] === '' });
    }
    if (!this.#isNext('*') || !/[^\s*]/.test(this.#text[from + 1] ?? '')) return null;
    this.#at++;
    const part = this.#isNext('"') ? this.#quotedText() : this.#bareWord().replace(/\*+$/, '');
    return checkPattern(part, { from: from + 1, isRegex: false, isCaseSensitive: false });
  }

  /** Null if there is no field here: `std::vector` and `build:web` are words. */
  #field(): SearchNode | null {
    const from = this.#at;
    const head = /^([A-Za-z_]+)(:(?:[<>]=?)?|[<>]=?)/.exec(this.#text.slice(from));
    if (head === null) return null;
    const [whole, name = '', sign = ''] = head;
    const found = findField(name);
    if (found === null) {
      if (sign === ':') this.#refuseMistyped(name, from, from + whole.length);
      return null;
    }
    if (!sign.startsWith(':') && !isComparable(found.name)) return null;
    this.#at += whole.length;
    const at = this.#at;
    const value = this.#isNext('"') ? this.#quotedText() : this.#bareWord();
    if (value === '') {
      const hint = `Write the value without a space before it, as in ${found.field.example}; to search for the word itself, write "${name}".`;
      throw badQuery(from, `${name.toLowerCase()}${sign} has no value`, hint);
    }
    try {
      return fieldNode(found.name, found.comparison || sign.replace(':', ''), value, this.#dates);
    } catch (error) {
      const { message, hint } = toFuelError(error);
      throw badQuery(at, lowerFirst(message.replace(/\.$/, '')), hint);
    }
  }

  #refuseMistyped(name: string, from: number, to: number): void {
    if (!/[^\s:/]/.test(this.#text[to] ?? '')) return;
    const isLong = (known: string) => Math.max(name.length, known.length) >= MIN_MISTYPED_CHARS;
    const [meant] = nearest(name, Object.keys(FIELDS).filter(isLong), 1);
    if (meant === undefined) return;
    throw badQuery(
      from,
      `unknown field ${name}:`,
      `Did you mean ${meant}:? To search for the text itself, put it in quotes.`,
    );
  }

  #word(): SearchNode | null {
    const word = this.#bareWord();
    return textNode(word, word.endsWith('*'));
  }

  /** Reads up to the next space; a parenthesis ends the word if it closes one opened before the word. */
  #bareWord(): string {
    const from = this.#at;
    let open = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at] ?? '';
      if (/[\s"]/.test(char)) break;
      if (char === '(') open++;
      if (char === ')' && open-- === 0) break;
    }
    return this.#text.slice(from, this.#at);
  }

  #isNext(char: string): boolean {
    return this.#text[this.#at] === char;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #startsWithKeyword(word: string): boolean {
    return this.#text.startsWith(word, this.#at) && /^[\s()]?$/.test(this.#text[this.#at + word.length] ?? '');
  }

  #keyword(word: string): boolean {
    this.#skipSpace();
    if (!this.#startsWithKeyword(word)) return false;
    this.#at += word.length;
    return true;
  }
}

function join(kind: 'all' | 'any', nodes: readonly SearchNode[]): SearchNode | null {
  const [first] = nodes;
  if (first === undefined) return null;
  return nodes.length === 1 ? first : { kind, nodes };
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

const MIN_MISTYPED_CHARS = 4;

type Filters = { readonly [P in FieldParameter]?: string | undefined };

/** Filters given as named fields; all must match. Null if there are none. Errors: usage, with the name of the field. */
export function filterNode(filters: Filters, options: FieldOptions): SearchNode | null {
  const nodes = FIELD_PARAMETERS.flatMap((parameter) => {
    const text = filters[parameter];
    const found = findField(parameter);
    if (text === undefined || found === null) return [];
    const [sign, value] = splitComparison(found.name, text);
    return [fieldNode(found.name, found.comparison || sign, value, options)];
  });
  const [first, ...more] = nodes;
  return first === undefined || more.length === 0 ? (first ?? null) : { kind: 'all', nodes };
}

/** A search that consists of fields only. Errors: bad_query, also for words. */
export function fieldQuery(text: string, options: DateOptions): SearchNode {
  const node = parseQuery(text, options);
  if (!hasText(node)) return node;
  throw new FuelError('bad_query', 'Sessions are filtered by fields, but this query contains words.', {
    hint: 'Put title: before a word to find it in titles; to find words anywhere in sessions, use `fuel-code search`.',
    position: 0,
  });
}

/** Whether a search contains words or patterns; otherwise it is about whole sessions. */
export function hasText(node: SearchNode): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.nodes.some(hasText);
  return node.kind === 'not' ? hasText(node.node) : node.kind !== 'field';
}
