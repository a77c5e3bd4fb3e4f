import { journalFields } from './journal-note.ts';
import type { JsonObject } from './transcript.ts';

/**
 * The mark on a session whose secrets were forgotten, in the database and in the journal. As long as it is there, secrets
 * are masked whenever the session is parsed.
 */
export interface MaskNote {
  readonly what: 'session_masked' | 'session_unmasked';
  readonly sessionId: string;
  readonly at: string;
}

/** Reads a note from a journal record; null for any other record. */
export function maskFromJournal(record: JsonObject): MaskNote | null {
  const { what, sessionId, at } = journalFields(record);
  if (typeof at !== 'string' || typeof sessionId !== 'string') return null;
  return what === 'session_masked' || what === 'session_unmasked' ? { what, sessionId, at } : null;
}
