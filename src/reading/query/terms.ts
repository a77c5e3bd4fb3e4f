import { type FieldName, findField, isComparable } from '../../domain/session-fields.ts';

/**
 * The terms of a search as they are typed: what the parser reads, but without errors and with positions, for fields that
 * complete, show and change a search. A test compares both.
 */
export interface QueryTerm {
  readonly kind: 'word' | 'phrase' | 'pattern' | 'field' | 'operator' | 'open' | 'close';
  /** Start of the term, including a minus sign; end (exclusive). */
  readonly from: number;
  readonly to: number;
  readonly isNegated: boolean;
  /** For a field: which one, and what is between its name and its value (`:`, `>`, `:>=`). */
  readonly field: FieldName | null;
  readonly sign: string;
  /** Start of the value, or of the word without a minus sign. */
  readonly valueFrom: number;
  /** The value, or the word; without quotes. */
  readonly value: string;
  /** The closing quote is missing. */
  readonly isOpen: boolean;
}

const KEYWORDS = ['OR', 'AND', 'NOT'];
const REGEX = /^\/(?:[^/\\]|\\.)+\/i?(?=[\s)]|$)/s;
const HEAD = /^([A-Za-z_]+)(:(?:[<>]=?)?|[<>]=?)/;

export function termsOf(text: string): readonly QueryTerm[] {
  const terms: QueryTerm[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, terms.at(-1)?.to ?? text.length))
    terms.push(termAt(text, at));
  return terms;
}

function termAt(text: string, from: number): QueryTerm {
  const isNegated = text[from] === '-' && /[^\s-]/.test(text[from + 1] ?? '');
  const start = isNegated ? from + 1 : from;
  const term = (kind: QueryTerm['kind'], to: number, rest: Partial<QueryTerm> = {}): QueryTerm => ({
    kind,
    from,
    to,
    isNegated,
    field: null,
    sign: '',
    valueFrom: start,
    value: text.slice(start, to),
    isOpen: false,
    ...rest,
  });
  const char = text[start];
  if (char === '(') return term('open', start + 1);
  if (char === ')') return term('close', start + 1);
  const keyword = (isNegated ? ['NOT'] : KEYWORDS).find((word) => isKeywordAt(text, start, word));
  if (keyword !== undefined) return term('operator', start + keyword.length);
  if (char === '"') {
    const { to, value, isOpen } = quotedAt(text, start);
    return term('phrase', text[to] === '*' && !isOpen ? to + 1 : to, { value, isOpen });
  }
  return patternAt(text, start, term) ?? fieldAt(text, start, term) ?? term('word', endOfWord(text, start));
}

type MakeTerm = (kind: QueryTerm['kind'], to: number, rest?: Partial<QueryTerm>) => QueryTerm;

function patternAt(text: string, start: number, term: MakeTerm): QueryTerm | null {
  const regex = REGEX.exec(text.slice(start));
  if (regex !== null) return term('pattern', start + regex[0].length);
  if (text[start] !== '*' || !/[^\s*]/.test(text[start + 1] ?? '')) return null;
  if (text[start + 1] !== '"') return term('pattern', endOfWord(text, start + 1));
  const { to, isOpen } = quotedAt(text, start + 1);
  return term('pattern', to, { isOpen });
}

function fieldAt(text: string, start: number, term: MakeTerm): QueryTerm | null {
  const [whole = '', name = '', sign = ''] = HEAD.exec(text.slice(start)) ?? [];
  const found = whole === '' ? null : findField(name);
  if (found === null || (!sign.startsWith(':') && !isComparable(found.name))) return null;
  const valueFrom = start + whole.length;
  const rest = { field: found.name, sign, valueFrom };
  if (text[valueFrom] !== '"') {
    const to = endOfWord(text, valueFrom);
    return term('field', to, { ...rest, value: text.slice(valueFrom, to) });
  }
  const { to, value, isOpen } = quotedAt(text, valueFrom);
  return term('field', to, { ...rest, value, isOpen });
}

function quotedAt(
  text: string,
  from: number,
): { readonly to: number; readonly value: string; readonly isOpen: boolean } {
  const end = text.indexOf('"', from + 1);
  const isOpen = end < 0;
  return { to: isOpen ? text.length : end + 1, value: text.slice(from + 1, isOpen ? text.length : end), isOpen };
}

