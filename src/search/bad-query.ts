import { FuelError } from '../domain/errors.ts';

/** A sentence about the character at which a search cannot be read. */
export function badQuery(position: number, complaint: string, hint?: string): FuelError {
  return new FuelError('bad_query', `Invalid search at character ${position + 1}: ${complaint}.`, {
    position,
    hint: hint ?? 'See docs/search.md for the syntax. To search for special characters, put them in quotes.',
  });
}
