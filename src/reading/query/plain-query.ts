import { isCompleteField, type QueryTerm, termsOf } from './terms.ts';

/** Longer pasted texts would rarely have all their words in one place. */
const MAX_WORDS = 12;

/** Whether a text was written in the search language, not pasted. */
function isQuery(terms: readonly QueryTerm[]): boolean {
  const isBroken = ({ kind, value, isOpen }: QueryTerm) => isOpen || (kind === 'field' && value === '');
  const isMeant = (term: QueryTerm) => isCompleteField(term) || term.kind === 'phrase' || term.kind === 'pattern';
  return terms.some(isMeant) && !terms.some(isBroken);
}

/** A search for any text: an error message is searched for by its words, whatever punctuation it has. */
export function plainQuery(text: string): string {
  if (isQuery(termsOf(text))) return text.trim();
  return text
    .replaceAll(/["“”]/g, ' ')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, MAX_WORDS)
    .map((word) =>
      /^[\p{L}\p{N}_.'][\p{L}\p{N}_.'-]*$/u.test(word) && !/^(?:OR|AND|NOT)$/.test(word) ? word : `"${word}"`,
    )
    .join(' ');
}

/** Whether a text is a filter: fields with values and nothing else. */
export function isFilter(text: string): boolean {
  const terms = termsOf(text);
  return terms.length > 0 && terms.every(isCompleteField);
}
