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

const FORMAT = 1;

/** A note as a journal record. */
export function maskToJournal({ what, sessionId, at }: MaskNote): JsonObject {
  return { format: FORMAT, what, sessionId, at };
}

/** Reads a note from a journal record; null for any other record. */
export function maskFromJournal({ format, what, sessionId, at }: JsonObject): MaskNote | null {
  if (format !== FORMAT || typeof at !== 'string' || typeof sessionId !== 'string') return null;
  return what === 'session_masked' || what === 'session_unmasked' ? { what, sessionId, at } : null;
}
