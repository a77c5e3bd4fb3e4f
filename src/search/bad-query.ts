import { FuelError } from '../domain/errors.ts';

/** Error for a search that cannot be parsed, with the position of the offending character. */
export function badQuery(position: number, complaint: string, hint?: string): FuelError {
  return new FuelError('bad_query', `Invalid search at character ${position + 1}: ${complaint}.`, {
    position,
    hint: hint ?? 'See docs/search.md for the syntax. To search for special characters, put them in quotes.',
  });
}
