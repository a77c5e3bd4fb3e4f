import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asFlag, asId, asList, asNumber, asObject, asText, asTimeMs } from '../read/json.ts';
import {
  type CountProblem,
  isObject,
  readSideJson,
  readSideLines,
  type SideInput,
  type SideResult,
} from './side-file.ts';

/** One prompt of `history.jsonl`: text typed at the input line, in all projects. Print mode writes none. */
export interface HistoryEntry {
  readonly lineNumber: number;
  /** The text as shown; pasted parts are abbreviated. */
  readonly display: string;
  readonly timestampMs: number | null;
  readonly project: string | null;
  readonly sessionId: string | null;
  readonly pasted: readonly PastedContent[];
}

export interface PastedContent {
  readonly id: string;
  readonly type: string | null;
  /** Null if only the hash is kept. */
  readonly content: string | null;
  readonly contentHash: string | null;
  readonly mediaType: string | null;
  readonly filename: string | null;
}

export function readHistory(input: SideInput): SideResult<readonly HistoryEntry[]> {
  return readSideLines(input, readPrompt);
}

function readPrompt(entry: JsonObject, lineNumber: number, count: CountProblem): HistoryEntry | null {
  const display = asText(entry['display']);
  if (display === null) {
    count('bad_entry');
    return null;
  }
  return {
    lineNumber,
    display,
    timestampMs: asTimeMs(entry['timestamp']),
    project: asText(entry['project']),
    sessionId: asText(entry['sessionId']),
    pasted: readPasted(asObject(entry['pastedContents'])),
  };
}

function readPasted(contents: JsonObject | null): readonly PastedContent[] {
  return Object.entries(contents ?? {}).flatMap(([key, value]) => {
    if (!isObject(value)) return [];
    return [
      {
        id: asId(value['id']) ?? key,
        type: asText(value['type']),
        content: asText(value['content']),
        contentHash: asText(value['contentHash']),
        mediaType: asText(value['mediaType']),
        filename: asText(value['filename']),
      },
    ];
  });
}

/** `projects/<dir>/sessions-index.json`, around 2.1.20: the list behind the resume picker. */
export interface SessionsIndex {
  readonly version: number | null;
  readonly originalPath: string | null;
  readonly entries: readonly SessionsIndexEntry[];
}

export interface SessionsIndexEntry {
  readonly sessionId: string;
  readonly fullPath: string | null;
  readonly fileMtimeMs: number | null;
  readonly firstPrompt: string | null;
  readonly summary: string | null;
  readonly customTitle: string | null;
  readonly messageCount: number | null;
  readonly created: string | null;
  readonly modified: string | null;
  readonly gitBranch: string | null;
  readonly projectPath: string | null;
  readonly isSidechain: boolean | null;
}

const EMPTY: SessionsIndex = { version: null, originalPath: null, entries: [] };

/** Reads both forms of the index: an object with `entries`, or a bare array. */
export function readSessionsIndex(input: SideInput): SideResult<SessionsIndex> {
  return readSideJson(input, EMPTY, readIndex);
}

function readIndex(value: JsonValue, count: CountProblem): SessionsIndex {
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
}

function readEntries(values: readonly JsonValue[], count: CountProblem): readonly SessionsIndexEntry[] {
  return values.flatMap((value) => {
    const sessionId = isObject(value) ? asText(value['sessionId']) : null;
    if (sessionId !== null && isObject(value)) return [readEntry(sessionId, value)];
    count('bad_entry');
    return [];
  });
}

function readEntry(sessionId: string, entry: JsonObject): SessionsIndexEntry {
  return {
    sessionId,
    fullPath: asText(entry['fullPath']),
    fileMtimeMs: asTimeMs(entry['fileMtime']),
    firstPrompt: asText(entry['firstPrompt']),
    summary: asText(entry['summary']),
    customTitle: asText(entry['customTitle']),
    messageCount: asNumber(entry['messageCount']),
    created: asText(entry['created']),
    modified: asText(entry['modified']),
    gitBranch: asText(entry['gitBranch']),
    projectPath: asText(entry['projectPath']),
    isSidechain: asFlag(entry['isSidechain']),
  };
}
