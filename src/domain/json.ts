import type { JsonObject, JsonValue } from './transcript.ts';

/** Structured values are kept up to this depth; deeper nesting stays in the raw bytes. */
export const MAX_JSON_DEPTH = 200;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for text that is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
