/** A look at the head of a line: its type, without parsing the rest. Key order varies, so it may not be there yet. */

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const BACKSLASH = 0x5c;
/** The scalars at the head of a line are shorter than this together. */
const MAX_HEAD_BYTES = 2048;

/**
 * The value of a top-level "type" that stands before the first object, else the name of the key that holds the first
 * object, else ''. Only a hint: what is done with it must be checked on the parsed record.
 */
export function hintOf(bytes: Buffer, start: number, end: number): string {
  const stop = Math.min(end, start + MAX_HEAD_BYTES);
  let at = start + 1;
  while (at < stop && bytes[at] === QUOTE) {
    const keyEnd = plainStringEnd(bytes, at + 1, stop);
    if (keyEnd < 0 || bytes[keyEnd + 1] !== COLON) return '';
    const value = keyEnd + 2;
    if (bytes[value] === OPEN_BRACE) return bytes.toString('latin1', at + 1, keyEnd);
    if (bytes[value] === QUOTE) {
      const valueEnd = plainStringEnd(bytes, value + 1, stop);
      if (valueEnd < 0) return '';
      if (isType(bytes, at + 1, keyEnd)) return bytes.toString('latin1', value + 1, valueEnd);
      at = valueEnd + 1;
    } else at = bareEnd(bytes, value, stop);
    if (bytes[at] !== COMMA) return '';
    at += 1;
  }
  return '';
}

function isType(bytes: Buffer, from: number, to: number): boolean {
  return (
    to - from === 4 &&
    bytes[from] === 0x74 &&
    bytes[from + 1] === 0x79 &&
    bytes[from + 2] === 0x70 &&
    bytes[from + 3] === 0x65
  );
}

/** End of a string without escapes, -1 for others. */
function plainStringEnd(bytes: Buffer, from: number, stop: number): number {
  for (let at = from; at < stop; at += 1) {
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] === BACKSLASH) return -1;
  }
  return -1;
}

/** End of a number, true, false or null. */
function bareEnd(bytes: Buffer, from: number, stop: number): number {
  let at = from;
  while (at < stop && bytes[at] !== COMMA && bytes[at] !== 0x7d && bytes[at] !== 0x5b) at += 1;
  return at;
}