/** A parenthesis ends a word if it closes one that was opened before the word. */
function endOfWord(text: string, from: number): number {
  let open = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at] ?? '';
    if (/[\s"]/.test(char)) return at;
    if (char === '(') open++;
    if (char === ')' && open-- === 0) return at;
  }
  return text.length;
}

function isKeywordAt(text: string, at: number, word: string): boolean {
  return text.startsWith(word, at) && /^[\s()]?$/.test(text[at + word.length] ?? '');
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? '')) at++;
  return at;
}

/** Every term is a condition of its own: without operators and parentheses, terms can be added, moved and removed. */
export function isFlat(terms: readonly QueryTerm[]): boolean {
  return terms.every(({ kind }) => kind !== 'operator' && kind !== 'open' && kind !== 'close');
}

/** A field with its value. */
export function isCompleteField({ kind, value, isOpen }: QueryTerm): boolean {
  return kind === 'field' && value !== '' && !isOpen;
}

/** The top-level terms of a query, verbatim: `-tag:later`, `(a OR b)`, `"two words"`. */
export function splitTerms(query: string): readonly string[] {
  // OR binds looser than anything else: such a query is one term.
  if (hasTopLevelOr(query)) return [query.trim()];
  return topLevelTokens(query).filter((token) => token !== 'AND');
}

function hasTopLevelOr(query: string): boolean {
  return topLevelTokens(query).includes('OR');
}

/** Terms and the operators between them; groups, and what NOT negates, are one each. */
function topLevelTokens(query: string): readonly string[] {
  const tokens: string[] = [];
  let depth = 0;
  let from = -1;
  for (const term of termsOf(query)) {
    if (from < 0) from = term.from;
    if (term.kind === 'open') depth++;
    if (term.kind === 'close' && depth > 0) depth--;
    if (depth > 0 || (term.kind === 'operator' && query.startsWith('NOT', term.valueFrom))) continue;
    tokens.push(query.slice(from, term.to));
    from = -1;
  }
  return from < 0 ? tokens : [...tokens, query.slice(from).trim()];
}

export function joinTerms(terms: readonly string[]): string {
  return terms.join(' ');
}

/** Adds a term unless the query has it. */
export function addTerm(query: string, term: string): string {
  const terms = splitTerms(query);
  if (terms.includes(term)) return query;
  const isAlternative = hasTopLevelOr(query);
  return joinTerms([...(isAlternative ? [`(${query.trim()})`] : terms), term]);
}

export function removeTerm(query: string, term: string): string {
  return joinTerms(splitTerms(query).filter((each) => each !== term));
}

/** The name of the field that a term is about; null for words, groups and patterns. */
export function fieldOfTerm(term: string): string | null {
  return /^(?:-|NOT\s+)?([A-Za-z_]+)(?::|[<>])/.exec(term)?.[1]?.toLowerCase() ?? null;
}

/** The query without the terms about these fields. */
export function withoutFields(query: string, fields: readonly FieldName[]): string {
  const isOther = (term: string) => !(fields as readonly string[]).includes(fieldOfTerm(term) ?? '');
  return joinTerms(splitTerms(query).filter(isOther));
}

/** A field with a value, quoted if needed; null for a value that no query can contain. */
export function formatTerm(field: FieldName, value: string): string | null {
  if (value === '' || value.includes('"') || /\p{Cc}/u.test(value)) return null;
  return /[\s()]|^[<>]/.test(value) ? `${field}:"${value}"` : `${field}:${value}`;
}

/** A filter of sessions from what a person typed: words alone mean titles that contain them. */
export function toFilter(query: string): string {
  if (hasTopLevelOr(query)) return query.trim();
  const isWord = (term: string) =>
    fieldOfTerm(term) === null && /^(?:-|NOT\s+)?[^\s"()/*-][^\s"()]*$/.test(term) && term !== 'NOT';
  const named = (term: string) => (isWord(term) ? term.replace(/^(-|NOT\s+)?/, '$1title:') : term);
  return joinTerms(splitTerms(query).map(named));
}
