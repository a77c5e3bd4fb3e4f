import type { JsonObject, JsonValue, LinePosition, TranscriptSink } from '../../domain/transcript.ts';
import { isPlausibleTime } from '../assemble/timestamp.ts';
import { noteAnomaly } from '../note.ts';
import { asObject, asText } from '../read/json.ts';
import type { FileState, SessionState } from '../state.ts';

export interface LinePlace {
  readonly state: SessionState;
  readonly sink: TranscriptSink;
  readonly file: FileState;
  readonly record: JsonObject;
  readonly position: LinePosition;
  /** Thread of the line; 0 is the main conversation. */
  readonly thread: number;
  /** The line stands in the beginning that was copied from another session. */
  readonly isInherited: boolean;
  /** The session that the line itself says it was copied from. */
  readonly copiedFrom: string | null;
}

/** What a reader of one line type gets to see. Fields that many ask for are taken from the record once. */
export interface LineContext extends LinePlace {
  readonly uuid: string | null;
  readonly parentUuid: string | null;
  /** Null for a line without a time, and for one whose clock was wrong. */
  readonly timestamp: string | null;
  readonly message: JsonObject | null;
  readonly isSidechain: boolean;
  /** Index of the message that the line opened or went on with; -1 before that. */
  messageIndex: number;
}

/** How a line type is understood: what it adds to the session. */
export type LineReader = (context: LineContext) => void;

export function createContext(place: LinePlace): LineContext {
  const { record } = place;
  return {
    ...place,
    uuid: asText(record['uuid']),
    parentUuid: asText(record['parentUuid']),
    timestamp: checkedTime(place.state, record['timestamp']),
    message: asObject(record['message']),
    isSidechain: record['isSidechain'] === true,
    messageIndex: -1,
  };
}

/** Implausible times (a clock in 1970 or 9999, text that is not a time) are counted and never used. */
function checkedTime(state: SessionState, value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && isPlausibleTime(value)) return value;
  noteAnomaly(state, 'bad_timestamp');
  return null;
}
