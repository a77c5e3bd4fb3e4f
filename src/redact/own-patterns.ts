import { FuelError } from '../domain/errors.ts';
import type { Replace } from './replace.ts';

const MIN_LITERAL_CHARS = 3;
const MAX_FIND_CHARS = 400;
const SPACE = /[\s"'`<>]/;

/**
 * A person's own secret: literal text in which `*` stands for any characters but spaces and quotes. No regular
 * expressions: nobody's pattern can make a search take forever. Errors: bad_config for a pattern that fits everything.
 */
export function createOwnPattern(pattern: string): Replace {
  const pieces = pattern.split('*');
  const [first = '', ...rest] = pieces;
  if (first.length < MIN_LITERAL_CHARS) {
    throw new FuelError('bad_config', 'A pattern in redact begins with too little.', {
      hint: `Begin it with at least ${MIN_LITERAL_CHARS} plain characters, for example acme_*.`,
    });
  }
  return (text, found) => {
    let result = '';
    let from = 0;
    for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, from)) {
      const end = endOfFind(text, at + first.length, rest);
      result += end === null ? text.slice(from, at + first.length) : text.slice(from, at) + found('own-pattern');
      from = end ?? at + first.length;
    }
    return result + text.slice(from);
  };
}

/** Where the find ends whose first piece ends at `from`; null when the other pieces do not follow. */
function endOfFind(text: string, from: number, rest: readonly string[]): number | null {
  if (rest.length === 0) return from;
  const near = text.slice(from, from + MAX_FIND_CHARS);
  const space = near.search(SPACE);
  const limit = from + (space < 0 ? near.length : space);
  let end = from;
  for (const [n, piece] of rest.entries()) {
    if (piece === '' && n === rest.length - 1) return limit;
    const at = text.slice(end, limit).indexOf(piece);
    if (at < 0) return null;
    end += at + piece.length;
  }
  return end;
}
