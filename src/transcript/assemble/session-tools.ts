import type { JsonObject } from '../../domain/transcript.ts';
import type { LineContext } from '../line/context.ts';
import { asObject, asText } from '../read/json.ts';
import type { SessionState, TeamDraft, ThreadDraft } from '../state.ts';
import { type TodoChange, taskCreated, taskUpdated, todosWritten } from '../tool/todo.ts';

/** Calls that change the session itself rather than files: plans, to-do lists, teams. */
export function noteSessionTool(context: LineContext, name: string, input: JsonObject, toolUseId: string): void {
  switch (name) {
    case 'ExitPlanMode':
    case 'exit_plan_mode':
      return notePlan(context, input, toolUseId);
    case 'TodoWrite':
      return replaceTodos(context, todosWritten(input) ?? []);
    case 'TaskUpdate':
      return changeTodo(context, taskUpdated({ ...input, statusChange: { to: input['status'] ?? null } }));
    case 'TeamCreate':
      return noteTeam(context, input);
    case 'TeamDelete':
      return endTeams(context);
    default:
  }
}

/** Results that complete what the call began. */
export function noteSessionResult(context: LineContext, name: string, result: JsonObject): void {
  if (name === 'TaskCreate') changeTodo(context, taskCreated(result));
  else if (name === 'SendMessage') noteSender(context, asObject(result['routing']));
  else if (name === 'TeamCreate') {
    const teamName = asText(result['team_name']);
    if (teamName !== null) teamOf(context.state, teamName).leadAgentId = asText(result['lead_agent_id']);
  }
}

/** A teammate's own files do not name it; its messages do. */
function noteSender({ state, thread }: LineContext, routing: JsonObject | null): void {
  const draft = state.threads[thread] as ThreadDraft;
  if (thread !== 0) draft.agentName ??= asText(routing?.['sender']);
}

function notePlan({ state, messageIndex }: LineContext, input: JsonObject, toolUseId: string): void {
  const plan = asText(input['plan']);
  state.plans.push({
    toolUseId,
    message: messageIndex,
    filePath: asText(input['planFilePath']),
    planningSessionId: null,
    characters: plan?.length ?? 0,
  });
}

function replaceTodos(context: LineContext, changes: readonly TodoChange[]): void {
  const { state, thread } = context;
  for (const [key, todo] of state.todos) if (todo.thread === thread) state.todos.delete(key);
  for (const change of changes) changeTodo(context, change);
}

/** Sets what the change says; an item is known by its thread and id. */
export function changeTodo({ state, thread }: LineContext, change: TodoChange | null): void {
  if (change === null) return;
  const key = `${thread}\n${change.id}`;
  const known = state.todos.get(key);
  if (known === undefined) {
    state.todos.set(key, { id: change.id, thread, text: change.text ?? '', status: change.status ?? 'pending' });
    return;
  }
  known.text = change.text ?? known.text;
  known.status = change.status ?? known.status;
}

function noteTeam({ state, timestamp }: LineContext, input: JsonObject): void {
  const name = asText(input['team_name']);
  if (name === null) return;
  const team = teamOf(state, name);
  team.description = asText(input['description']);
  team.createdAt = timestamp;
}

function endTeams({ state, timestamp }: LineContext): void {
  for (const team of state.teams.values()) team.endedAt ??= timestamp;
}

export function teamOf(state: SessionState, name: string): TeamDraft {
  const known = state.teams.get(name);
  if (known !== undefined) return known;
  const fresh: TeamDraft = {
    name,
    description: null,
    leadAgentId: null,
    createdAt: null,
    endedAt: null,
    messagesBySender: new Map(),
  };
  state.teams.set(name, fresh);
  return fresh;
}
