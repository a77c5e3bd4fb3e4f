import type { Detect } from './detect.ts';
import { isText, nextRun } from './encoded.ts';
import { GUTTER } from './gutter.ts';

/** OpenSSL wraps keys at 64 characters and ssh-keygen at 70. Images and mail are wrapped at 76 and ignored. */
const FIRST_LINE = /(?<![A-Za-z0-9/=])[A-Za-z0-9+/]{64}(?:[A-Za-z0-9+/]{6})?(?![A-Za-z0-9+/=])/g;
/** Escapes, quotes and operators of a string literal that spans several lines. */
const LINE_END = String.raw`(?:\\{1,4}[nr]|["'\x60,+.\\; \t\r]){0,12}\n${GUTTER}["'\x60]{0,3}`;
const nextLine = (chars: string) => new RegExp(String.raw`${LINE_END}[A-Za-z0-9+/]${chars}(?![A-Za-z0-9+/=])`, 'y');
const NEXT_LINES: Readonly<Record<number, RegExp>> = { 64: nextLine('{64}'), 70: nextLine('{70}') };
const LAST_LINE = new RegExp(String.raw`${LINE_END}[A-Za-z0-9+/]{1,70}={0,2}(?=["'\x60\\\s,]|$)`, 'y');
const MIN_LINES = 4;
const MIN_LINE_CHARS = 64;
/** A key line with a file name that grep put before it. */
const MAX_RUN_CHARS = 200;
const NEIGHBOUR_CHARS = 240;
/** Text around certificates, public keys, signatures and files, none of which are secret. */
const PUBLIC_BEFORE =
  /-{4,5}BEGIN (?![A-Z0-9 ]{0,40}PRIVATE)[A-Z0-9 ]{3,40}-{4,5}[^-]*$|base64,\s*$|Encoding:[ \t]*base64/i;
const PUBLIC_AFTER = /^[^-]{0,120}-{4,5}END (?![A-Z0-9 ]{0,40}PRIVATE)/;
/** Prefixes of images, fonts and archives. */
const FILE_START = /^(?:iVBORw|\/9j\/|R0lGOD|UklGR|JVBERi|UEsDB|H4sI|AAAA|AAEAAA|d09G|PHN2Zy|Qk[0-3])/;

/** Finds the inside of a private key when an excerpt shows neither its first nor its last line. */
export const detectKeyBodies: Detect = (text, report) => {
  for (let run = nextRun(text, 0, MIN_LINE_CHARS); run !== null; run = nextRun(text, run.end, MIN_LINE_CHARS)) {
    if (run.end - run.start > MAX_RUN_CHARS) continue;
    const from = Math.max(0, run.start - 1);
    FIRST_LINE.lastIndex = run.start - from;
    const first = FIRST_LINE.exec(text.slice(from, run.end + 1));
    if (first === null) continue;
    const start = from + first.index;
    const body = bodyFrom(text, start, first[0].length);
    if (body.lines < MIN_LINES) continue;
    if (isKey(first[0]) && !isPublic(text, start, body.end)) report('private-key', start, body.end);
    run = { start: run.start, end: body.end };
  }
};

function bodyFrom(text: string, start: number, width: number): { readonly lines: number; readonly end: number } {
  const next = NEXT_LINES[width];
  let [lines, end] = [1, start + width];
  const takes = (pattern: RegExp | undefined) => {
    if (pattern === undefined) return false;
    pattern.lastIndex = end;
    if (!pattern.test(text)) return false;
    end = pattern.lastIndex;
    return true;
  };
  while (takes(next)) lines++;
  if (lines >= MIN_LINES) takes(LAST_LINE);
  return { lines, end };
}

function isKey(line: string): boolean {
  const isMixed = /[A-Z]/.test(line) && /[a-z]/.test(line) && /\d/.test(line);
  return isMixed && !FILE_START.test(line) && !isText(line);
}

function isPublic(text: string, start: number, end: number): boolean {
  return (
    PUBLIC_BEFORE.test(text.slice(Math.max(0, start - NEIGHBOUR_CHARS), start)) ||
    PUBLIC_AFTER.test(text.slice(end, end + NEIGHBOUR_CHARS))
  );
}
