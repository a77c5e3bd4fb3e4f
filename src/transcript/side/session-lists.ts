import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asFlag, asId, asList, asNumber, asObject, asText, asTimeMs } from '../read/json.ts';
import {
  type CountProblem,
  isObject,
  readSideJson,
  readSideLines,
  type SideInput,
  type SideResult,
  texts,
} from './side-file.ts';

/** Reads `history.jsonl`: prompts typed at the input line, in all projects. Print mode writes none. */
export function readHistory(input: SideInput) {
  return readSideLines(input, (entry, lineNumber, count) => {
    const display = asText(entry['display']);
    if (display === null) {
      count('bad_entry');
      return null;
    }
    return {
      lineNumber,
      /** The text as shown; pasted parts are abbreviated. */
      display,
      timestampMs: asTimeMs(entry['timestamp']),
      ...texts(entry, 'project', 'sessionId'),
      pasted: readPasted(asObject(entry['pastedContents'])),
    };
  });
}

/** `content` is null if only the hash is kept. */
function readPasted(contents: JsonObject | null) {
  return Object.entries(contents ?? {}).flatMap(([key, value]) => {
    if (!isObject(value)) return [];
    return [
      { id: asId(value['id']) ?? key, ...texts(value, 'type', 'content', 'contentHash', 'mediaType', 'filename') },
    ];
  });
}

/** `projects/<dir>/sessions-index.json`, around 2.1.20: the list behind the resume picker. */
export interface SessionsIndex {
  readonly version: number | null;
  readonly originalPath: string | null;
  readonly entries: readonly SessionsIndexEntry[];
}

export type SessionsIndexEntry = ReturnType<typeof readEntry>;

const EMPTY: SessionsIndex = { version: null, originalPath: null, entries: [] };

/** Reads both forms of the index: an object with `entries`, or a bare array. */
export function readSessionsIndex(input: SideInput): SideResult<SessionsIndex> {
  return readSideJson(input, EMPTY, (value, count) => {
    if (Array.isArray(value)) return { ...EMPTY, entries: readEntries(value as readonly JsonValue[], count) };
    if (!isObject(value)) {
      count('wrong_shape');
      return EMPTY;
    }
    return {
      version: asNumber(value['version']),
      originalPath: asText(value['originalPath']),
      entries: readEntries(asList(value['entries']) ?? [], count),
    };
  });
}

function readEntries(values: readonly JsonValue[], count: CountProblem): readonly SessionsIndexEntry[] {
  return values.flatMap((value) => {
    const sessionId = isObject(value) ? asText(value['sessionId']) : null;
    if (sessionId !== null && isObject(value)) return [readEntry(sessionId, value)];
    count('bad_entry');
    return [];
  });
}

function readEntry(sessionId: string, entry: JsonObject) {
  return {
    sessionId,
    ...texts(entry, 'fullPath', 'firstPrompt', 'summary', 'customTitle'),
    ...texts(entry, 'created', 'modified', 'gitBranch', 'projectPath'),
    fileMtimeMs: asTimeMs(entry['fileMtime']),
    messageCount: asNumber(entry['messageCount']),
    isSidechain: asFlag(entry['isSidechain']),
  };
}
