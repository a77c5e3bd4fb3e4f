import { isWide, segmentsOf } from '../domain/graphemes.ts';

/** A text as a terminal would show it: carriage returns, cursor movement and erasing applied, other codes dropped. */

/** The columns of a line, and the style of each. A wide character is followed by an empty column. */
interface Line<S> {
  readonly chars: string[];
  readonly styles: S[];
}

export interface Piece<S> {
  readonly text: string;
  readonly style: S;
}

/**
 * Codes and control characters. A sequence without its end is dropped up to where it stops being one; its text stays.
 * CSI (`ESC [ 1;2 K`), OSC (titles, links), DCS and the like, two-character codes, single characters.
 */
const CODES =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)([0-?]{0,128})[ -/]{0,8}([@-~])|\u001b\][^\u0007\u001b]{0,4000}(?:\u0007|\u001b\\)|\u001b[P^_X][^\u001b]{0,4000}\u001b\\|\u001b[ -/]{0,4}[0-~]|[\u0000-\u0008\u000a-\u001f\u007f]/g;
// oxlint-disable-next-line no-control-regex
const HAS_CODES = /[\u0000-\u0008\u000b-\u001f\u007f\u009b]/;

/** A cursor is not moved further to the right than this, or than the line is long. */
const MAX_COLUMNS = 512;
/** Control characters without an effect would be invisible. */
const UNKNOWN = '\ufffd';
const BELL = '\u0007';
/** The second column of a wide character. */
const REST = '';

/** Gives pieces in one style each; `restyle` applies the numbers of a color code. */
export function readScreen<S>(text: string, plain: S, restyle: (style: S, codes: string) => S): readonly Piece<S>[] {
  if (!HAS_CODES.test(text)) return text === '' ? [] : [{ text, style: plain }];
  const screen = new Screen<S>(plain);
  let from = 0;
  for (const match of text.matchAll(CODES)) {
    screen.write(text.slice(from, match.index));
    from = match.index + match[0].length;
    const [code, parameters = '', final] = match;
    if (final === 'm') screen.style = restyle(screen.style, parameters);
    else if (final !== undefined) screen.move(final, parameters);
    else if (code.length === 1) screen.control(code);
  }
  screen.write(text.slice(from));
  return screen.pieces();
}

class Screen<S> {
  style: S;
  readonly #plain: S;
  readonly #lines: Line<S>[] = [{ chars: [], styles: [] }];
  #row = 0;
  #column = 0;
  /** Text written at the beginning of a line replaces all of it: a progress bar rarely erases its last state. */
  #isReturned = false;

  constructor(plain: S) {
    this.style = plain;
    this.#plain = plain;
  }

  write(text: string): void {
    if (text === '') return;
    const line = this.#line();
    if (this.#isReturned) cut(line, 0);
    this.#isReturned = false;
    while (line.chars.length < this.#column) put(line, line.chars.length, ' ', this.#plain);
    for (const { segment } of segmentsOf(text)) this.#writeOne(line, segment);
  }

  #writeOne(line: Line<S>, segment: string): void {
    put(line, this.#column, segment, this.style);
    this.#column += 1;
    if (!isWide(segment)) return;
    put(line, this.#column, REST, this.style);
    this.#column += 1;
  }

  control(char: string): void {
    if (char === '\n') this.#goTo(this.#row + 1, 0);
    else if (char === '\r') this.#return();
    else if (char === '\b') this.#goTo(this.#row, this.#column - 1);
    else if (char !== BELL) this.write(UNKNOWN);
  }

  move(final: string, parameters: string): void {
    const [first = 0] = parameters.split(';').map((each) => (/^\d{1,6}$/.test(each) ? Number(each) : 0));
    const count = Math.max(first, 1);
    const [row, column] = [this.#row, this.#column];
    const lastRow = this.#lines.length - 1;
    if (final === 'A') this.#goTo(row - count, column);
    else if (final === 'B') this.#goTo(Math.min(row + count, lastRow), column);
    else if (final === 'C') this.#goTo(row, column + count);
    else if (final === 'D') this.#goTo(row, column - count);
    else if (final === 'E') this.#goTo(Math.min(row + count, lastRow), 0);
    else if (final === 'F') this.#goTo(row - count, 0);
    else if (final === 'G' && count === 1) this.#return();
    else if (final === 'G') this.#goTo(row, count - 1);
    else if (final === 'K') this.#eraseInLine(first);
    else if (final === 'J' && first === 0) this.#eraseBelow();
    else if (final === 'P') this.#deleteChars(count);
    // After a cleared screen or an absolute position, text continues below, so that earlier output stays readable.
    else if (final === 'J' || final === 'H' || final === 'f') this.#continueBelow();
  }

  pieces(): readonly Piece<S>[] {
    const pieces: { text: string; style: S }[] = [];
    const add = (text: string, style: S) => {
      const last = pieces.at(-1);
      if (last?.style === style) last.text += text;
      else pieces.push({ text, style });
    };
    for (const [row, { chars, styles }] of this.#lines.entries()) {
      if (row > 0) add('\n', pieces.at(-1)?.style ?? this.#plain);
      for (const [at, char] of chars.entries()) add(char, styles[at] as S);
    }
    return pieces;
  }

  #line(): Line<S> {
    return this.#lines[this.#row] as Line<S>;
  }

  #return(): void {
    this.#column = 0;
    this.#isReturned = true;
  }

  #goTo(row: number, column: number): void {
    this.#row = Math.max(row, 0);
    if (this.#row === this.#lines.length) this.#lines.push({ chars: [], styles: [] });
    this.#column = Math.max(Math.min(column, Math.max(MAX_COLUMNS, this.#line().chars.length)), 0);
    this.#isReturned = false;
  }

  #eraseInLine(part: number): void {
    const line = this.#line();
    if (part === 2) cut(line, 0);
    else if (part === 0) cut(line, this.#column);
    else for (let at = 0; at <= Math.min(this.#column, line.chars.length - 1); at += 1) put(line, at, ' ', this.#plain);
  }

  #eraseBelow(): void {
    cut(this.#line(), this.#column);
    this.#lines.length = this.#row + 1;
  }

  #deleteChars(count: number): void {
    const line = this.#line();
    splitAt(line, this.#column);
    splitAt(line, this.#column + count);
    line.chars.splice(this.#column, count);
    line.styles.splice(this.#column, count);
  }

  #continueBelow(): void {
    const last = this.#lines.length - 1;
    this.#goTo(this.#lines[last]?.chars.length === 0 ? last : last + 1, 0);
  }
}

function put<S>(line: Line<S>, at: number, char: string, style: S): void {
  if (char !== REST) splitAt(line, at);
  splitAt(line, at + 1);
  line.chars[at] = char;
  line.styles[at] = style;
}

/** Of a wide character that begins before a column and ends in it, both halves become blank. */
function splitAt<S>({ chars }: Line<S>, at: number): void {
  if (chars[at] !== REST) return;
  chars[at] = ' ';
  chars[at - 1] = ' ';
}

function cut<S>(line: Line<S>, length: number): void {
  if (line.chars.length <= length) return;
  splitAt(line, length);
  line.chars.length = length;
  line.styles.length = length;
}
