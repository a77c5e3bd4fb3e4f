import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asId, asList, asText, asTimeMs, textsOf } from '../read/json.ts';
import {
  flags,
  isObject,
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
  return isObject(value) ? (asText(value['customTitle']) ?? asText(value['title'])) : null;
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

/** `fileName` may be a full path of either system. */
export function readPlan(input: SideInput, fileName: string): SideResult<Plan> {
  const slug = (fileName.split(/[\\/]/).at(-1) ?? '').replace(/\.md$/i, '');
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
      const content = isObject(value) ? asText(value['content']) : null;
      if (content !== null && isObject(value))
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
  return (asList(value[key]) ?? []).filter(isObject);
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
