import { isJsonObject } from '../../domain/json.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';

/** Helpers return one JSON value as the requested type, or null if it is missing or has another type. */
type Maybe = JsonValue | undefined;

export function asText(value: Maybe): string | null {
  return typeof value === 'string' ? value : null;
}

export function asObject(value: Maybe): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

export function asList(value: Maybe): readonly JsonValue[] | null {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : null;
}

export function asFlag(value: Maybe): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

export function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A finite number; 1e400 parses to Infinity and is rejected. */
export function asNumber(value: Maybe): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** An id; some versions write ids as numbers. */
export function asId(value: Maybe): string | null {
  const number = asNumber(value);
  return number === null ? asText(value) : String(number);
}

export function textsOf(value: Maybe): readonly string[] {
  return (asList(value) ?? []).filter((entry) => typeof entry === 'string');
}

/** Milliseconds since 1970, written as a number or as ISO text. */
export function asTimeMs(value: Maybe): number | null {
  const number = asNumber(value);
  if (number !== null) return number;
  const parsed = Date.parse(asText(value) ?? '');
  return Number.isNaN(parsed) ? null : parsed;
}

/** A token or line count: a safe, whole, non-negative number (also written as 12.0 or -0). */
export function asCount(value: Maybe): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
}

/** True if arrays and objects are nested deeper than `limit`. Never recurses further, so any depth is safe. */
export function isDeeperThan(value: Maybe, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === 'object' && isDeeperThan(inner as JsonValue, limit - 1)) return true;
  }
  return false;
}
