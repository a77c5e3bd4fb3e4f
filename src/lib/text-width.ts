import { eastAsianWidth } from 'get-east-asian-width';

/** One column each and never part of a longer character: ASCII, Latin letters, dashes, quotes, the ellipsis. */
const PLAIN = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2212]*$/;
/** Emoji, also those that a variation selector makes one. */
const EMOJI = /^(?:\p{Emoji_Presentation}|.\ufe0f)/u;

function isWide(segment: string): boolean {
  return eastAsianWidth(segment.codePointAt(0) ?? 0) === 2 || EMOJI.test(segment);
}

/** Each a character of its own whatever stands beside it: Latin, Greek, Cyrillic, Chinese, Japanese, Korean, symbols, emoji. */
const APART =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u2100-\u2bff\u2e80-\u3029\u3030-\u3098\u309b-\ua48f\uac00-\ud7a3\uf900-\ufaff\uff01-\uff9d\u{1f300}-\u{1f3fa}\u{1f400}-\u{1faff}\u{20000}-\u{3fffd}]*$/u;

interface Segment {
  readonly segment: string;
  readonly index: number;
}

let segmenter: Intl.Segmenter | null = null;

/** The characters of a text as people count them. Making the segmenter takes longer than many a command. */
function segmentsOf(text: string): Iterable<Segment> {
  if (APART.test(text)) return codePointsOf(text);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function* codePointsOf(text: string): Iterable<Segment> {
  let index = 0;
  for (const segment of text) {
    yield { segment, index };
    index += segment.length;
  }
}

/** Terminal columns a text takes: East Asian wide characters and emoji take two. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentsOf(text)) width += isWide(segment) ? 2 : 1;
  return width;
}

/** The text in at most so many columns, with an ellipsis where something was cut. */
export function fitWidth(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (PLAIN.test(text)) return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
  const head = text.slice(0, headEnd(text, columns));
  if (head === text) return text;
  return `${head.slice(0, headEnd(head, columns - 1))}…`;
}

/** End of the part that fits so many columns; no more of the text is read than that. */
function headEnd(text: string, columns: number): number {
  let width = 0;
  for (const { segment, index } of segmentsOf(text)) {
    width += isWide(segment) ? 2 : 1;
    if (width > columns) return index;
  }
  return text.length;
}

/** The same with the end kept: it is the interesting part of a path. */
export function fitEnd(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let rest = text;
  for (const { segment } of segmentsOf(text)) {
    if (textWidth(rest) <= columns - 1) break;
    rest = rest.slice(segment.length);
  }
  return columns > 0 ? `…${rest}` : '';
}

export function padWidth(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return align === 'left' ? text + space : space + text;
}

/** The text in lines of at most so many columns, broken between words, and within one only where it is longer than a line. */
export function wrapWidth(text: string, columns: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ').flatMap((whole) => cutWidth(whole, columns))) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

function cutWidth(word: string, columns: number): readonly string[] {
  if (word.length <= columns && PLAIN.test(word)) return [word];
  const pieces: string[] = [];
  let start = 0;
  let width = 0;
  for (const { segment, index } of segmentsOf(word)) {
    const next = isWide(segment) ? 2 : 1;
    if (width + next > columns && index > start) {
      pieces.push(word.slice(start, index));
      start = index;
      width = 0;
    }
    width += next;
  }
  return [...pieces, word.slice(start)];
}
