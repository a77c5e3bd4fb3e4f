import { FuelError } from '../domain/errors.ts';

/** A sentence about the character at which a search cannot be read. */
export function badQuery(position: number, complaint: string, hint?: string): FuelError {
  return new FuelError('bad_query', `The search cannot be read at character ${position + 1}: ${complaint}.`, {
    position,
    hint: hint ?? 'docs/search.md has the whole language; to look for a sign as it is, put it in quotes.',
  });
}
