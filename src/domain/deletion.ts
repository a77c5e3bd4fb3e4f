import { MINUTE_MS } from './durations.ts';
import { FuelError } from './errors.ts';
import { journalFields } from './journal-note.ts';
import type { JsonObject, JsonValue } from './transcript.ts';

/**
 * The mark that a deleted session leaves, in the database and in the journal: ids and times, nothing of its content.
 * Anything that arrives for the session later is dropped.
 */
export interface Deletion {
  readonly sessionId: string;
  readonly at: string;
  /** From then on its bytes are removed; until then it can be restored. */
  readonly purgeAt: string;
  /** Files beside the transcript that only this session used and whose paths do not name it: plans, team files. */
  readonly fileIds: readonly string[];
  /** Sessions that began as a copy of this one. */
  readonly forks: readonly string[];
}

/**
 * A process that was writing when a session was deleted may write its last record after the purge. So a second purge
 * follows when that process has ended or seen the deletion.
 */
export const SETTLE_MS = 2 * MINUTE_MS;

export type DeletionNote =
  | ({ readonly what: 'session_deleted' } & Deletion)
  | { readonly what: 'session_undeleted'; readonly sessionId: string; readonly at: string };

export function sessionDeleted(sessionId: string): FuelError {
  return new FuelError('gone', `Session ${sessionId} was deleted.`, {
    hint: `If its bytes are still there, \`fuel-code delete --undo ${sessionId}\` brings it back.`,
  });
}

/** Reads a note from a journal record; null for any other record. */
export function deletionFromJournal(record: JsonObject): DeletionNote | null {
  const { at, what, sessionId, purgeAt, fileIds, forks } = journalFields(record);
  if (typeof at !== 'string' || typeof sessionId !== 'string') return null;
  if (what === 'session_undeleted') return { what, sessionId, at };
  if (what !== 'session_deleted' || typeof purgeAt !== 'string') return null;
  return { what, sessionId, at, purgeAt, fileIds: texts(fileIds), forks: texts(forks) };
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The deletions in force after all notes, in the order of their times. */
export function deletionsAfter(notes: readonly DeletionNote[]): ReadonlyMap<string, Deletion> {
  const deletions = new Map<string, Deletion>();
  for (const note of notes) {
    if (note.what === 'session_undeleted') deletions.delete(note.sessionId);
    else deletions.set(note.sessionId, merge(deletions.get(note.sessionId), note));
  }
  return deletions;
}

/** A session can be deleted once more, to remove its bytes earlier. */
function merge(before: Deletion | undefined, { sessionId, at, purgeAt, fileIds, forks }: Deletion): Deletion {
  if (before === undefined) return { sessionId, at, purgeAt, fileIds, forks };
  return {
    sessionId,
    at: before.at,
    purgeAt: purgeAt < before.purgeAt ? purgeAt : before.purgeAt,
    fileIds: [...new Set([...before.fileIds, ...fileIds])],
    forks: [...new Set([...before.forks, ...forks])],
  };
}
