import { parseJson } from '../../domain/json.ts';
import type { AnomalyKind, JsonObject } from '../../domain/transcript.ts';
import { isLineType } from '../schema/line-types.ts';
import { asObject } from './json.ts';

/**
 * Recovers records from a line that is not one JSON object. Known causes: a run of NUL bytes, two objects without a
 * newline between them, a record cut off and overwritten by the next one (`{"a":"x{"parentUuid":…}`), comments inserted
 * by other tools, an unfinished last line.
 */

/** Maximum number of record starts tried in one broken line; bounds the work on hostile input. */
const MAX_RECORD_STARTS = 64;
/** A record can start with any of these keys. Text inside a JSON string has escaped quotes and never matches. */
const RECORD_START =
  /\{"(?:parentUuid|logicalParentUuid|type|message|uuid|isSidechain|sessionId|session_id|messageId|leafUuid|promptId|agentId|userType|cwd|timestamp|forkedFrom|attachment)":/g;

const NUL = 0x00;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

interface SalvagedRecord {
  readonly record: JsonObject;
  /** Byte range within the given bytes. */
  readonly start: number;
  readonly end: number;
}

interface Salvage {
  readonly records: readonly SalvagedRecord[];
  /** The problem; the reason if nothing could be recovered. */
  readonly reason: AnomalyKind;
}

export function salvageLine(line: Buffer): Salvage {
  const first = firstVisible(line);
  if (first === -1) return { records: [], reason: line.includes(NUL) ? 'nul_bytes' : 'empty_line' };
  if (line[first] === 0x23 || (line[first] === 0x2f && line[first + 1] === 0x2f)) {
    return { records: [], reason: 'comment_line' };
  }
  if (line.includes(NUL)) return salvageAroundNuls(line);
  if (line[first] !== OPEN_BRACE && parseJson(line.toString('utf8')) !== undefined)
    return { records: [], reason: 'not_an_object' };
  return salvageRecords(line);
}

/** NUL bytes fill the holes a crash left: before, between or after records. */
function salvageAroundNuls(line: Buffer): Salvage {
  const records: SalvagedRecord[] = [];
  let isInsideBroken = false;
  for (let from = 0; from < line.length; ) {
    if (line[from] === NUL) {
      from += 1;
      continue;
    }
    const nul = line.indexOf(NUL, from);
    const to = nul < 0 ? line.length : nul;
    const salvage = salvageRecords(line.subarray(from, to), isInsideBroken);
    for (const found of salvage.records) {
      records.push({ record: found.record, start: found.start + from, end: found.end + from });
    }
    isInsideBroken ||= salvage.isBroken;
    from = to;
  }
  return { records, reason: 'nul_bytes' };
}

/** Recovers consecutive whole objects; a broken one is skipped up to the next record start. */
function salvageRecords(line: Buffer, isAfterBroken = false): Salvage & { readonly isBroken: boolean } {
  const records: SalvagedRecord[] = [];
  let reason: AnomalyKind = 'several_records';
  const starts = recordStarts(line);
  let from = line.indexOf(OPEN_BRACE);
  // Anything before the first brace may be the rest of a record whose start is lost.
  let isInsideBroken = isAfterBroken || (from > 0 && firstVisible(line) < from);
  while (from >= 0) {
    const end = endOfObject(line, from);
    const record = end < 0 || !endsCleanly(line, end) ? null : asObject(parseJson(line.toString('utf8', from, end)));
    if (record !== null && (!isInsideBroken || isWholeRecord(record))) {
      records.push({ record, start: from, end });
      from = line.indexOf(OPEN_BRACE, end);
      continue;
    }
    reason = 'spliced_line';
    isInsideBroken = true;
    const after = from;
    from = starts.find((start) => start > after) ?? -1;
  }
  if (records.length === 0) return { records, reason: 'invalid_json', isBroken: true };
  return { records, reason: records.length === 1 ? 'spliced_line' : reason, isBroken: isInsideBroken };
}

/** Every line of these types names its session; a message quoted inside a progress line does not. */
const NAMES_ITS_SESSION: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

/**
 * Whether an object found inside a broken one is a record that overwrote it. It must have a known type and, if lines of
 * that type name their session, a session id; otherwise it is only a part of the broken record.
 */
function isWholeRecord(record: JsonObject): boolean {
  const { type } = record;
  if (!isLineType(type)) return false;
  return !NAMES_ITS_SESSION.has(type) || typeof record['sessionId'] === 'string';
}

function recordStarts(line: Buffer): readonly number[] {
  // latin1 keeps one character per byte, so match positions are byte positions.
  const text = line.toString('latin1');
  const starts: number[] = [];
  for (const match of text.matchAll(RECORD_START)) {
    starts.push(match.index);
    if (starts.length === MAX_RECORD_STARTS) break;
  }
  return starts;
}

/** Position after the brace that closes the object at `from`, or -1. */
function endOfObject(line: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === QUOTE) {
      at = closingQuote(line, at + 1);
      if (at < 0) return -1;
    } else if (byte === OPEN_BRACE) depth += 1;
    else if (byte === CLOSE_BRACE) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

function closingQuote(line: Buffer, from: number): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === BACKSLASH) at += 1;
    else if (line[at] === QUOTE) return at;
  }
  return -1;
}

/** A record may be followed by nothing or by the next record; anything else means it was part of a larger one. */
function endsCleanly(line: Buffer, end: number): boolean {
  for (let at = end; at < line.length; at += 1) {
    if (line[at] === OPEN_BRACE) return true;
    if (!isBlank(line[at])) return false;
  }
  return true;
}

function firstVisible(line: Buffer): number {
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] !== NUL && !isBlank(line[at])) return at;
  }
  return -1;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
