import { isUtf8 } from 'node:buffer';
import type { AnomalyKind, JsonObject } from '../../domain/transcript.ts';
import { asObject, parseJson } from './json.ts';
import type { RawLine } from './line-splitter.ts';
import { salvageLine } from './salvage.ts';

/** Every line is in exactly one of these classes. */
export type LineClass = 'record' | 'salvaged' | 'skipped';

export interface ReadRecord {
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
