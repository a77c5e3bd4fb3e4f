export type Assertion = 'line start' | 'line end' | 'word edge' | 'no word edge';

export type Regex =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'assert'; readonly what: Assertion }
  | { readonly kind: 'sequence'; readonly items: readonly Regex[] }
  | { readonly kind: 'choice'; readonly items: readonly Regex[] }
  | { readonly kind: 'repeat'; readonly item: Regex; readonly min: number; readonly max: number | null };

/** Why a pattern is rejected, and at which character. */
export class RegexError extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const MAX_DEPTH = 50;
const MAX_REPEATS = 100;

/**
 * Parses regular expressions that can be searched in linear time: no backreferences, no lookaround. Throws a RegexError
 * for everything else.
 */
export function parseRegex(source: string): Regex {
  const reader = new RegexReader(source);
  return reader.read();
}

class RegexReader {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Regex {
    const regex = this.#choice();
    if (this.#at < this.#source.length) throw new RegexError(this.#at, 'unmatched closing parenthesis');
    return regex;
  }

  #choice(): Regex {
    const items = [this.#sequence()];
    while (this.#take('|')) items.push(this.#sequence());
    return items.length === 1 && items[0] ? items[0] : { kind: 'choice', items };
  }

  #sequence(): Regex {
    const items: Regex[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#peek())) items.push(this.#repeated());
    return { kind: 'sequence', items };
  }

  #repeated(): Regex {
    let item = this.#atom();
    for (;;) {
      const from = this.#at;
      const times = this.#times();
      if (times === null) return item;
      if (item.kind === 'assert' || item.kind === 'repeat') throw new RegexError(from, 'there is nothing to repeat');
      this.#take('?');
      item = { kind: 'repeat', item, ...times };
    }
  }

  #times(): { readonly min: number; readonly max: number | null } | null {
    if (this.#take('*')) return { min: 0, max: null };
    if (this.#take('+')) return { min: 1, max: null };
    if (this.#take('?')) return { min: 0, max: 1 };
    const [whole, low, comma, high] = /^\{(\d{1,6})(,?)(\d{0,6})\}/.exec(this.#source.slice(this.#at)) ?? [];
    if (whole === undefined) return null;
    const min = Number(low);
    const max = comma === '' ? min : high === '' ? null : Number(high);
    if (Math.max(min, max ?? 0) > MAX_REPEATS) throw new RegexError(this.#at, `more than ${MAX_REPEATS} repeats`);
    if (max !== null && max < min) throw new RegexError(this.#at, 'the repeat range is reversed');
    this.#at += whole.length;
    return { min, max };
  }

  #atom(): Regex {
    const from = this.#at;
    const char = this.#next();
    if (char === '(') return this.#group(from);
    if (char === '[') return { kind: 'set', set: this.#class(from) };
    if (char === '.') return { kind: 'set', set: ANY_BUT_LINE_END };
    if (char === '^') return { kind: 'assert', what: 'line start' };
    if (char === '$') return { kind: 'assert', what: 'line end' };
    if ('*+?'.includes(char)) throw new RegexError(from, 'there is nothing to repeat');
    if (char !== '\\') return { kind: 'set', set: single(char.charCodeAt(0)) };
    if (this.#take('b')) return { kind: 'assert', what: 'word edge' };
    if (this.#take('B')) return { kind: 'assert', what: 'no word edge' };
    return { kind: 'set', set: this.#escape(from) };
  }

  #group(from: number): Regex {
    if (this.#take('?')) {
      if (!this.#take(':')) throw new RegexError(from, 'lookaround and named groups are not supported');
    }
    if (++this.#depth > MAX_DEPTH) throw new RegexError(from, `this is nested deeper than ${MAX_DEPTH} levels`);
    const inner = this.#choice();
    this.#depth--;
    if (!this.#take(')')) throw new RegexError(from, 'missing closing parenthesis');
    return inner;
  }

  #class(from: number): CharSet {
    const isNegated = this.#take('^');
    const ranges: (readonly [number, number])[] = [];
    for (let isFirst = true; isFirst || this.#peek() !== ']'; isFirst = false) {
      if (this.#at >= this.#source.length) throw new RegexError(from, 'missing closing bracket');
      const at = this.#at;
      const low = this.#classItem();
      const high = isSingle(low) ? this.#rangeEnd() : null;
      if (high === null) {
        ranges.push(...rangesOf(low));
        continue;
      }
      const [lowUnit] = low.ranges[0] ?? [0];
      const [highUnit] = high.ranges[0] ?? [0];
      if (highUnit < lowUnit) throw new RegexError(at, 'the character range is reversed');
      ranges.push([lowUnit, highUnit]);
    }
    this.#at++;
    return { ranges, isNegated };
  }

  /** The character after a hyphen; null if the hyphen is not that of a range, as in `[\w-.]`, `[a-]` and `[.-\d]`. */
  #rangeEnd(): CharSet | null {
    const from = this.#at;
    if (this.#peek() === '-' && !['', ']'].includes(this.#source[from + 1] ?? '')) {
      this.#at++;
      const end = this.#classItem();
      if (isSingle(end)) return end;
    }
    this.#at = from;
    return null;
  }

  #classItem(): CharSet {
    const from = this.#at;
    const char = this.#next();
    return char === '\\' ? this.#escape(from) : single(char.charCodeAt(0));
  }

  #escape(from: number): CharSet {
    const char = this.#next();
    const known = CLASS_ESCAPES[char];
    if (known !== undefined) return known;
    const control = { n: '\n', t: '\t', r: '\r' }[char];
    if (control !== undefined) return single(control.charCodeAt(0));
    if (char === '') throw new RegexError(from, 'nothing follows the backslash');
    if (/[A-Za-z0-9]/.test(char)) throw new RegexError(from, `\\${char} is not supported`);
    return single(char.charCodeAt(0));
  }

  #peek(): string {
    return this.#source[this.#at] ?? '';
  }

  #next(): string {
    const char = this.#peek();
    this.#at++;
    return char;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at++;
    return true;
  }
}

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

const ANY_BUT_LINE_END: CharSet = { ranges: [[LINE_FEED, LINE_FEED]], isNegated: true };

/** Meaning of `\d`, `\W` and so on. */
const CLASS_ESCAPES: Readonly<Record<string, CharSet>> = {
  d: { ranges: DIGITS, isNegated: false },
  D: { ranges: DIGITS, isNegated: true },
  w: { ranges: WORD_UNITS, isNegated: false },
  W: { ranges: WORD_UNITS, isNegated: true },
  s: { ranges: SPACES, isNegated: false },
  S: { ranges: SPACES, isNegated: true },
};

function single(unit: number): CharSet {
  return { ranges: [[unit, unit]], isNegated: false };
}

/** Whether a set is one character, not a class such as `\w`. */
function isSingle({ ranges: [only, ...others], isNegated }: CharSet): boolean {
  return !isNegated && others.length === 0 && only !== undefined && only[0] === only[1];
}

/** Ranges of a set inside another set; for a negated one, the complement. */
function rangesOf({ ranges, isNegated }: CharSet): CharSet['ranges'] {
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
