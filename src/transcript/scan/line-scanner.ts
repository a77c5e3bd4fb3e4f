import { DAY_MS } from '../../domain/durations.ts';
import { parseJson } from '../../domain/json.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import { MAX_TOKENS, SYNTHETIC_MODEL } from '../../domain/usage.ts';
import { isPlausibleMillis } from '../assemble/timestamp.ts';
import { asObject } from '../read/json.ts';
import { salvageLine } from '../read/salvage.ts';
import { type LineEngine, SAME_TEXT } from './line-engine.ts';
import { ASSISTANT, PROGRESS, SLOT, usageOfRecord } from './usage-record.ts';
import {
  AGENT,
  BATCH,
  ECHO,
  FAST,
  INHERITED,
  keyOf,
  type MessageKey,
  US_ONLY,
  type UsageFigures,
  type UsageRows,
} from './usage-rows.ts';

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const SPACE = 0x20;
/** The first letter of null. */
const LOWER_N = 0x6e;

export interface LineCounts {
  /** Lines that contain a usage key. */
  usageLines: number;
  /** Usage lines that the engine left to JSON.parse. */
  slowLines: number;
  /** Usage lines from which nothing could be read. */
  unreadableLines: number;
}

/** Reads the usage lines that the engine finds and adds their figures to `rows`. */
export class LineScanner {
  readonly counts: LineCounts = { usageLines: 0, slowLines: 0, unreadableLines: 0 };
  readonly #engine: LineEngine;
  readonly #rows: UsageRows;
  /** Texts of the previous record; the engine reports which of them changed. */
  #sessionId = '';
  #processSessionId = '';
  #requestSessionId = '';
  /** Whether the last record read is also the last one added, and the same before this record. */
  #isLastAdded = false;
  #wasLastAdded = false;
  /** Both are reused for every line. */
  readonly #key: MessageKey = keyOf('', null);
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

  startFile(): void {
    this.#isLastAdded = false;
  }

  /** The engine's memory between `from` and `to` holds whole lines; only the last one may lack its newline. */
  scan(from: number, to: number): void {
    const engine = this.#engine;
    for (let at = from; engine.findLine(at, to); at = engine.lineEnd + 1) {
      this.counts.usageLines += 1;
      const { lineStart, lineEnd } = engine;
      const end = engine.readRecord(lineStart, lineEnd);
      const isOneRecord = end !== 0 && isBlank(engine.bytes, end, lineEnd);
      if (!isOneRecord || !engine.readValues() || !this.#take()) this.#parse(lineStart, lineEnd);
    }
  }

  /** The fast path; true if the values contain everything needed. */
  #take(): boolean {
    const { slots, values } = this.#engine;
    this.#wasLastAdded = this.#isLastAdded;
    this.#isLastAdded = false;
    this.#takeTexts();
    if (values[SLOT.type] === ASSISTANT) {
      if (values[SLOT.isApiError] === 1) return true;
      const marks = (values[SLOT.isSidechain] === 1 ? AGENT : 0) | this.#inheritedMark();
      return slots[SLOT.innerMessage] === 0 && this.#takeMessage(SLOT.requestId, SLOT.timestamp, marks);
    }
    if (values[SLOT.type] !== PROGRESS || values[SLOT.isAgentProgress] === 0 || values[SLOT.innerType] === 0)
      return true;
    if (values[SLOT.innerIsApiError] === 1) return true;
    const marks = AGENT | ECHO | this.#inheritedMark();
    return slots[SLOT.message] === 0 && this.#takeMessage(SLOT.innerRequestId, SLOT.innerTimestamp, marks);
  }

