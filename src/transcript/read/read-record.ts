import type { JsonValue } from '../../domain/transcript.ts';
import { type Cuts, cutLongStrings, textWithout } from './condense.ts';
import { hintOf } from './hint.ts';
import { asObject } from './json.ts';

/** Shorter lines are parsed as they are. */
const CONDENSE_MIN_BYTES = 1000 * 1024;
/** An attachment this long is a prompt snapshot, a tool listing or a whole file. */
const CONDENSE_ATTACHMENT_MIN_BYTES = 64 * 1024;
const TOOL_USE_RESULT = Buffer.from('"toolUseResult":');
/** Types whose long texts nobody reads from the record. */
const BULKY: ReadonlySet<string> = new Set(['progress', 'data', 'api-request-shape', 'api-request-blob']);

/** True for a record that must be whole although it looked bulky. */
export type NeedsWhole = (record: { readonly [key: string]: JsonValue }) => boolean;

export interface ParsedText {
  /** Undefined when it is no JSON. */
  readonly value: JsonValue | undefined;
  /** The text that was parsed. */
  readonly text: string;
}

/** JSON.parse of a line, spared the bulk of its unread texts. */
export function parseBytes(bytes: Buffer, start: number, end: number, needsWhole: NeedsWhole): ParsedText {
  const cuts: Cuts = [];
  if (end - start < CONDENSE_MIN_BYTES || !findCuts(bytes, start, end, cuts)) return parseWhole(bytes, start, end);
  const text = textWithout(bytes, start, end, cuts);
  const value = tryParse(text);
  const record = asObject(value);
  if (record === null || needsWhole(record)) return parseWhole(bytes, start, end);
  return { value, text };
}

function parseWhole(bytes: Buffer, start: number, end: number): ParsedText {
  const text = bytes.toString('utf8', start, end);
  return { value: tryParse(text), text };
}

/** Fills `cuts`; false when nothing is to be cut or it is not clear what. */
function findCuts(bytes: Buffer, start: number, end: number, cuts: Cuts): boolean {
  const hint = hintOf(bytes, start, end);
  if (hint === 'user' || hint === 'message') return cutToolUseResult(bytes, start, end, cuts);
  const isBulky = BULKY.has(hint) || (hint === 'attachment' && end - start > CONDENSE_ATTACHMENT_MIN_BYTES);
  return isBulky && cutLongStrings(bytes, start, end, cuts) >= 0 && cuts.length > 0;
}

/** The key can also stand inside a tool's input; found exactly once and on the record, it is the line's own. */
function cutToolUseResult(bytes: Buffer, start: number, end: number, cuts: Cuts): boolean {
  const line = bytes.subarray(start, end);
  const found = line.indexOf(TOOL_USE_RESULT);
  if (found < 0) return false;
  const from = start + found + TOOL_USE_RESULT.length;
  const after = cutLongStrings(bytes, from, end, cuts);
  return after >= 0 && cuts.length > 0 && line.indexOf(TOOL_USE_RESULT, after - start) < 0;
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
