import { isUtf8 } from 'node:buffer';
import type { JsonObject, JsonValue } from '../../../domain/transcript.ts';
import { hasWasm } from '../../wasm/instance.ts';
import { asObject } from '../json.ts';
import { Condenser } from './condenser.ts';
import { FlatReader } from './flat-reader.ts';
import { LineMemory } from './line-memory.ts';
import { putBack } from './put-back.ts';
import { createRoutines } from './routines.ts';
import { TEXT_RULES, type TextRule } from './rules.ts';

/**
 * Parses the line in `bytes[start..end)` as JSON.parse would, save that texts which nobody reads are cut. Null when the
 * line is unusual in any way: broken, not an object, not UTF-8, too long, or odd in what it holds.
 */
export type CondensedParse = (bytes: Buffer, start: number, end: number) => JsonObject | null;

/** Memory for the condensed stays bounded; longer lines are few. */
const MAX_CONDENSED_BYTES = 4 * 1024 * 1024;
/** A shorter line holds nothing to leave out. */
const MIN_CONDENSED_BYTES = 256;

let shared: CondensedParse | undefined;

/** One condenser serves all parses of a thread: nothing of a line is left in it. */
export const parseCondensed: CondensedParse = (bytes, start, end) => {
  shared ??= hasWasm() ? createCondensedParse(TEXT_RULES) : () => null;
  return shared(bytes, start, end);
};

export function createCondensedParse(rules: readonly TextRule[]): CondensedParse {
  const memory = new LineMemory();
  const routines = createRoutines(memory, rules);
  const condenser = new Condenser(memory, routines);
  const flat = new FlatReader(memory, routines);
  return (bytes, start, end) => {
    if (end - start > MAX_CONDENSED_BYTES || end - start < MIN_CONDENSED_BYTES) return null;
    memory.load(bytes, start, end);
    const isText = (isHigh: boolean) => !isHigh || isUtf8(bytes.subarray(start, end));
    const small = flat.read();
    if (small !== null) return isText(flat.isHigh) ? small : null;
    const text = condenser.condense();
    if (text === null || !isText(condenser.isHigh)) return null;
    const record = parseObject(text);
    if (record === null || condenser.textCount === 0) return record;
    return putBack(record, condenser) === condenser.textCount ? record : null;
  };
}

function parseObject(text: string): JsonObject | null {
  try {
    return asObject(JSON.parse(text) as JsonValue);
  } catch {
    return null;
  }
}
