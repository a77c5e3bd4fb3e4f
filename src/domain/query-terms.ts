import type { FieldName } from './session-fields.ts';

/** The top-level terms of a query, verbatim: `-tag:later`, `(a OR b)`, `"two words"`. */
export function splitTerms(query: string): readonly string[] {
  // OR binds looser than anything else: such a query is one term.
  if (hasTopLevelOr(query)) return [query.trim()];
  return topLevelTokens(query).filter((token) => token !== 'AND');
}

function hasTopLevelOr(query: string): boolean {
  return topLevelTokens(query).includes('OR');
}

/** Terms and the operators between them. Spaces within quotes and parentheses do not separate. */
function topLevelTokens(query: string): readonly string[] {
  const tokens: string[] = [];
  let token = '';
  let depth = 0;
  let isQuoted = false;
  for (const char of query) {
    if (char === '"') isQuoted = !isQuoted;
    if (!isQuoted && char === '(') depth++;
    if (!isQuoted && char === ')' && depth > 0) depth--;
    if (!isQuoted && depth === 0 && /\s/.test(char)) {
      if (token !== '') tokens.push(token);
      token = '';
    } else token += char;
  }
  return token === '' ? tokens : [...tokens, token];
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
  return /^-?([A-Za-z_]+)(?::|[<>])/.exec(term)?.[1]?.toLowerCase() ?? null;
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
  const isWord = (term: string) => fieldOfTerm(term) === null && /^-?[^\s"()/*-][^"()]*$/.test(term);
  return joinTerms(splitTerms(query).map((term) => (isWord(term) ? term.replace(/^(-?)/, '$1title:') : term)));
}
