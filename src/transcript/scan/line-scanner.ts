import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asObject } from '../read/json.ts';
import { salvageLine } from '../read/salvage.ts';
import { isoMillis } from './iso-time.ts';
import type { LineEngine } from './simd/line-engine.ts';
import { usageOfRecord } from './slow-line.ts';
import { SLOT } from './usage-keys.ts';
import {
  AGENT,
  BATCH,
  ECHO,
  FAST,
  INHERITED,
  type MessageKey,
  US_ONLY,
  type UsageFigures,
  type UsageRows,
} from './usage-rows.ts';
import { countAt, isPlainText, isTextAt, isTrueAt, isSameText, textAt } from './value-at.ts';

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const SPACE = 0x20;
const SYNTHETIC_MODEL = '<synthetic>';
const OPEN_BRACE = 0x7b;

export interface LineCounts {
  /** Lines with a usage key in them. */
  usageLines: number;
  /** Those of them that the engine left to JSON.parse. */
  slowLines: number;
  /** Those in which nothing could be read. */
  unreadableLines: number;
}

/** Reads the usage lines that the engine finds and adds what they say to `rows`. */
export class LineScanner {
  readonly counts: LineCounts = { usageLines: 0, slowLines: 0, unreadableLines: 0 };
  readonly #engine: LineEngine;
  readonly #rows: UsageRows;
  #sessionId = '';
  /** Both are filled again for every line. */
  readonly #key: MessageKey = keyOf('', '');
  readonly #figures: UsageFigures = {
    model: '',
    timeMs: -1,
    marks: 0,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    webSearches: 0,
  };

  constructor(engine: LineEngine, rows: UsageRows) {
    this.#engine = engine;
    this.#rows = rows;
  }

  /** Whole lines stand in the engine's memory between `from` and `to`; only the last one may lack its newline. */
  scan(from: number, to: number): void {
    const engine = this.#engine;
    for (let at = from; engine.findLine(at, to); at = engine.lineEnd + 1) {
      this.counts.usageLines += 1;
      const { lineStart, lineEnd } = engine;
      const end = engine.readRecord(lineStart, lineEnd);
      if (end === 0 || !isBlank(engine.bytes, end, lineEnd) || !this.#take()) this.#parse(lineStart, lineEnd);
    }
  }

  /** The fast way: true when the values in the slots say all there is to know. */
  #take(): boolean {
    const { bytes, slots } = this.#engine;
    if (isTextAt(bytes, slots, SLOT.type, 'assistant')) {
      if (isTrueAt(bytes, slots, SLOT.isApiError)) return true;
      if (slots[SLOT.innerMessage] !== 0) return false;
      const sidechain = isTrueAt(bytes, slots, SLOT.isSidechain) ? AGENT : 0;
      return this.#takeMessage(SLOT.requestId, SLOT.timestamp, sidechain | inheritedMark(bytes, slots));
    }
    if (!isTextAt(bytes, slots, SLOT.type, 'progress')) return isPlainText(bytes, slots, SLOT.type);
    if (!isTextAt(bytes, slots, SLOT.dataType, 'agent_progress')) return isPlainText(bytes, slots, SLOT.dataType);
    if (!isTextAt(bytes, slots, SLOT.innerType, 'assistant')) return isPlainText(bytes, slots, SLOT.innerType);
    if (isTrueAt(bytes, slots, SLOT.innerIsApiError)) return true;
    if (slots[SLOT.message] !== 0) return false;
    return this.#takeMessage(SLOT.innerRequestId, SLOT.innerTimestamp, AGENT | ECHO | inheritedMark(bytes, slots));
  }

  #takeMessage(requestSlot: number, timeSlot: number, marks: number): boolean {
    const { bytes, slots } = this.#engine;
    // The line was found for a key elsewhere in it.
    if (slots[SLOT.output] === 0) return true;
    if (!isTextAt(bytes, slots, SLOT.model, this.#figures.model)) {
      const model = textAt(bytes, slots, SLOT.model);
      if (model === null) return false;
      this.#figures.model = model;
    }
    if (!this.#takeFigures(timeSlot, marks)) return false;
    return this.#figures.model === SYNTHETIC_MODEL || this.#addMessage(requestSlot);
  }

  #addMessage(requestSlot: number): boolean {
    const { bytes, slots } = this.#engine;
    if (!isTextAt(bytes, slots, SLOT.sessionId, this.#sessionId)) {
      this.#sessionId = textAt(bytes, slots, SLOT.sessionId) ?? '';
    }
    const hasRequest = slots[requestSlot] !== 0;
    if (this.#sessionId === '' || !isPlainText(bytes, slots, SLOT.id)) return false;
    if (hasRequest && !isPlainText(bytes, slots, requestSlot)) return false;
    const key = this.#key;
    key.bytes = bytes;
    key.idAt = (slots[SLOT.id] as number) + 1;
    key.idEnd = (slots[SLOT.id + 1] as number) - 1;
    key.requestAt = hasRequest ? (slots[requestSlot] as number) + 1 : 0;
    key.requestEnd = hasRequest ? (slots[requestSlot + 1] as number) - 1 : 0;
    if (key.idAt === key.idEnd || (hasRequest && key.requestAt === key.requestEnd)) return false;
    this.#rows.add(key, this.#sessionId, this.#figures);
    return true;
  }

  /** False when a figure is not written as usual. */
  #takeFigures(timeSlot: number, marks: number): boolean {
    const { bytes, slots } = this.#engine;
    const figures = this.#figures;
    const timeAt = slots[timeSlot] as number;
    figures.timeMs = timeAt === 0 ? -1 : isoMillis(bytes, timeAt + 1, (slots[timeSlot + 1] as number) - 1);
    figures.marks =
      marks |
      (isTextAt(bytes, slots, SLOT.speed, 'fast') ? FAST : 0) |
      (isTextAt(bytes, slots, SLOT.serviceTier, 'batch') ? BATCH : 0) |
      (isTextAt(bytes, slots, SLOT.inferenceGeo, 'us') ? US_ONLY : 0);
    figures.input = countAt(bytes, slots, SLOT.input);
    figures.output = countAt(bytes, slots, SLOT.output);
    figures.cacheRead = countAt(bytes, slots, SLOT.cacheRead);
    figures.webSearches = countAt(bytes, slots, SLOT.webSearches);
    const write5m = countAt(bytes, slots, SLOT.write5m);
    const write1h = countAt(bytes, slots, SLOT.write1h);
    const written = slots[SLOT.cacheWrite] === 0 ? write5m + write1h : countAt(bytes, slots, SLOT.cacheWrite);
    figures.cacheWrite1h = Math.min(write1h, written);
    figures.cacheWrite5m = written - figures.cacheWrite1h;
    // NaN where one of them is.
    const sum = figures.input + figures.output + figures.cacheRead + figures.webSearches + written + write5m + write1h;
    return !Number.isNaN(sum + figures.timeMs);
  }

  /** The slow way: JSON.parse, and what can be saved of a line that is not JSON. */
  #parse(start: number, end: number): void {
    this.counts.slowLines += 1;
    const records = recordsOf(this.#engine.bytes.subarray(start, end));
    if (records.length === 0) this.counts.unreadableLines += 1;
    for (const record of records) {
      const found = usageOfRecord(record);
      if (found !== null) this.#rows.add(keyOf(found.id, found.requestId ?? ''), found.sessionId, found.figures);
    }
  }
}

