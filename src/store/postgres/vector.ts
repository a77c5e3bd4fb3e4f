import type { SearchDocument } from '../engine.ts';

/** What a tsvector can hold: PostgreSQL drops positions beyond these without a word. */
const MAX_POSITION = 16_383;
const MAX_POSITIONS_A_WORD = 255;

const WORD = /[a-z0-9\u0080-\uffff]+/g;

export interface Vector {
  readonly text: string;
  /** Some positions did not fit. */
  readonly isLossy: boolean;
}

/**
 * The tsvector, written by us: the server's own parser has ideas about what a word is. Parts follow after the words, a
 * step apart.
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
