import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asObject } from '../read/json.ts';
import { salvageLine } from '../read/salvage.ts';
import { ByteCursor } from './byte-cursor.ts';
import { isoMillis } from './iso-time.ts';
import { usageOfRecord } from './slow-line.ts';
import { readRecord, type TextRange, UsageLine } from './usage-line.ts';
import type { UsageLineFinder } from './usage-line-finder.ts';
import { AGENT, ECHO, INHERITED, type UsageRows } from './usage-rows.ts';

const SPACE = 0x20;
const SYNTHETIC = Buffer.from('<synthetic>');
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

export interface LineCounts {
  /** Lines with a usage key in them. */
  usageLines: number;
  /** Those of them that the walker left to JSON.parse. */
  slowLines: number;
  /** Those in which nothing could be read. */
  unreadableLines: number;
}

/** Reads the usage lines that a finder finds and adds what they say to `rows`. */
export class LineScanner {
  readonly counts: LineCounts = { usageLines: 0, slowLines: 0, unreadableLines: 0 };
  readonly #finder: UsageLineFinder;
  readonly #rows: UsageRows;
  readonly #cursor = new ByteCursor();
  readonly #line = new UsageLine();
  readonly #inner = new UsageLine();

  constructor(finder: UsageLineFinder, rows: UsageRows) {
    this.#finder = finder;
    this.#rows = rows;
  }

  /** Whole lines stand in the finder's memory between `from` and `to`; only the last one may lack its newline. */
  scan(from: number, to: number): void {
    const finder = this.#finder;
    const { memory } = finder;
    for (let at = from; finder.next(at, to); at = finder.lineEnd + 1) {
      this.counts.usageLines += 1;
      if (!this.#walk(memory, finder.lineStart, finder.lineEnd)) this.#parse(memory, finder.lineStart, finder.lineEnd);
    }
  }

  /** The fast way: true when the line is understood. */
  #walk(bytes: Buffer, start: number, end: number): boolean {
    const cursor = this.#cursor;
    const line = this.#line;
    const inner = this.#inner;
    cursor.reset(bytes, start, end);
    readRecord(cursor, line, inner);
    if (cursor.broken || !isBlank(bytes, cursor.at, end)) return false;
    if (line.isAssistant) return this.#take(bytes, line, inheritedMark(bytes, line) | (line.isSidechain ? AGENT : 0));
    if (!line.isAgentProgress || !line.isProgress || !inner.isAssistant) return true;
    return this.#take(bytes, inner, inheritedMark(bytes, line) | AGENT | ECHO);
  }

  #take(bytes: Buffer, line: UsageLine, marks: number): boolean {
    const { id, timestamp } = line;
    if (!line.hasUsage || line.isApiError || isSynthetic(bytes, line.model)) return true;
    const timeMs = timestamp.end === 0 ? -1 : isoMillis(bytes, timestamp.at, timestamp.end);
    if (Number.isNaN(timeMs) || id.end === 0 || id.end === id.at) return false;
    this.#rows.addWalked(bytes, line, this.#line.sessionId, timeMs, marks);
    return true;
  }

  /** The slow way: JSON.parse, and what can be saved of a line that is not JSON. */
  #parse(bytes: Buffer, start: number, end: number): void {
    this.counts.slowLines += 1;
    const hasMark = bytes.compare(BYTE_ORDER_MARK, 0, undefined, start, start + BYTE_ORDER_MARK.length) === 0;
    const records = recordsOf(bytes.subarray(hasMark ? start + BYTE_ORDER_MARK.length : start, end));
    if (records.length === 0) this.counts.unreadableLines += 1;
    for (const record of records) {
      const found = usageOfRecord(record);
      if (found !== null) this.#rows.add(found.id, found.requestId, found.sessionId, found.figures);
    }
  }
}

function recordsOf(line: Buffer): readonly JsonObject[] {
  try {
    const record = asObject(JSON.parse(line.toString('utf8')) as JsonValue);
    return record === null ? [] : [record];
  } catch {
    return salvageLine(line).records.map(({ record }) => record);
  }
}

function inheritedMark(bytes: Buffer, line: UsageLine): number {
  const { processSessionId, sessionId } = line;
  const isForeign = processSessionId.end !== 0 && !isSameText(bytes, processSessionId, sessionId);
  return line.isForked || isForeign ? INHERITED : 0;
}

function isBlank(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) if ((bytes[at] as number) > SPACE) return false;
  return true;
}

function isSynthetic(bytes: Buffer, { at, end }: TextRange): boolean {
  if (end - at !== SYNTHETIC.length || bytes[at] !== SYNTHETIC[0]) return false;
  return bytes.compare(SYNTHETIC, 0, undefined, at, end) === 0;
}

function isSameText(bytes: Buffer, a: TextRange, b: TextRange): boolean {
  if (a.end - a.at !== b.end - b.at) return false;
  for (let index = a.end - a.at - 1; index >= 0; index -= 1) {
    if (bytes[a.at + index] !== bytes[b.at + index]) return false;
  }
  return true;
}
