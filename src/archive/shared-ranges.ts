/** Marks of lines on which current clients repeat their prompts, tool lists and skill lists in every session. */
const NEEDLES = ['"type":"attachment"', '"type":"api-request-shape"', '"type":"api-request-blob"'].map((text) =>
  Buffer.from(text),
);
/** Smaller values are not worth a separate blob. */
const MIN_SHARED_BYTES = 4 * 1024;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);

export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds runs of bytes that other sessions very likely contain too and that deserve a separate blob: large values on
 * lines whose ids and times differ between sessions while the value does not. Ordered and disjoint.
 */
export function findSharedRanges(bytes: Uint8Array): readonly Range[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const lines = new Map<number, number>();
  for (const needle of NEEDLES) {
    for (let at = buffer.indexOf(needle); at >= 0; ) {
      const from = buffer.lastIndexOf(NEWLINE, at) + 1;
      const end = buffer.indexOf(NEWLINE, at);
      const to = end < 0 ? buffer.length : end;
      if (to - from >= MIN_SHARED_BYTES) lines.set(from, to);
      at = buffer.indexOf(needle, to);
    }
  }
  return [...lines].toSorted(([a], [b]) => a - b).flatMap(([from, to]) => largeValues(buffer, from, to));
}

/** Finds the large values one level below the line's own braces. A line that is not JSON has none. */
function largeValues(buffer: Buffer, from: number, to: number): Range[] {
  const ranges: Range[] = [];
  let depth = 0;
  let valueFrom = -1;
  for (let at = from; at < to; at++) {
    const byte = buffer[at] ?? 0;
    if (byte === QUOTE) at = endOfString(buffer, at, to);
    else if (OPEN.has(byte)) {
      depth++;
      if (depth === 2) valueFrom = at;
    } else if (CLOSE.has(byte)) {
      depth--;
      if (depth === 1 && at + 1 - valueFrom >= MIN_SHARED_BYTES) ranges.push({ from: valueFrom, to: at + 1 });
    }
  }
  return depth === 0 ? ranges : [];
}

function endOfString(buffer: Buffer, quoteAt: number, to: number): number {
  for (let at = quoteAt + 1; at < to; at++) {
    const byte = buffer[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) return at;
  }
  return to;
}
