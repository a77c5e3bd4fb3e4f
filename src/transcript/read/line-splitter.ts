/**
 * Bytes in any chunking → lines, split on 0x0A only. A line inside one chunk is read in place; only a line that spans
 * chunks is copied, into one buffer that is reused.
 */

/** Longer lines are only counted, to bound memory; their bytes stay in the raw archive. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;
const FIRST_CARRY_BYTES = 64 * 1024;
/** After a huge line the buffer is released instead of being kept for the rest of the file. */
const KEPT_CARRY_BYTES = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Plain data, so that a parse can be stored after any byte and resumed later. */
export interface LineSplitterState {
  /** Bytes of the unfinished line. */
  carry: Uint8Array;
  carryBytes: number;
  /** True while the rest of an oversize line is skipped. */
  oversize: boolean;
  /** File offset of the first byte of the unfinished line, and its length so far. */
  lineOffset: number;
  lineBytes: number;
  lineCount: number;
}

/** Visits one finished line: `bytes[start..end)` without its newline; `null` bytes for an oversize line. */
export type LineVisitor = (line: RawLine) => void;

export interface RawLine {
  readonly bytes: Buffer | null;
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  readonly length: number;
  readonly number: number;
  /** False only for the last line of a file that does not end in a newline. */
  readonly complete: boolean;
}

export function createLineSplitter(): LineSplitterState {
  return { carry: new Uint8Array(0), carryBytes: 0, oversize: false, lineOffset: 0, lineBytes: 0, lineCount: 0 };
}

export function pushBytes(state: LineSplitterState, chunk: Uint8Array, visit: LineVisitor, maxLineBytes: number): void {
  const bytes = asBuffer(chunk);
  let from = 0;
  while (from < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, from);
    if (newline < 0) {
      keepForLater(state, bytes.subarray(from), maxLineBytes);
      return;
    }
    if (state.lineBytes === 0) {
      const isOversize = newline - from > maxLineBytes;
      finishLine(state, visit, { bytes: isOversize ? null : bytes, start: from, end: newline, complete: true });
    } else {
      keepForLater(state, bytes.subarray(from, newline), maxLineBytes);
      finishCarried(state, visit, true);
    }
    from = newline + 1;
  }
}

/** Ends the file: emits the last line if no newline ended it. */
export function endBytes(state: LineSplitterState, visit: LineVisitor): void {
  if (state.lineBytes > 0) finishCarried(state, visit, false);
}

function finishCarried(state: LineSplitterState, visit: LineVisitor, complete: boolean): void {
  const bytes = state.oversize ? null : asBuffer(state.carry);
  const { lineBytes } = state;
  state.carryBytes = 0;
  state.oversize = false;
  finishLine(state, visit, { bytes, start: 0, end: lineBytes, complete });
  if (state.carry.length > KEPT_CARRY_BYTES) release(state);
}

interface FoundLine {
  readonly bytes: Buffer | null;
  readonly start: number;
  readonly end: number;
  readonly complete: boolean;
}

function finishLine(state: LineSplitterState, visit: LineVisitor, found: FoundLine): void {
  const { bytes, start, end, complete } = found;
  const offset = state.lineOffset;
  const length = end - start;
  state.lineCount += 1;
  state.lineOffset = offset + length + (complete ? 1 : 0);
  state.lineBytes = 0;
  visit({ bytes, start, end, offset, length, number: state.lineCount, complete });
}

function keepForLater(state: LineSplitterState, part: Buffer, maxLineBytes: number): void {
  state.lineBytes += part.length;
  if (state.oversize) return;
  if (state.lineBytes > maxLineBytes) {
    state.oversize = true;
    release(state);
    state.carryBytes = 0;
    return;
  }
  const needed = state.carryBytes + part.length;
  if (needed > state.carry.length) state.carry = grown(state.carry, needed, maxLineBytes);
  state.carry.set(part, state.carryBytes);
  state.carryBytes = needed;
}

/**
 * A long line gets a buffer that grows in place. Copying from buffer to buffer would need twice the size of the line.
 */
function grown(old: Uint8Array, neededBytes: number, maxLineBytes: number): Uint8Array {
  const size = Math.max(neededBytes, Math.min(maxLineBytes, Math.max(FIRST_CARRY_BYTES, old.length * 2)));
  if (isGrowable(old.buffer)) {
    old.buffer.resize(size);
    return new Uint8Array(old.buffer, 0, size);
  }
  const maxByteLength = Math.max(size, maxLineBytes);
  const next = new Uint8Array(new ArrayBuffer(size, size > KEPT_CARRY_BYTES ? { maxByteLength } : {}), 0, size);
  next.set(old);
  return next;
}

/** Frees the memory now instead of at the next garbage collection. */
function release(state: LineSplitterState): void {
  const { buffer } = state.carry;
  state.carry = new Uint8Array(0);
  if (isGrowable(buffer)) buffer.resize(0);
}

function isGrowable(buffer: ArrayBufferLike): buffer is ArrayBuffer {
  return buffer instanceof ArrayBuffer && buffer.resizable;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
