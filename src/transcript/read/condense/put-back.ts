import type { JsonObject, JsonValue } from '../../../domain/transcript.ts';
import { asList, asObject } from '../json.ts';
import { FIRST_NUMBER_CHAR, MARK_CODE } from './layout.ts';
import { BLOCK_TEXTS, INPUT_TEXTS } from './rules.ts';

/** Where texts wait: null for one that cannot be given. */
interface TextsAside {
  readonly textCount: number;
  text(index: number): string | null;
}

type Changeable = { [key: string]: JsonValue };

/**
 * Puts texts that were set aside back where their marks stand, and gives how many found their place. When it is not all of
 * them (a key stood twice, a text somewhere else), the record is not to be used.
 */
export function putBack(record: JsonObject, aside: TextsAside): number {
  const message = changeable(record['message']);
  if (message === null) return 0;
  let found = restore(message, 'content', aside);
  for (const value of asList(message['content']) ?? []) {
    if (found === aside.textCount) return found;
    const block = changeable(value);
    if (block !== null) found += restoreBlock(block, aside, aside.textCount - found);
  }
  return found;
}

/** Most have one: it stops when it has found as many as there are. */
function restoreBlock(block: Changeable, aside: TextsAside, wanted: number): number {
  let found = 0;
  for (const key of BLOCK_TEXTS) {
    found += restore(block, key, aside);
    if (found === wanted) return found;
  }
  const input = changeable(block['input']);
  if (input !== null) for (const key of INPUT_TEXTS) found += restore(input, key, aside);
  if (found === wanted) return found;
  for (const value of asList(block['content']) ?? []) {
    const part = changeable(value);
    if (part !== null) found += restore(part, 'text', aside) + restoreMedia(part, aside);
  }
  return found + restore(block, 'signature', aside) + restoreMedia(block, aside);
}

function restoreMedia(part: Changeable, aside: TextsAside): number {
  const source = changeable(part['source']);
  return source === null ? 0 : restore(source, 'data', aside);
}

function restore(holder: Changeable, key: string, aside: TextsAside): number {
  const value = holder[key];
  if (typeof value !== 'string' || value.length !== 2 || value.charCodeAt(0) !== MARK_CODE) return 0;
  const text = aside.text(value.charCodeAt(1) - FIRST_NUMBER_CHAR);
  if (text === null) return 0;
  holder[key] = text;
  return 1;
}

/** The record was made for us by JSON.parse a moment ago. */
function changeable(value: JsonValue | undefined): Changeable | null {
  return asObject(value);
}
