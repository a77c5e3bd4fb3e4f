import { isJsonObject, parseJson } from '../../domain/json.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asFlag, asNumber, asText } from '../read/json.ts';

/** Why a side file, or a part of it, could not be read. */
type SideProblem =
  | 'too_large'
  | 'invalid_utf8'
  | 'byte_order_mark'
  | 'invalid_json'
  | 'truncated_tail'
  | 'wrong_shape'
  | 'bad_entry';

/** The value and the number of problems by kind. An unreadable file gives an empty value, never an exception. */
export interface SideResult<T> {
  readonly value: T;
  readonly problems: ReadonlyMap<SideProblem, number>;
}

export type SideInput = Uint8Array | string;

export type CountProblem = (problem: SideProblem) => void;

/** Larger files are not read; history.jsonl, the largest kind, has a few hundred bytes per prompt. */
const MAX_SIDE_FILE_BYTES = 256 * 1024 * 1024;

/** Runs a reader on the text of a file and counts problems. */
export function readSide<T>(input: SideInput, empty: T, read: (text: string, count: CountProblem) => T): SideResult<T> {
  const problems = new Map<SideProblem, number>();
  const count: CountProblem = (problem) => problems.set(problem, (problems.get(problem) ?? 0) + 1);
  if (input.length > MAX_SIDE_FILE_BYTES) {
    count('too_large');
    return { value: empty, problems };
  }
  return { value: read(textOf(input, count), count), problems };
}

/** Like `readSide`, for files that contain one JSON value. */
export function readSideJson<T>(
  input: SideInput,
  empty: T,
  read: (value: JsonValue, count: CountProblem) => T,
): SideResult<T> {
  return readSide(input, empty, (text, count) => {
    const value = parseJson(text);
    if (value !== undefined) return read(value, count);
    count('invalid_json');
    return empty;
  });
}

/** Like `readSide`, for files that contain one JSON object. Null for anything else. */
export function readSideObject<T>(input: SideInput, read: (object: JsonObject) => T | null): SideResult<T | null> {
  return readSideJson<T | null>(input, null, (value, count) => {
    const found = isJsonObject(value) ? read(value) : null;
    if (found === null) count('wrong_shape');
    return found;
  });
}

/** Like `readSide`, for files with one JSON object per line. Invalid lines are counted; empty ones are not. */
export function readSideLines<T>(
  input: SideInput,
  read: (object: JsonObject, lineNumber: number, count: CountProblem) => T | null,
): SideResult<readonly T[]> {
  return readSide<readonly T[]>(input, [], (text, count) => {
    const found: T[] = [];
    let lineNumber = 0;
    for (let start = 0; start < text.length; ) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline;
      lineNumber += 1;
      const entry = readLine(text.slice(start, end), lineNumber, newline < 0, read, count);
      if (entry !== null) found.push(entry);
      start = end + 1;
    }
    return found;
  });
}

function readLine<T>(
  line: string,
  lineNumber: number,
  isTail: boolean,
  read: (object: JsonObject, lineNumber: number, count: CountProblem) => T | null,
  count: CountProblem,
): T | null {
  if (line.trim() === '') return null;
  const value = parseJson(line);
  if (value === undefined) count(isTail ? 'truncated_tail' : 'invalid_json');
  else if (!isJsonObject(value)) count('wrong_shape');
  else return read(value, lineNumber, count);
  return null;
}

function textOf(input: SideInput, count: CountProblem): string {
  const text = typeof input === 'string' ? input : decode(input, count);
  if (!text.startsWith('\uFEFF')) return text;
  count('byte_order_mark');
  return text.slice(1);
}

function decode(bytes: Uint8Array, count: CountProblem): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    count('invalid_utf8');
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }
}

type Picked<K extends string, T> = { readonly [Key in K]: T | null };

function picker<T>(read: (value: JsonValue | undefined) => T | null) {
  return <K extends string>(object: JsonObject, ...keys: readonly K[]) =>
    Object.fromEntries(keys.map((key) => [key, read(object[key])])) as Picked<K, T>;
}

/** The named fields of an object; null for a field that is missing or has another type. */
export const texts = picker(asText);
export const numbers = picker(asNumber);
export const flags = picker(asFlag);
