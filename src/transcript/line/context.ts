import type { JsonObject, LinePosition, TranscriptSink } from '../../domain/transcript.ts';
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
  /** The line was copied from another session. */
  readonly isInherited: boolean;
}

/** What a reader of one line type gets to see. Fields that many ask for are taken from the record once. */
export interface LineContext extends LinePlace {
  readonly uuid: string | null;
  readonly parentUuid: string | null;
  readonly timestamp: string | null;
  readonly message: JsonObject | null;
  readonly isSidechain: boolean;
  /** Index of the message that the line opened or went on with; -1 before that. */
  messageIndex: number;
}

/** How a line type is understood: what it adds to the session. */
export type LineReader = (context: LineContext) => void;

export function createContext({ state, sink, file, record, position, thread, isInherited }: LinePlace): LineContext {
  return {
    state,
    sink,
    file,
    record,
    position,
    thread,
    isInherited,
    uuid: asText(record['uuid']),
    parentUuid: asText(record['parentUuid']),
    timestamp: asText(record['timestamp']),
    message: asObject(record['message']),
    isSidechain: record['isSidechain'] === true,
    messageIndex: -1,
  };
}