function keyOf(id: string, requestId: string): MessageKey {
  const idEnd = Buffer.byteLength(id);
  const bytes = Buffer.from(id + requestId);
  return {
    bytes,
    idAt: 0,
    idEnd,
    requestAt: requestId === '' ? 0 : idEnd,
    requestEnd: requestId === '' ? 0 : bytes.length,
  };
}

function inheritedMark(bytes: Buffer, slots: Int32Array): number {
  if (bytes[slots[SLOT.forkedFrom] as number] === OPEN_BRACE && slots[SLOT.forkedFrom] !== 0) return INHERITED;
  if (slots[SLOT.processSessionId] === 0) return 0;
  return isSameText(bytes, slots, SLOT.processSessionId, SLOT.sessionId) ? 0 : INHERITED;
}

function recordsOf(line: Buffer): readonly JsonObject[] {
  const hasMark = line.compare(BYTE_ORDER_MARK, 0, undefined, 0, Math.min(line.length, BYTE_ORDER_MARK.length)) === 0;
  const text = hasMark ? line.subarray(BYTE_ORDER_MARK.length) : line;
  try {
    const record = asObject(JSON.parse(text.toString('utf8')) as JsonValue);
    return record === null ? [] : [record];
  } catch {
    return salvageLine(text).records.map(({ record }) => record);
  }
}

function isBlank(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) if ((bytes[at] as number) > SPACE) return false;
  return true;
}
