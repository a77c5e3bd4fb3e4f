import { type Detect, GUTTER, type Report } from './detect.ts';
import { isText, nextRun } from './encoded.ts';

const LABEL = String.raw`(?:[A-Z0-9]{1,12}[ +]){0,4}PRIVATE[ +]KEY(?:[ +]BLOCK)?|OpenVPN Static key V1`;
const BEGIN = new RegExp(String.raw`-{4,5}[ ]?BEGIN[ +](?:${LABEL})[ ]?-{4,5}`, 'g');
const END = new RegExp(String.raw`-{4,5}[ ]?END[ +](?:${LABEL})[ ]?-{4,5}`, 'g');
const PUTTY_BEGIN = /PuTTY-User-Key-File-\d|Private-Lines:[ \t]{0,4}\d{1,3}/g;
const PUTTY_END = /Private-MAC:[ \t]{0,4}[0-9a-fA-F]{16,128}/g;
const MAX_KEY_CHARS = 40_000;
/** Fewer characters than this in a row are not part of a key: the text only mentions the markers. */
const KEY_TEXT = /[A-Za-z0-9+/=_]{16}/;

/** Maximum length of a line of a key that contains no line breaks. */
const MAX_LINE_CHARS = 400;

/**
 * Finds complete keys between their markers, whatever surrounds or replaces the line breaks; the beginning of a key
 * whose end was cut off; and the end of one whose beginning was cut off.
 */
export const detectPrivateKeys: Detect = (text, report) => {
  if (text.includes('PuTTY-User-Key-File-') || text.includes('Private-Lines:'))
    reportKeys(text, markersOf(text, PUTTY_BEGIN), markersOf(text, PUTTY_END), report);
  if (!/PRIVATE[ +]KEY|OpenVPN Static/.test(text)) return;
  const ends = markersOf(text, END);
  const covered = reportKeys(text, markersOf(text, BEGIN), ends, report);
  for (const end of ends) if (end.start >= covered) reportTail(text, end, report);
};

interface Marker {
  readonly start: number;
  readonly end: number;
}

function markersOf(text: string, pattern: RegExp): readonly Marker[] {
  return [...text.matchAll(pattern)].map(({ index, 0: marker }) => ({ start: index, end: index + marker.length }));
}

/** Returns the end of the last key. */
function reportKeys(text: string, begins: readonly Marker[], ends: readonly Marker[], report: Report): number {
  let nextEnd = 0;
  let covered = 0;
  for (const [n, begin] of begins.entries()) {
    while ((ends[nextEnd]?.start ?? Number.POSITIVE_INFINITY) < begin.end) nextEnd++;
    const end = ends[nextEnd];
    const limit = begins[n + 1]?.start ?? Number.POSITIVE_INFINITY;
    const isWhole = end !== undefined && end.start < limit && end.start - begin.end <= MAX_KEY_CHARS;
    const last = isWhole ? end.end : endOfKeyLines(text, begin.end);
    if (!KEY_TEXT.test(text.slice(begin.end, isWhole ? end.start : last))) continue;
    report('private-key', begin.start, last);
    covered = last;
  }
  return covered;
}

function reportTail(text: string, end: Marker, report: Report): void {
  const start = startOfKeyLines(text, end.start);
  if (KEY_TEXT.test(text.slice(start, end.start))) report('private-key', start, end.end);
}

const KEY_LINE = new RegExp(
  String.raw`^${GUTTER}(?:[\w ]{0,40}=[ ]?)?["'\x60]{0,3}(?:[A-Za-z0-9+/=]{1,120}|(?:Proc-Type|DEK-Info|Comment|Version|Encryption|Public-Lines|Private-Lines|Key-Derivation|PuTTY-User-Key-File|Argon2-\w{1,12}|Private-MAC)\b:?.{0,120}|)(?:\\[nr]|["'\x60,+.\\; \t\r]){0,12}$`,
);
const MAX_KEY_LINES = 400;
/** A key without line breaks, as in JSON or percent-encoded text. */
const ONE_LINE = /(?:[A-Za-z0-9+/=]|\\{1,8}[nr\\/]|[ \t]|%0[AaDd]|%2[BbFf]){0,40000}/y;

