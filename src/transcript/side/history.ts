import type { JsonObject } from '../../domain/transcript.ts';
import { pickId, pickObject, pickText, pickTimeMs } from './pick.ts';
import { isObject, readSideLines, type CountProblem, type SideInput, type SideResult } from './side-file.ts';

/** One prompt of `history.jsonl`: what was typed at the input line, in all projects. Print mode leaves none. */
export interface HistoryEntry {
  readonly lineNumber: number;
  /** The text as shown; pasted parts are short marks here. */
  readonly display: string;
  readonly timestampMs: number | null;
  readonly project: string | null;
  readonly sessionId: string | null;
  readonly pasted: readonly PastedContent[];
}

export interface PastedContent {
  readonly id: string;
  readonly type: string | null;
  /** Null where only the hash is kept. */
  readonly content: string | null;
  readonly contentHash: string | null;
  readonly mediaType: string | null;
  readonly filename: string | null;
}

export function readHistory(input: SideInput): SideResult<readonly HistoryEntry[]> {
  return readSideLines(input, readEntry);
}

function readEntry(entry: JsonObject, lineNumber: number, count: CountProblem): HistoryEntry | null {
  const display = pickText(entry, 'display');
  if (display === null) {
    count('bad_entry');
    return null;
  }
  return {
    lineNumber,
    display,
    timestampMs: pickTimeMs(entry, 'timestamp'),
    project: pickText(entry, 'project'),
    sessionId: pickText(entry, 'sessionId'),
    pasted: readPasted(pickObject(entry, 'pastedContents')),
  };
}

function readPasted(contents: JsonObject | null): readonly PastedContent[] {
  return Object.entries(contents ?? {}).flatMap(([key, value]) => {
    if (!isObject(value)) return [];
    return [
      {
        id: pickId(value, 'id') ?? key,
        type: pickText(value, 'type'),
        content: pickText(value, 'content'),
        contentHash: pickText(value, 'contentHash'),
        mediaType: pickText(value, 'mediaType'),
        filename: pickText(value, 'filename'),
      },
    ];
  });
}
