import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { pickList, pickNumber, pickText } from './pick.ts';
import { isObject, readSideJson, readSideLines, type SideInput, type SideResult } from './side-file.ts';

/** `<session>/workflows/wf_<id>.json`: state of a run of the Workflow tool. */
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
    runId: pickText(value, 'runId'),
    workflowName: pickText(value, 'workflowName'),
    status: pickText(value, 'status'),
    summary: pickText(value, 'summary'),
    error: pickText(value, 'error'),
    agentCount: pickNumber(value, 'agentCount'),
    totalTokens: pickNumber(value, 'totalTokens'),
    totalToolCalls: pickNumber(value, 'totalToolCalls'),
    durationMs: pickNumber(value, 'durationMs'),
    scriptPath: pickText(value, 'scriptPath'),
    phases: objectsIn(value, 'phases').flatMap((phase) => pickText(phase, 'title') ?? []),
    agents: objectsIn(value, 'workflowProgress')
      .filter((entry) => pickText(entry, 'type') === 'workflow_agent')
      .map(agentOf),
    raw: value,
  };
}

function objectsIn(value: JsonObject, key: string): readonly JsonObject[] {
  return pickList(value, key).filter(isObject);
}

function agentOf(entry: JsonObject): WorkflowAgent {
  return {
    agentId: pickText(entry, 'agentId'),
    label: pickText(entry, 'label'),
    phaseIndex: pickNumber(entry, 'phaseIndex'),
    model: pickText(entry, 'model'),
    state: pickText(entry, 'state'),
    tokens: pickNumber(entry, 'tokens'),
    toolCalls: pickNumber(entry, 'toolCalls'),
    durationMs: pickNumber(entry, 'durationMs'),
  };
}

/** A line of `subagents/workflows/wf_<id>/journal.jsonl`: an agent of the run was started or gave its result. */
export interface WorkflowJournalEntry {
  readonly lineNumber: number;
  readonly type: string;
  readonly agentId: string | null;
  readonly key: string | null;
  /** Text or object, as the workflow's script returns it; null where the line has none. */
  readonly result: JsonValue;
}

export function readWorkflowJournal(input: SideInput): SideResult<readonly WorkflowJournalEntry[]> {
  return readSideLines(input, (line, lineNumber, count) => {
    const type = pickText(line, 'type');
    if (type === null) {
      count('bad_entry');
      return null;
    }
    const result = Object.hasOwn(line, 'result') ? (line['result'] ?? null) : null;
    return { lineNumber, type, agentId: pickText(line, 'agentId'), key: pickText(line, 'key'), result };
  });
}