/** The end of the lines after `from` that look like the inside of a key. */
function endOfKeyLines(text: string, from: number): number {
  ONE_LINE.lastIndex = from;
  ONE_LINE.test(text);
  const oneLine = ONE_LINE.lastIndex;
  const newline = text.slice(from, oneLine + MAX_LINE_CHARS).indexOf('\n');
  if (newline < 0 || !/^[ \w:."'\x60,+\\;-]{0,40}$/.test(text.slice(oneLine, from + newline).trim())) return oneLine;
  let end = from + newline;
  for (let line = 0; line < MAX_KEY_LINES; line++) {
    const content = text.slice(end + 1, end + 1 + MAX_LINE_CHARS);
    const length = content.indexOf('\n');
    if (!KEY_LINE.test(length < 0 ? content : content.slice(0, length))) break;
    end += 1 + (length < 0 ? content.length : length);
    if (length < 0) break;
  }
  return end;
}

const WHOLE_LINE = /[A-Za-z0-9+/=]{40,}/;

/** The start of the lines before `before` that look like the inside of a key. */
function startOfKeyLines(text: string, before: number): number {
  let start = lineStart(text, before);
  for (let line = 0; line < MAX_KEY_LINES && start !== null && start > 0; line++) {
    const previous = lineStart(text, start - 1);
    if (previous === null) break;
    const content = text.slice(previous, start - 1);
    const isLast = line === 0 && KEY_LINE.test(content);
    if (!(isLast || (WHOLE_LINE.test(content) && KEY_LINE.test(content)))) break;
    start = previous;
  }
  return start ?? startOfOneLine(text, before);
}

/** Null for a line too long to belong to a key. */
function lineStart(text: string, before: number): number | null {
  const from = Math.max(0, before - MAX_LINE_CHARS);
  const newline = text.slice(from, before).lastIndexOf('\n');
  if (newline >= 0) return from + newline + 1;
  return from === 0 ? 0 : null;
}

function startOfOneLine(text: string, before: number): number {
  let start = before;
  while (start > 0 && before - start < MAX_KEY_CHARS && /[A-Za-z0-9+/=\\%]/.test(text.charAt(start - 1))) start--;
  return start;
}

/** OpenSSL wraps keys at 64 characters and ssh-keygen at 70. Images and mail are wrapped at 76 and ignored. */
const FIRST_LINE = /(?<![A-Za-z0-9/=])[A-Za-z0-9+/]{64}(?:[A-Za-z0-9+/]{6})?(?![A-Za-z0-9+/=])/g;
/** Escapes, quotes and operators of a string literal that spans several lines. */
const LINE_END = String.raw`(?:\\{1,4}[nr]|["'\x60,+.\\; \t\r]){0,12}\n${GUTTER}["'\x60]{0,3}`;
const nextLine = (chars: string) => new RegExp(String.raw`${LINE_END}[A-Za-z0-9+/]${chars}(?![A-Za-z0-9+/=])`, 'y');
const NEXT_LINES: Readonly<Record<number, RegExp>> = { 64: nextLine('{64}'), 70: nextLine('{70}') };
const LAST_LINE = new RegExp(String.raw`${LINE_END}[A-Za-z0-9+/]{1,70}={0,2}(?=["'\x60\\\s,]|$)`, 'y');
const MIN_LINES = 4;
const MIN_LINE_CHARS = 64;
/** The longest run of key characters: a line and the file name that grep puts before it. */
const MAX_RUN_CHARS = 200;
const NEIGHBOR_CHARS = 240;
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
    PUBLIC_BEFORE.test(text.slice(Math.max(0, start - NEIGHBOR_CHARS), start)) ||
    PUBLIC_AFTER.test(text.slice(end, end + NEIGHBOR_CHARS))
  );
}
