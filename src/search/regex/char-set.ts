/** A set of UTF-16 units. */
export interface CharSet {
  readonly ranges: readonly (readonly [from: number, to: number])[];
  readonly isNegated: boolean;
}

const LAST_UNIT = 0xffff;
const LINE_FEED = 10;

const range = (from: string, to: string) => [from.charCodeAt(0), to.charCodeAt(0)] as const;
const DIGITS = [range('0', '9')];
const WORD_UNITS = [range('0', '9'), range('A', 'Z'), range('_', '_'), range('a', 'z')];
const SPACES = [range('\t', '\r'), range(' ', ' '), range('\u00a0', '\u00a0'), range('\u2000', '\u200a')];

export const ANY_BUT_LINE_END: CharSet = { ranges: [[LINE_FEED, LINE_FEED]], isNegated: true };

/** Meaning of `\d`, `\W` and so on. */
export const CLASS_ESCAPES: Readonly<Record<string, CharSet>> = {
  d: { ranges: DIGITS, isNegated: false },
  D: { ranges: DIGITS, isNegated: true },
  w: { ranges: WORD_UNITS, isNegated: false },
  W: { ranges: WORD_UNITS, isNegated: true },
  s: { ranges: SPACES, isNegated: false },
  S: { ranges: SPACES, isNegated: true },
};

export function single(unit: number): CharSet {
  return { ranges: [[unit, unit]], isNegated: false };
}

/** Ranges of a set inside another set; for a negated one, the complement. */
export function rangesOf({ ranges, isNegated }: CharSet): CharSet['ranges'] {
  if (!isNegated) return ranges;
  const left: [number, number][] = [];
  let next = 0;
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (from > next) left.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= LAST_UNIT) left.push([next, LAST_UNIT]);
  return left;
}

/** The set as a table of all units, for one lookup per letter. */
export function tableOf({ ranges, isNegated }: CharSet, isCaseSensitive: boolean): Uint8Array {
  const table = new Uint8Array(LAST_UNIT + 1).fill(isNegated ? 1 : 0);
  const inside = isNegated ? 0 : 1;
  for (const [from, to] of ranges) {
    table.fill(inside, from, to + 1);
    if (!isCaseSensitive) for (const unit of otherCases(from, to)) table[unit] = inside;
  }
  return table;
}

function otherCases(from: number, to: number): number[] {
  const chars = Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at));
  return chars
    .flatMap((char) => [char.toLowerCase(), char.toUpperCase()])
    .filter((char) => char.length === 1)
    .map((char) => char.charCodeAt(0));
}

export function isWordUnit(unit: number): boolean {
  return WORD_UNITS.some(([from, to]) => unit >= from && unit <= to);
}

/** The two non-ASCII letters with an ASCII lower case; databases leave them unchanged, and so do we. */
const ODD_LETTERS: ReadonlyMap<string, string> = new Map([
  ['\u0130', '\ue130'],
  ['\u212a', '\ue12a'],
]);

/** Text in lower case, with its length unchanged. */
export function foldCase(text: string): string {
  return text.replaceAll(/[\u0130\u212a]/g, (letter) => ODD_LETTERS.get(letter) ?? letter).toLowerCase();
}
