import type { SearchDocument } from '../engine.ts';

/** Limits of a tsvector: PostgreSQL silently drops positions beyond them. */
const MAX_POSITION = 16_383;
const MAX_POSITIONS_A_WORD = 255;

const WORD = /[a-z0-9\u0080-\uffff]+/g;

export interface Vector {
  readonly text: string;
  /** True when some positions did not fit. */
  readonly isLossy: boolean;
}

/**
 * Builds the tsvector ourselves, since the server's parser splits words differently. Parts follow the words after a
 * gap.
 */
export function toVector({ words, parts }: Pick<SearchDocument, 'words' | 'parts'>): Vector {
  const places = new Map<string, string[]>();
  const last = note(places, words, 0, 'A');
  const end = note(places, parts, last + 1, 'B');
  let isLossy = end > MAX_POSITION;
  const lexemes: string[] = [];
  for (const [word, positions] of places) {
    if (positions.length > MAX_POSITIONS_A_WORD) isLossy = true;
    lexemes.push(`'${word}':${positions.join(',')}`);
  }
  return { text: lexemes.join(' '), isLossy };
}

function note(places: Map<string, string[]>, text: string, from: number, weight: string): number {
  let position = from;
  for (const word of text.toLowerCase().match(WORD) ?? []) {
    position++;
    const known = places.get(word);
    const place = `${Math.min(position, MAX_POSITION)}${weight}`;
    if (known === undefined) places.set(word, [place]);
    else if (known.length <= MAX_POSITIONS_A_WORD) known.push(place);
  }
  return position;
}