  #takeTexts(): void {
    const { values } = this.#engine;
    if (values[SLOT.sessionId] !== SAME_TEXT) this.#sessionId = this.#textAt(SLOT.sessionId);
    if (values[SLOT.processSessionId] !== SAME_TEXT) this.#processSessionId = this.#textAt(SLOT.processSessionId);
    if (values[SLOT.requestSessionId] !== SAME_TEXT) this.#requestSessionId = this.#textAt(SLOT.requestSessionId);
    if (values[SLOT.model] !== SAME_TEXT) this.#figures.model = this.#textAt(SLOT.model);
  }

  #textAt(slot: number): string {
    const { bytes, slots } = this.#engine;
    return slots[slot] === 0
      ? ''
      : bytes.toString('latin1', (slots[slot] as number) + 1, (slots[slot + 1] as number) - 1);
  }

  #inheritedMark(): number {
    const isForeign = (id: string) => id !== '' && id !== this.#sessionId;
    return isForeign(this.#processSessionId) ||
      isForeign(this.#requestSessionId) ||
      this.#engine.values[SLOT.isForked] === 1
      ? INHERITED
      : 0;
  }

  #takeMessage(requestSlot: number, timeSlot: number, marks: number): boolean {
    const { slots, values } = this.#engine;
    // Without an object here, the line was found because of a key elsewhere in it; only other values have an end.
    const hasUsage = slots[SLOT.usage] !== 0 && slots[SLOT.usage + 1] === 0;
    if (!hasUsage || this.#figures.model === SYNTHETIC_MODEL) return true;
    if (slots[SLOT.id] === 0 || this.#sessionId === '' || this.#figures.model === '') return false;
    if (slots[SLOT.paused] !== 0) return false;
    this.#takeFigures(timeSlot, marks);
    const isSame = values[SLOT.id] === SAME_TEXT && values[requestSlot] === SAME_TEXT;
    if (isSame && this.#wasLastAdded && this.#rows.lastIsEcho === ((marks & ECHO) !== 0))
      this.#rows.extendLast(this.#figures);
    else this.#rows.add(this.#takeKey(requestSlot), this.#sessionId, this.#figures);
    this.#isLastAdded = true;
    return true;
  }

  #takeKey(requestSlot: number): MessageKey {
    const { bytes, slots, values } = this.#engine;
    const key = this.#key;
    const hasRequest = slots[requestSlot] !== 0;
    key.bytes = bytes;
    key.idAt = (slots[SLOT.id] as number) + 1;
    key.idEnd = (slots[SLOT.id + 1] as number) - 1;
    key.idHash = values[SLOT.id + 1] as number;
    key.requestAt = hasRequest ? (slots[requestSlot] as number) + 1 : 0;
    key.requestEnd = hasRequest ? (slots[requestSlot + 1] as number) - 1 : 0;
    return key;
  }

  #takeFigures(timeSlot: number, marks: number): void {
    const { bytes, slots, values } = this.#engine;
    const figures = this.#figures;
    const hasTime = slots[timeSlot] !== 0;
    const timeMs = hasTime ? (values[timeSlot] as number) * DAY_MS + (values[timeSlot + 1] as number) : -1;
    // A clock in 1970 or 9999 is wrong; the parser ignores such times as well.
    figures.timeMs = isPlausibleMillis(timeMs) ? timeMs : -1;
    figures.marks =
      marks |
      (values[SLOT.isFast] === 1 ? FAST : 0) |
      (values[SLOT.isBatch] === 1 ? BATCH : 0) |
      (values[SLOT.isUsOnly] === 1 ? US_ONLY : 0);
    const countAt = (slot: number) => Math.min(values[slot] as number, MAX_TOKENS);
    figures.input = countAt(SLOT.input);
    figures.output = countAt(SLOT.output);
    figures.cacheRead = countAt(SLOT.cacheRead);
    figures.webSearches = countAt(SLOT.webSearches);
    const write1h = countAt(SLOT.write1h);
    const totalAt = slots[SLOT.cacheWrite] as number;
    const hasTotal = totalAt !== 0 && bytes[totalAt] !== LOWER_N;
    const written = hasTotal ? countAt(SLOT.cacheWrite) : countAt(SLOT.write5m) + write1h;
    figures.cacheWrite1h = Math.min(write1h, written);
    figures.cacheWrite5m = written - figures.cacheWrite1h;
  }

  /** The slow path: JSON.parse, and salvage for a line that is not JSON. */
  #parse(start: number, end: number): void {
    this.#isLastAdded = false;
    this.counts.slowLines += 1;
    const records = recordsOf(this.#engine.bytes.subarray(start, end));
    if (records.length === 0) this.counts.unreadableLines += 1;
    for (const record of records) {
      const found = usageOfRecord(record);
      if (found !== null) this.#rows.add(keyOf(found.id, found.requestId), found.sessionId, found.figures);
    }
  }
}

function recordsOf(line: Buffer): readonly JsonObject[] {
  const hasMark = line.compare(BYTE_ORDER_MARK, 0, undefined, 0, Math.min(line.length, BYTE_ORDER_MARK.length)) === 0;
  const text = hasMark ? line.subarray(BYTE_ORDER_MARK.length) : line;
  const value = parseJson(text.toString('utf8'));
  if (value === undefined) return salvageLine(text).records.map(({ record }) => record);
  const record = asObject(value);
  return record === null ? [] : [record];
}

function isBlank(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) if ((bytes[at] as number) > SPACE) return false;
  return true;
}
