import type { JsonObject } from '../domain/transcript.ts';

/** A line that a crash left half written was never said to be safe: its bytes are found again by the next scan. */
export function* parseJournal(text: string): Generator<JsonObject> {
  for (const line of text.split('\n')) {
    const record = parseLine(line);
    if (record !== null) yield record;
  }
}

function parseLine(line: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}
