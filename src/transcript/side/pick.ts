import type { JsonObject, JsonValue } from '../../domain/transcript.ts';

/** A field by its JSON type; null when it is missing or of another type. */
export function pickText(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === 'string' ? value : null;
}

export function pickNumber(object: JsonObject, key: string): number | null {
  const value = object[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function pickFlag(object: JsonObject, key: string): boolean | null {
  const value = object[key];
  return typeof value === 'boolean' ? value : null;
}

export function pickTexts(object: JsonObject, key: string): readonly string[] {
  return pickList(object, key).filter((entry) => typeof entry === 'string');
}

export function pickList(object: JsonObject, key: string): readonly JsonValue[] {
  const value = object[key];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

export function pickObject(object: JsonObject, key: string): JsonObject | null {
  const value = object[key];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** An id that some versions write as a number. */
export function pickId(object: JsonObject, key: string): string | null {
  const number = pickNumber(object, key);
  return number === null ? pickText(object, key) : String(number);
}

/** A moment in milliseconds since 1970, written as a number or as ISO text. */
export function pickTimeMs(object: JsonObject, key: string): number | null {
  const number = pickNumber(object, key);
  if (number !== null) return number;
  const parsed = Date.parse(pickText(object, key) ?? '');
  return Number.isNaN(parsed) ? null : parsed;
}
