/**
 * Bulky parts of a line that nobody reads (the full stdout in `toolUseResult`, streamed output in progress lines,
 * prompt snapshots) are cut down before JSON.parse sees them: long strings lose their tail, everything else stays.
 * About a third of all bytes is such text. The raw line keeps it.
 */

/** Strings up to this size are cheaper to parse than to cut. */
const LONG_STRING_BYTES = 512;
/** Enough for the sign of a diff line and for a message's beginning. */
const KEPT_STRING_BYTES = 128;
const SHORT_SCAN_BYTES = 48;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/** Byte ranges to leave out: from, to, from, to, … in order. */
export type Cuts = number[];

/** Notes the tails of all long strings in the JSON value at `from`; gives the position after the value, -1 if it is torn. */
export function cutLongStrings(bytes: Buffer, from: number, end: number, cuts: Cuts): number {
  let depth = 0;
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const close = closingQuote(bytes, at + 1, end);
      if (close < 0) return -1;
      if (close - at > LONG_STRING_BYTES) cuts.push(safeCut(bytes, at + 1), close);
      at = close;
      if (depth === 0) return at + 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      // Less than zero: a bare number or word inside an object ended before this brace.
      if (depth <= 0) return depth === 0 ? at + 1 : at;
    } else if (byte === COMMA && depth === 0) return at;
  }
  return depth === 0 ? end : -1;
}

/** The text of `bytes[start..end)` without the cut ranges. */
export function textWithout(bytes: Buffer, start: number, end: number, cuts: Cuts): string {
  let text = '';
  let from = start;
  for (let index = 0; index < cuts.length; index += 2) {
    text += bytes.toString('utf8', from, cuts[index]);
    from = cuts[index + 1] as number;
  }
  return text + bytes.toString('utf8', from, end);
}

/** Where the string that begins at `from` closes, or -1. */
function closingQuote(bytes: Buffer, from: number, end: number): number {
  let at = from;
  // Most strings are short; a native search pays off only for the others.
  for (const stop = Math.min(end, from + SHORT_SCAN_BYTES); at < stop; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  for (let quote = bytes.indexOf(QUOTE, at); quote >= 0 && quote < end; quote = bytes.indexOf(QUOTE, quote + 1)) {
    if (!isEscaped(bytes, quote, at)) return quote;
  }
  return -1;
}

/** True when an odd run of backslashes stands before `quote`; `from` is known not to be inside an escape. */
function isEscaped(bytes: Buffer, quote: number, from: number): boolean {
  let at = quote - 1;
  while (at >= from && bytes[at] === BACKSLASH) at -= 1;
  return ((quote - 1 - at) & 1) === 1;
}

/** A place near the kept size that splits neither an escape nor a character. */
function safeCut(bytes: Buffer, from: number): number {
  let cut = from + KEPT_STRING_BYTES;
  while (cut > from && ((bytes[cut] as number) & 0xc0) === 0x80) cut -= 1;
  for (let at = cut - 1; at >= from && at > cut - 7; at -= 1) {
    if (bytes[at] !== BACKSLASH) continue;
    while (at > from && bytes[at - 1] === BACKSLASH) at -= 1;
    return at;
  }
  return cut;
}
