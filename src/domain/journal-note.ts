import type { JsonObject, JsonValue } from './transcript.ts';

/** The format of the journal's records. */
export const JOURNAL_FORMAT = 1;

interface Note {
  readonly at: string;
  readonly what: string;
}

/** Converts what no transcript contains to a journal record. */
export function toJournal<T extends Note>(note: T): JsonObject {
  return { format: JOURNAL_FORMAT, ...(note as Note) };
}

/** The fields of a journal record; none if its format is newer. */
export function journalFields(record: JsonObject): Readonly<Record<string, JsonValue | undefined>> {
  return record.format === JOURNAL_FORMAT ? record : {};
}
