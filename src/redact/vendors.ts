import { createAnchorScan, type Detect, GUTTER, groupByEach } from './detect.ts';
import { isWordy } from './values.ts';
import type { Format } from './vendor-format.ts';
import { VENDOR_FORMATS } from './vendor-formats.ts';

const scan = createAnchorScan(groupByEach(VENDOR_FORMATS, ({ anchors }) => anchors));

/** Finds secrets of known vendors. */
export const detectVendors: Detect = (text, report) => {
  scan(text, (at, anchor, formats) => {
    const find = findAt(text, at, anchor, formats);
    if (find === null) return null;
    report(find.kind, find.start, find.end);
    // Skip past a match: a token may contain the anchor of another one.
    return find.end;
  });
};

interface Find {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

const ALNUM = /[A-Za-z0-9]/;

function findAt(text: string, at: number, anchor: string, formats: readonly Format[]): Find | null {
  const isGlued = at > 0 && ALNUM.test(text.charAt(at - 1));
  for (const each of formats) {
    if (isGlued && each.lead === 0 && !each.isGlued) continue;
    const find = matchAround(text, at, each);
    if (find !== null) return extendWrapped(text, find, each);
    const wrapped = anchor.length > 2 || each.lead > 0 ? matchWrapped(text, at, each) : null;
    if (wrapped !== null) return wrapped;
    const cut = each.isGlued && /[_-]$/.test(anchor) ? matchCut(text, at, anchor, each.kind) : null;
    if (cut !== null) return cut;
  }
  return null;
}

function matchAround(text: string, at: number, { kind, pattern, lead, isLikely }: Format): Find | null {
  for (let start = Math.max(0, at - lead); start <= at; start++) {
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    if (match === null || pattern.lastIndex <= at || !isLikely(match[0])) continue;
    return { kind, start, end: pattern.lastIndex };
  }
  return null;
}

const TOKEN_RUN = /[\w+/=.~-]{0,300}/y;
/** A line break inside a token, and the prefix of the next line. */
const BREAK = new RegExp(String.raw`\\?\r?\n${GUTTER}(?=[\w+/=.~-])`, 'y');
const MAX_LINES = 40;
const MIN_WRAPPED_START = 8;

const MIN_WRAPPED_COLUMNS = 60;

/** Extends a match to the next line: after a backslash, or where a line has the length of a terminal. */
function extendWrapped(text: string, find: Find, format: Format): Find {
  const isContinued = text.charAt(find.end) === '\\';
  if (!isContinued && !/[\r\n]/.test(text.charAt(find.end))) return find;
  const column = find.end - text.lastIndexOf('\n', find.end - 1) - 1;
  if (!isContinued && column < MIN_WRAPPED_COLUMNS) return find;
  const wrapped = matchWrapped(text, find.start, format);
  if (wrapped === null || wrapped.end <= find.end) return find;
  BREAK.lastIndex = find.end;
  BREAK.test(text);
  const rest = text.slice(BREAK.lastIndex, wrapped.end);
  return rest.length >= MIN_WRAPPED_START && /\d/.test(rest) && !isWordy(rest) ? wrapped : find;
}

/** Matches a token that was wrapped at a column. */
function matchWrapped(text: string, anchorAt: number, { kind, pattern, lead, isLikely }: Format): Find | null {
  const at = lead === 0 ? anchorAt : runStart(text, anchorAt, lead);
  TOKEN_RUN.lastIndex = at;
  TOKEN_RUN.test(text);
  let end = TOKEN_RUN.lastIndex;
  if (end - at < MIN_WRAPPED_START || !/[\\\r\n]/.test(text.charAt(end))) return null;
  let joined = text.slice(at, end);
  const ends = [{ length: joined.length, end }];
  for (let line = 1; line < MAX_LINES; line++) {
    BREAK.lastIndex = end;
    if (!BREAK.test(text)) break;
    const next = BREAK.lastIndex;
    TOKEN_RUN.lastIndex = next;
    TOKEN_RUN.test(text);
    end = TOKEN_RUN.lastIndex;
    joined += text.slice(next, end);
    ends.push({ length: joined.length, end });
  }
  pattern.lastIndex = 0;
  const match = pattern.exec(joined);
  if (match === null || !isLikely(match[0]) || !/\d/.test(match[0])) return null;
  const last = ends.find(({ length }) => length >= match[0].length);
  return last === undefined ? null : { kind, start: at, end: last.end - (last.length - match[0].length) };
}

function runStart(text: string, at: number, lead: number): number {
  let start = at;
  while (start > 0 && at - start < lead && /[\w.~-]/.test(text.charAt(start - 1))) start--;
  return start;
}

const MIN_CUT_CHARS = 8;
const MIN_CUT_VARIETY = 6;

/** Matches the start of a token that was truncated, as in excerpts. */
function matchCut(text: string, at: number, anchor: string, kind: string): Find | null {
  TOKEN_RUN.lastIndex = at;
  TOKEN_RUN.test(text);
  const run = text.slice(at, TOKEN_RUN.lastIndex);
  const isCut = /\.{3}$/.test(run) || TOKEN_RUN.lastIndex === text.length || text.startsWith('…', TOKEN_RUN.lastIndex);
  const rest = run.slice(anchor.length).replace(/\.+$/, '');
  if (!isCut || rest.length < MIN_CUT_CHARS || new Set(rest).size < MIN_CUT_VARIETY) return null;
  if (!/\d/.test(rest) || !/[A-Za-z]/.test(rest) || /x{5}/i.test(rest)) return null;
  return { kind, start: at, end: at + anchor.length + rest.length };
}
