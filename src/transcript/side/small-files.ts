import { fileName } from '../../domain/file-path.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asFlag, asId, asList, asNumber, asObject, asText, asTimeMs, textsOf } from '../read/json.ts';
import {
  type CountProblem,
  flags,
  numbers,
  readSide,
  readSideJson,
  readSideLines,
  readSideObject,
  type SideInput,
  type SideResult,
  texts,
} from './side-file.ts';

/** Reads `subagents/agent-<id>.meta.json`, since 2.1.80: type of a sub-agent and the call that started it. */
export function readAgentMeta(input: SideInput) {
  return readSideObject(input, (raw) => ({
    ...texts(raw, 'agentType', 'description', 'toolUseId', 'parentAgentId', 'model', 'name', 'teamName'),
    ...texts(raw, 'taskKind', 'workflowPhase', 'worktreePath', 'worktreeBranch'),
    ...numbers(raw, 'spawnDepth'),
    ...flags(raw, 'isBuiltIn', 'isFork', 'finished'),
    raw,
  }));
}

/** Reads `<session>/custom-title.json`, written by /rename: an object with the title, or a bare string. */
export function readCustomTitle(input: SideInput): SideResult<string | null> {
  return readSideJson<string | null>(input, null, (value, count) => {
    const title = titleOf(value)?.trim();
    if (title) return title;
    count('wrong_shape');
    return null;
  });
}

function titleOf(value: JsonValue): string | null {
  if (typeof value === 'string') return value;
  return isJsonObject(value) ? (asText(value['customTitle']) ?? asText(value['title'])) : null;
}

/** Reads `sessions/<pid>.json`: a running client. Removed at exit, left behind after a crash. */
export function readLiveSession(input: SideInput) {
  return readSideObject(input, (raw) => {
    const sessionId = asText(raw['sessionId']);
    if (sessionId === null) return null;
    return {
      sessionId,
      ...numbers(raw, 'pid'),
      ...texts(raw, 'cwd', 'version', 'kind', 'entrypoint', 'name', 'status'),
      startedAtMs: asTimeMs(raw['startedAt']),
      updatedAtMs: asTimeMs(raw['updatedAt']),
      raw,
    };
  });
}

/** `plans/<slug>.md`: a plan written in plan mode. The slug is the session's. */
export interface Plan {
  readonly slug: string;
  /** First heading; null if there is none. */
  readonly title: string | null;
  readonly text: string;
}

const MAX_TITLE_CHARS = 200;
/** A heading after more lines than this is not the title. */
const MAX_LINES_BEFORE_TITLE = 50;

/** `path` may be a file name or a full path of either system. */
export function readPlan(input: SideInput, path: string): SideResult<Plan> {
  const slug = fileName(path).replace(/\.md$/i, '');
  return readSide(input, { slug, title: null, text: '' }, (text) => ({ slug, title: firstHeading(text), text }));
}

function firstHeading(text: string): string | null {
  let fenced = false;
  for (const line of text.split('\n', MAX_LINES_BEFORE_TITLE)) {
    if (line.trimStart().startsWith('```')) fenced = !fenced;
    const title = fenced ? undefined : /^#+ ([^]*)$/.exec(line)?.[1]?.trim();
    if (title) return title.slice(0, MAX_TITLE_CHARS);
  }
  return null;
}

/** Reads `tasks/<session>/<n>.json`, one task. `fileId`, the number in the name, is used if the file has no id. */
export function readTask(input: SideInput, fileId: string) {
  return readSideObject(input, (raw) => ({
    id: asId(raw['id']) ?? fileId,
    ...texts(raw, 'subject', 'description', 'activeForm', 'owner', 'status'),
    blocks: textsOf(raw['blocks']),
    blockedBy: textsOf(raw['blockedBy']),
    raw,
  }));
}

/** One entry of an old to-do list. */
export interface Todo {
  readonly content: string;
  readonly status: string | null;
  readonly activeForm: string | null;
  readonly id: string | null;
  readonly priority: string | null;
}

/** Reads `todos/<session>-agent-<agent>.json` (until 2.1.59): the current list. */
export function readTodos(input: SideInput): SideResult<readonly Todo[]> {
  return readSideJson<readonly Todo[]>(input, [], (list, count) => {
    if (!Array.isArray(list)) count('wrong_shape');
    return (asList(list) ?? []).flatMap((value) => {
      const content = isJsonObject(value) ? asText(value['content']) : null;
      if (content !== null && isJsonObject(value))
        return [{ content, id: asId(value['id']), ...texts(value, 'status', 'activeForm', 'priority') }];
      count('bad_entry');
      return [];
    });
  });
}

/** Reads `<session>/workflows/wf_<id>.json`: state of a Workflow run. */
export function readWorkflowRun(input: SideInput) {
  return readSideObject(input, (raw) => ({
    ...texts(raw, 'runId', 'workflowName', 'status', 'summary', 'error', 'scriptPath'),
    ...numbers(raw, 'agentCount', 'totalTokens', 'totalToolCalls', 'durationMs'),
    phases: objectsIn(raw, 'phases').flatMap((phase) => asText(phase['title']) ?? []),
    agents: objectsIn(raw, 'workflowProgress')
      .filter((entry) => asText(entry['type']) === 'workflow_agent')
      .map((entry) => ({
        ...texts(entry, 'agentId', 'label', 'model', 'state'),
        ...numbers(entry, 'phaseIndex', 'tokens', 'toolCalls', 'durationMs'),
      })),
    raw,
  }));
}

function objectsIn(value: JsonObject, key: string): readonly JsonObject[] {
  return (asList(value[key]) ?? []).filter(isJsonObject);
}

/**
 * Reads `subagents/workflows/wf_<id>/journal.jsonl`: agents of the run that were started or returned their result, which
 * is text or an object; null if the line has none.
 */
export function readWorkflowJournal(input: SideInput) {
  return readSideLines(input, (line, lineNumber, count) => {
    const type = asText(line['type']);
    if (type === null) {
      count('bad_entry');
      return null;
    }
    const result = Object.hasOwn(line, 'result') ? (line['result'] ?? null) : null;
    return { lineNumber, type, ...texts(line, 'agentId', 'key'), result };
  });
}

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
    if (!isJsonObject(value)) return [];
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
    if (!isJsonObject(value)) {
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
    const sessionId = isJsonObject(value) ? asText(value['sessionId']) : null;
    if (sessionId !== null && isJsonObject(value)) return [readEntry(sessionId, value)];
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
