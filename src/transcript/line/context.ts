import type { JsonObject, LinePosition, TranscriptSink } from '../../domain/transcript.ts';
import type { FileState, SessionState } from '../state.ts';

/** What a reader of one line type gets to see. */
export interface LineContext {
  readonly state: SessionState;
  readonly sink: TranscriptSink;
  readonly file: FileState;
  readonly record: JsonObject;
  readonly position: LinePosition;
  /** Thread of the line; 0 is the main conversation. */
  readonly thread: number;
  /** The line was copied from another session. */
  readonly isInherited: boolean;
  /** Index of the message that the line opened or went on with; -1 before that. */
  messageIndex: number;
}

/** How a line type is understood: what it adds to the session. */
export type LineReader = (context: LineContext) => void;
