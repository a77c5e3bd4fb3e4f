import { isJsonObject, parseJson } from '../../domain/json.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import { sha256Hex } from '../../lib/sha256.ts';

const CHECK_CHARS = 16;
/** Erased lines keep their length, so that others can append meanwhile. */
export const ERASED = ' ';
const CHECKED = /,"check":"([0-9a-f]{16})"\}$/;

/** Serializes a record as a line with a checksum. */
export function journalLine(record: JsonObject): string {
  const text = JSON.stringify(record);
  return `${text.slice(0, -1)},"check":"${checkOf(text)}"}\n`;
}

function checkOf(text: string): string {
  return sha256Hex(text).slice(0, CHECK_CHARS);
}

/** Parses a line; null for an empty line and for one whose erasure was interrupted, which begins with a space. Lines of fuel-code 0.1 have no checksum and are accepted if they are JSON. */
export function parseJournalLine(line: string): JsonObject | 'damaged' | null {
  if (line.startsWith(ERASED) || line.trim() === '') return null;
  const check = CHECKED.exec(line);
  const text = check === null ? line : `${line.slice(0, check.index)}}`;
  if (check !== null && check[1] !== checkOf(text)) return 'damaged';
  const value = parseJson(text);
  return isJsonObject(value) ? value : 'damaged';
}
