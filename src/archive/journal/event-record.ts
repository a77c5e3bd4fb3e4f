import type { Event } from '../../domain/event.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import type { SeenFolder, WorkspaceIdentity } from '../../domain/workspace.ts';
import { fromJournal } from '../../domain/workspace-note.ts';

const FORMAT = 1;
const WHAT = 'events_taken';

/** The workspace of a session that was first reported by a hook, as its machine saw it then. */
export interface ReportedWorkspace {
  readonly sessionId: string;
  readonly deviceId: string;
  readonly workspace: WorkspaceIdentity;
  readonly folder: SeenFolder | null;
}

/** Hook events that were accepted together. No transcript contains them, so the journal keeps them. */
export interface AcceptedEvents {
  readonly at: string;
  readonly events: readonly Event[];
  readonly workspaces: readonly ReportedWorkspace[];
}

/** Accepted events as one line of the journal. */
export function eventsRecord({ at, events, workspaces }: AcceptedEvents): JsonObject {
  return {
    format: FORMAT,
    at,
    what: WHAT,
    events: events.map(toRecord),
    places: workspaces.map(({ sessionId, deviceId, workspace: { canonicalId, displayName }, folder }) => {
      return { sessionId, deviceId, workspace: { canonicalId, displayName }, folder: folder && { ...folder } };
    }),
  };
}

function toRecord({ id, type, timestamp, device_id, session_id, data }: Event): JsonObject {
  return { id, type, timestamp, device_id, session_id, data };
}

/** The events in a line of the journal; null for a line of another kind. */
export function eventsFromJournal({ format, at, what, events, places }: JsonObject): AcceptedEvents | null {
  if (format !== FORMAT || what !== WHAT || typeof at !== 'string' || !Array.isArray(events)) return null;
  return {
    at,
    events: events.flatMap(readEvent),
    workspaces: Array.isArray(places) ? places.flatMap((value) => readWorkspace(at, value)) : [],
  };
}

function readEvent(value: JsonValue): readonly Event[] {
  if (!isObject(value)) return [];
  const { id, type, timestamp, device_id, session_id, data } = value;
  if (typeof id !== 'string' || typeof type !== 'string' || typeof timestamp !== 'string') return [];
  if (typeof device_id !== 'string' || typeof session_id !== 'string' || !isObject(data)) return [];
  return [{ id, type: type as Event['type'], timestamp, device_id, session_id, data }];
}

/** A workspace has the fields of the record that a parsed session leaves. */
function readWorkspace(at: string, value: JsonValue): readonly ReportedWorkspace[] {
  const note = isObject(value) ? fromJournal({ ...value, format: FORMAT, at, what: 'session_seen' }) : null;
  return note?.what === 'session_seen' ? [note] : [];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
