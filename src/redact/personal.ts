import { FuelError } from '../domain/errors.ts';
import type { Detect } from './detect.ts';

export const HOME = 'home-directory';
const USUAL_HOMES =
  /(?<![\w.~-])(?:\/(?:Users|home)\/(?!Shared\b)[\w.-]{1,64}|[A-Za-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/)[\w.-]{1,64})(?![\w.-])/g;

/** Finds home directories: the usual ones and the given ones, whatever their paths. */
export function detectHomes(homes: readonly string[]): Detect {
  const known = homes.filter((home) => home.length > 1).toSorted((a, b) => b.length - a.length);
  return (text, report) => {
    for (const home of known) detectPath(text, home, (start) => report(HOME, start, start + home.length));
    if (!/Users|home/.test(text)) return;
    for (const { index, 0: home } of text.matchAll(USUAL_HOMES)) report(HOME, index, index + home.length);
  };
}

/** `/root` is a home, `/rootfs` is not. */
function detectPath(text: string, home: string, report: (start: number) => void): void {
  for (let at = text.indexOf(home); at >= 0; at = text.indexOf(home, at + home.length)) {
    const isWhole = !/[\w.~-]/.test(text.charAt(at - 1)) && !/[\w.-]/.test(text.charAt(at + home.length));
    if (isWhole) report(at);
  }
}

const MIN_LITERAL_CHARS = 3;
const MAX_FIND_CHARS = 400;
const SPACE = /[\s"'`<>]/;

/**
 * A secret configured by the user: literal text in which `*` matches any characters except spaces and quotes. Not a
 * regular expression, so that no pattern can make a search run forever. Errors: bad_config for a pattern that matches
 * everything.
 */
export function createOwnPattern(pattern: string): Detect {
  const pieces = pattern.split('*');
  const [first = '', ...rest] = pieces;
  if (first.length < MIN_LITERAL_CHARS) {
    throw new FuelError('bad_config', 'A pattern in the setting redact is too short.', {
      hint: `Start it with at least ${MIN_LITERAL_CHARS} literal characters, for example acme_*.`,
    });
  }
  return (text, report) => {
    for (let at = text.indexOf(first); at >= 0; ) {
      const end = endOfFind(text, at + first.length, rest);
      if (end !== null) report('own-pattern', at, end);
      at = text.indexOf(first, end ?? at + first.length);
    }
  };
}

/** The end of the match whose first piece ends at `from`; null when the other pieces do not follow. */
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
