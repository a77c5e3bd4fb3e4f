import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { pickFlag, pickList, pickNumber, pickText, pickTimeMs } from './pick.ts';
import { isObject, readSideJson, type CountProblem, type SideInput, type SideResult } from './side-file.ts';

/** `projects/<dir>/sessions-index.json`, about 2.1.20: the list behind the resume picker. */
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

/** Reads the index in both its forms: an object with `entries`, or the bare array. */
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
    version: pickNumber(value, 'version'),
    originalPath: pickText(value, 'originalPath'),
    entries: readEntries(pickList(value, 'entries'), count),
  };
}

function readEntries(values: readonly JsonValue[], count: CountProblem): readonly SessionsIndexEntry[] {
  return values.flatMap((value) => {
    const sessionId = isObject(value) ? pickText(value, 'sessionId') : null;
    if (sessionId !== null && isObject(value)) return [readEntry(sessionId, value)];
    count('bad_entry');
    return [];
  });
}

function readEntry(sessionId: string, entry: JsonObject): SessionsIndexEntry {
  return {
    sessionId,
    fullPath: pickText(entry, 'fullPath'),
    fileMtimeMs: pickTimeMs(entry, 'fileMtime'),
    firstPrompt: pickText(entry, 'firstPrompt'),
    summary: pickText(entry, 'summary'),
    customTitle: pickText(entry, 'customTitle'),
    messageCount: pickNumber(entry, 'messageCount'),
    created: pickText(entry, 'created'),
    modified: pickText(entry, 'modified'),
    gitBranch: pickText(entry, 'gitBranch'),
    projectPath: pickText(entry, 'projectPath'),
    isSidechain: pickFlag(entry, 'isSidechain'),
  };
}
