import { addDays } from '../domain/days.ts';
import { fieldOfTerm, joinTerms, splitTerms, withoutFields } from './query/terms.ts';

/** Days from the first to the last, both included, written like 2026-11-15. */
export interface DayRange {
  readonly first: string;
  readonly last: string;
}

const DAY = /^(?:after|before):(\d{4}-\d{2}-\d{2})$/;

/** The days that a filter is limited to; null unless it names a first and a last day. */
export function dayRangeOf(query: string): DayRange | null {
  const dayOf = (field: string) => {
    const term = splitTerms(query).find((each) => fieldOfTerm(each) === field);
    return term === undefined ? null : (DAY.exec(term)?.[1] ?? null);
  };
  const [first, end] = [dayOf('after'), dayOf('before')];
  return first === null || end === null ? null : { first, last: addDays(end, -1) };
}

/** The filter limited to these days, or to none. */
export function withDayRange(query: string, range: DayRange | null): string {
  const rest = withoutFields(query, ['after', 'before']);
  if (range === null) return rest;
  return joinTerms([...splitTerms(rest), `after:${range.first}`, `before:${addDays(range.last, 1)}`]);
}
