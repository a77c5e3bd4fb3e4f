import { isWide, segmentsOf } from '../domain/graphemes.ts';

/** One column each and never part of a longer grapheme: ASCII, Latin letters, dashes, quotes, the ellipsis. */
const PLAIN = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2212]*$/;

/** Terminal columns taken by a text; East Asian wide characters and emoji take two. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentsOf(text)) width += isWide(segment) ? 2 : 1;
  return width;
}

/** Truncates text to a number of columns, with an ellipsis if something was cut. */
export function fitWidth(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (PLAIN.test(text)) return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
  const head = text.slice(0, headEnd(text, columns));
  if (head === text) return text;
  return `${head.slice(0, headEnd(head, columns - 1))}…`;
}

/** End of the prefix that fits into the columns; the rest of the text is not read. */
function headEnd(text: string, columns: number): number {
  let width = 0;
  for (const { segment, index } of segmentsOf(text)) {
    width += isWide(segment) ? 2 : 1;
    if (width > columns) return index;
  }
  return text.length;
}

/** Truncates at the start instead: the end of a path is the interesting part. */
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

/** Wraps text to a number of columns, between words where possible and within words that are longer than a line. */
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

const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;
const LAST_C0 = 0x1f;

/**
 * All untrusted text passes through here before it reaches the terminal. Control characters are made visible, so that
 * no transcript can move the cursor, rewrite a line, set the title, access the clipboard or change the text direction.
 */
export function visible(text: string): string {
  return text.toWellFormed().replaceAll(UNSAFE, picture);
}

let unsafeInJson: RegExp | undefined;

/**
 * Equivalent JSON without these characters: they only occur inside strings, where they can be escaped. Nothing is lost,
 * so visible format characters such as Arabic number signs are included.
 */
export function escapeJson(json: string): string {
  unsafeInJson ??= new RegExp(`${UNSAFE.source}|\\p{Cf}`, 'gu');
  return json.replaceAll(unsafeInJson, (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** The same on one line: whitespace is collapsed to single spaces. */
export function visibleLine(text: string): string {
  return visible(text.replaceAll(/[\s\u0085]+/gu, ' ').trim());
}

function picture(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code <= LAST_C0) return String.fromCharCode(CONTROL_PICTURES + code);
  if (code === DELETE) return '\u2421';
  if (code === 0x200d) return char;
  return `\\u{${code.toString(16)}}`;
}
