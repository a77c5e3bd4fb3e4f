import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asId, asList, asNumber, asText, textsOf } from '../read/json.ts';
import {
  type CountProblem,
  isObject,
  readSideJson,
  readSideLines,
  type SideInput,
  type SideResult,
} from './side-file.ts';

/** `tasks/<session>/<n>.json`: the current state of one task. */
export interface TaskFile {
  readonly id: string;
  readonly subject: string | null;
  readonly description: string | null;
  readonly activeForm: string | null;
  readonly owner: string | null;
  readonly status: string | null;
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
  readonly raw: JsonObject;
}

/** `fileId` is the number in the file name; used if the file contains no id. */
export function readTask(input: SideInput, fileId: string): SideResult<TaskFile | null> {
  return readSideJson<TaskFile | null>(input, null, (value, count) => taskOf(value, fileId, count));
}

function taskOf(value: JsonValue, fileId: string, count: CountProblem): TaskFile | null {
  if (!isObject(value)) {
    count('wrong_shape');
    return null;
  }
  return {
    id: asId(value['id']) ?? fileId,
    subject: asText(value['subject']),
    description: asText(value['description']),
    activeForm: asText(value['activeForm']),
    owner: asText(value['owner']),
    status: asText(value['status']),
    blocks: textsOf(value['blocks']),
    blockedBy: textsOf(value['blockedBy']),
    raw: value,
  };
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
  return readSideJson<readonly Todo[]>(input, [], (value, count) => {
    if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap((entry) => todoOf(entry, count));
    count('wrong_shape');
    return [];
  });
}

function todoOf(value: JsonValue, count: CountProblem): readonly Todo[] {
  const content = isObject(value) ? asText(value['content']) : null;
  if (content === null || !isObject(value)) {
    count('bad_entry');
    return [];
  }
  return [
    {
      content,
      status: asText(value['status']),
      activeForm: asText(value['activeForm']),
      id: asId(value['id']),
      priority: asText(value['priority']),
    },
  ];
}

/** Owner of a file in `todos/`. In the main conversation's file both ids are the same. */
export function parseTodoFileName(name: string): { readonly sessionId: string; readonly agentId: string } | null {
  const parts = name.endsWith('.json') ? name.slice(0, -'.json'.length).split('-agent-') : [];
  const [sessionId, agentId] = parts;
  return parts.length === 2 && sessionId && agentId ? { sessionId, agentId } : null;
}

/** `<session>/workflows/wf_<id>.json`: state of a Workflow run. */
export interface WorkflowRun {
  readonly runId: string | null;
  readonly workflowName: string | null;
  readonly status: string | null;
  readonly summary: string | null;
  readonly error: string | null;
  readonly agentCount: number | null;
  readonly totalTokens: number | null;
  readonly totalToolCalls: number | null;
  readonly durationMs: number | null;
  readonly scriptPath: string | null;
  readonly phases: readonly string[];
  readonly agents: readonly WorkflowAgent[];
  readonly raw: JsonObject;
}

export interface WorkflowAgent {
  readonly agentId: string | null;
  readonly label: string | null;
  readonly phaseIndex: number | null;
  readonly model: string | null;
  readonly state: string | null;
  readonly tokens: number | null;
  readonly toolCalls: number | null;
  readonly durationMs: number | null;
}

export function readWorkflowRun(input: SideInput): SideResult<WorkflowRun | null> {
  return readSideJson<WorkflowRun | null>(input, null, (value, count) => {
    if (isObject(value)) return runOf(value);
    count('wrong_shape');
    return null;
  });
}

function runOf(value: JsonObject): WorkflowRun {
  return {
    runId: asText(value['runId']),
    workflowName: asText(value['workflowName']),
    status: asText(value['status']),
    summary: asText(value['summary']),
    error: asText(value['error']),
    agentCount: asNumber(value['agentCount']),
    totalTokens: asNumber(value['totalTokens']),
    totalToolCalls: asNumber(value['totalToolCalls']),
    durationMs: asNumber(value['durationMs']),
    scriptPath: asText(value['scriptPath']),
    phases: objectsIn(value, 'phases').flatMap((phase) => asText(phase['title']) ?? []),
    agents: objectsIn(value, 'workflowProgress')
      .filter((entry) => asText(entry['type']) === 'workflow_agent')
      .map(agentOf),
    raw: value,
  };
}

function objectsIn(value: JsonObject, key: string): readonly JsonObject[] {
  return (asList(value[key]) ?? []).filter(isObject);
}

function agentOf(entry: JsonObject): WorkflowAgent {
  return {
    agentId: asText(entry['agentId']),
    label: asText(entry['label']),
    phaseIndex: asNumber(entry['phaseIndex']),
    model: asText(entry['model']),
    state: asText(entry['state']),
    tokens: asNumber(entry['tokens']),
    toolCalls: asNumber(entry['toolCalls']),
    durationMs: asNumber(entry['durationMs']),
  };
}

/** A line of `subagents/workflows/wf_<id>/journal.jsonl`: an agent of the run was started or returned its result. */
export interface WorkflowJournalEntry {
  readonly lineNumber: number;
  readonly type: string;
  readonly agentId: string | null;
  readonly key: string | null;
  /** Text or object, as returned by the workflow's script; null if the line has none. */
  readonly result: JsonValue;
}

export function readWorkflowJournal(input: SideInput): SideResult<readonly WorkflowJournalEntry[]> {
  return readSideLines(input, (line, lineNumber, count) => {
    const type = asText(line['type']);
    if (type === null) {
      count('bad_entry');
      return null;
    }
    const result = Object.hasOwn(line, 'result') ? (line['result'] ?? null) : null;
    return { lineNumber, type, agentId: asText(line['agentId']), key: asText(line['key']), result };
  });
}
