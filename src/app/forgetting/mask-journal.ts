import { eventsFromJournal, eventsRecord, gitFromJournal } from '../../archive/journal/records.ts';
import { annotationFromJournal } from '../../domain/annotation.ts';
import type { EraseDecision } from '../../domain/ports.ts';
import { viewNoteFromJournal } from '../../domain/saved-view.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import type { SecretMask } from '../../redact/mask-secrets.ts';

/**
 * Decides which lines of the journal are replaced by lines without secrets: hook events and annotations of the masked
 * sessions, and everything that belongs to no session. Lines about archived bytes stay.
 */
export function journalMask(mask: SecretMask, masked: ReadonlySet<string>): EraseDecision {
  return ({ record, text }) => {
    if (record === null) return mask.text(text) === text ? 'keep' : 'erase';
    const after = maskRecord(mask, masked, record);
    return JSON.stringify(after) === JSON.stringify(record) ? 'keep' : after;
  };
}

function maskRecord(mask: SecretMask, masked: ReadonlySet<string>, record: JsonObject): JsonObject {
  const taken = eventsFromJournal(record);
  if (taken !== null) {
    const { at, events, workspaces } = taken;
    const changed = events.map((event) =>
      masked.has(event.session_id) ? { ...event, data: mask.json(event.data) } : event,
    );
    return eventsRecord({ at, events: changed, workspaces });
  }
  const annotation = annotationFromJournal(record);
  if (annotation !== null) {
    const { sessionId } = annotation;
    if (!masked.has(sessionId)) return record;
    if (annotation.what !== 'tagged') return mask.json(record);
    return { ...record, tags: annotation.tags.filter((tag) => mask.text(tag) === tag) };
  }
  return gitFromJournal(record) !== null || viewNoteFromJournal(record) !== null ? mask.json(record) : record;
}
