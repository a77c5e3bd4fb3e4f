import type { JsonObject, JsonValue } from '../../domain/transcript.ts';

/** Tolerant looks at one JSON value: the thing asked for, or null. */
type Maybe = JsonValue | undefined;

export function asText(value: Maybe): string | null {
  return typeof value === 'string' ? value : null;
}

export function asObject(value: Maybe): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function asList(value: Maybe): readonly JsonValue[] | null {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : null;
}

export function asFlag(value: Maybe): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** A finite number; 1e400 parses to Infinity and is none. */
export function asNumber(value: Maybe): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A token or line count: a safe, whole, non-negative number (also written as 12.0 or -0). */
export function asCount(value: Maybe): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
}

/** Structured values are kept up to this depth; what is nested deeper stays in the raw bytes. */
export const MAX_JSON_DEPTH = 200;

/** True when arrays and objects are nested deeper than `limit`; looks no deeper than that, so any depth is safe. */
export function isDeeperThan(value: Maybe, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === 'object' && isDeeperThan(inner as JsonValue, limit - 1)) return true;
  }
  return false;
}
