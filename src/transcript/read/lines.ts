import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../domain/json.ts';
import type { AnomalyKind, JsonObject } from '../../domain/transcript.ts';
import { asObject } from './json.ts';
import { salvageLine } from './salvage.ts';

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
type LineVisitor = (line: RawLine) => void;

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

/** Every line is in exactly one of these classes. */
type LineClass = 'record' | 'salvaged' | 'skipped';

interface ReadRecord {
  readonly record: JsonObject;
  /** Byte range of the record in the file. */
  readonly offset: number;
  readonly length: number;
}

export interface LineReading {
  readonly class: LineClass;
  readonly records: readonly ReadRecord[];
  /** Everything unusual about the line; for a skipped line the first entry is the reason. */
  readonly anomalies: readonly AnomalyKind[];
}

const NONE: readonly AnomalyKind[] = [];
const REPLACEMENT = '\uFFFD';
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK_BYTES = 3;

export function readLine(line: RawLine): LineReading {
  if (line.bytes === null) return { class: 'skipped', records: [], anomalies: ['oversize_line'] };
  const { bytes, end } = line;
  const bomBytes = line.offset === 0 && hasByteOrderMark(bytes, line.start, end) ? BYTE_ORDER_MARK_BYTES : 0;
  const start = line.start + bomBytes;
  // Without an encoding argument Node decodes UTF-8 directly; with one it looks it up first, 4 % of a parse.
  const text = bytes.toString(undefined, start, end);
  const value = parseJson(text);
  if (value === undefined) return readBroken(line, bytes, start);
  const record = asObject(value);
  if (record === null) return { class: 'skipped', records: [], anomalies: ['not_an_object'] };
  const records = [{ record, offset: line.offset + bomBytes, length: line.length - bomBytes }];
  if (text.includes(REPLACEMENT) && !isUtf8(bytes.subarray(start, end))) {
    return { class: 'salvaged', records, anomalies: ['invalid_utf8'] };
  }
  const isDosLine = bytes[end - 1] === CARRIAGE_RETURN;
  if (bomBytes === 0 && !isDosLine) return { class: 'record', records, anomalies: NONE };
  return { class: 'record', records, anomalies: plainOddities(bomBytes > 0, isDosLine) };
}

function readBroken(line: RawLine, bytes: Buffer, start: number): LineReading {
  const salvage = salvageLine(bytes.subarray(start, line.end));
  if (salvage.records.length === 0) {
    const isTorn = salvage.reason === 'invalid_json' && !line.complete;
    return { class: 'skipped', records: [], anomalies: [isTorn ? 'truncated_tail' : salvage.reason] };
  }
  const records = salvage.records.map((found) => ({
    record: found.record,
    offset: line.offset + (start - line.start) + found.start,
    length: found.end - found.start,
  }));
  return { class: 'salvaged', records, anomalies: [salvage.reason] };
}

/** Line endings and byte order marks of other systems; the record is intact, so the line stays a record. */
function plainOddities(hasBom: boolean, isDosLine: boolean): readonly AnomalyKind[] {
  const found: AnomalyKind[] = [];
  if (hasBom) found.push('byte_order_mark');
  if (isDosLine) found.push('carriage_return');
  return found;
}

function hasByteOrderMark(bytes: Buffer, start: number, end: number): boolean {
  return (
    end - start >= BYTE_ORDER_MARK_BYTES &&
    bytes[start] === 0xef &&
    bytes[start + 1] === 0xbb &&
    bytes[start + 2] === 0xbf
  );
}
