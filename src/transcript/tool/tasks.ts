import { saidText } from '../../domain/text-origin.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { promptKeyOf } from '../assemble/user-text.ts';
import { asCount, asId, asList, asNumber, asObject, asText } from '../read/json.ts';
import type { SpawnInput } from '../state.ts';
import type { ToolOutcome } from './results.ts';

/**
 * Task, Agent: a finished agent {status completed, agentId, totalTokens, …}, one in the background {status
 * async_launched, agentId, outputFile} or a teammate {status teammate_spawned, agent_id name@team, …}.
 */
export function readAgentResult(result: JsonObject, outcome: ToolOutcome): void {
  const status = asText(result['status']);
  outcome.isBackground = result['isAsync'] === true || status === 'async_launched' || status === 'teammate_spawned';
  outcome.isInterrupted = result['wasInterrupted'] === true;
  outcome.durationMs = outcome.isBackground ? null : asNumber(result['totalDurationMs']);
  const agentId = asText(result['agentId']) ?? asText(result['agent_id']) ?? asText(result['teammate_id']);
  if (agentId === null) return;
  outcome.agent = {
    agentId,
    isTeammate: status === 'teammate_spawned' || asText(result['teammate_id']) !== null,
    status,
    model: asText(result['resolvedModel']) ?? asText(result['model']),
    agentType: asText(result['agentType']) ?? asText(result['agent_type']),
    teamName: asText(result['team_name']),
    name: asText(result['name']),
    color: asText(result['color']),
    tokens: asCount(result['totalTokens']),
    toolUses: asCount(result['totalToolUseCount']),
    durationMs: asNumber(result['totalDurationMs']),
    worktreePath: asText(result['worktreePath']),
    worktreeBranch: asText(result['worktreeBranch']),
  };
}

/** The input of a Task or Agent call. */
export function spawnOf(input: JsonObject): SpawnInput {
  const prompt = asText(input['prompt']);
  return {
    promptKey: prompt === null ? null : promptKeyOf(saidText(prompt)),
    agentType: asText(input['subagent_type']),
    description: asText(input['description']),
    name: asText(input['name']),
    teamName: asText(input['team_name']),
    model: asText(input['model']),
    isBackground: input['run_in_background'] === true,
  };
}

/** `agentId: a2018e5 (for resuming …)`, and for teammates `agent_id: worker@team`. */
const AGENT_ID = /\bagent(?:Id|_id): ?([A-Za-z0-9_@.-]{1,128})/;
/** The id is at the very end, or at the start of a short text. */
const SEARCHED_CHARS = 2048;

export function agentIdIn(text: string): string | null {
  const tail = AGENT_ID.exec(text.slice(-SEARCHED_CHARS));
  return tail?.[1] ?? AGENT_ID.exec(text.slice(0, SEARCHED_CHARS))?.[1] ?? null;
}

/** A change to a to-do list or a task; null leaves a field unchanged. */
export interface TodoChange {
  readonly id: string;
  readonly text: string | null;
  readonly description: string | null;
  readonly owner: string | null;
  readonly status: string | null;
}

/** TodoWrite's input replaces the whole list. */
export function todosWritten(input: JsonValue): readonly TodoChange[] | null {
  const todos = asList(asObject(input)?.['todos']);
  if (todos === null) return null;
  return todos.flatMap((value, index) => {
    const todo = asObject(value);
    const text = asText(todo?.['content']);
    if (todo === null || text === null) return [];
    const id = asText(todo['id']) ?? String(index + 1);
    return [{ id, text, description: null, owner: null, status: asText(todo['status']) }];
  });
}

/** TaskCreate's input. */
export function taskAsked(input: JsonObject): Omit<TodoChange, 'id'> {
  return { text: asText(input['subject']), description: asText(input['description']), owner: null, status: null };
}

/** `Task #1 created successfully: …` */
const CREATED = /^Task #(\S{1,64}) created\b/;

/** The id of the new task, from TaskCreate's result; sub-agent files have only its text. */
export function taskCreated(result: JsonObject | null, text: string): string | null {
  return asId(asObject(result?.['task'])?.['id']) ?? CREATED.exec(text)?.[1] ?? null;
}

/** TaskUpdate's input: the task and its changes. */
export function taskUpdated(input: JsonObject): TodoChange | null {
  const id = asId(input['taskId']);
  return id === null
    ? null
    : { ...taskAsked(input), id, owner: asText(input['owner']), status: asText(input['status']) };
}

/** TaskList's result: the current state of all tasks. */
export function taskListed(result: JsonObject): readonly TodoChange[] {
  return (asList(result['tasks']) ?? []).flatMap((value) => {
    const task = asObject(value);
    const id = asId(task?.['id']);
    if (task === null || id === null) return [];
    return [{ ...taskAsked(task), id, owner: asText(task['owner']), status: asText(task['status']) }];
  });
}
