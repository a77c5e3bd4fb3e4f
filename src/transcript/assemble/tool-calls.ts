import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import type { FileTouch } from '../../domain/transcript-structure.ts';
import type { LineContext } from '../line/context.ts';
import { asNumber, asObject, asText } from '../read/json.ts';
import {
  type CallEffect,
  type MessageDraft,
  noteAnomaly,
  type SessionState,
  type TodoDraft,
  type ToolCallDraft,
} from '../state.ts';
import { absolutePath, filesOfInput } from '../tool/file-changes.ts';
import { persistedOutputIn } from '../tool/persisted-output.ts';
import { createOutcome, readResultText, resultReaderOf, type ToolOutcome } from '../tool/results.ts';
import {
  agentIdIn,
  spawnOf,
  type TodoChange,
  taskAsked,
  taskCreated,
  taskListed,
  taskUpdated,
  todosWritten,
} from '../tool/tasks.ts';
import { exitCodeIn, isStopped, judgeResult } from '../tool/verdict.ts';
import { noteSessionResult, noteSessionTool } from './session-tools.ts';

const AGENT_TOOLS: ReadonlySet<string> = new Set(['Task', 'Agent']);

/** Records a call. Its result may come before or after it, twice, or never. */
export function noteToolUse(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  const id = asText(block['id']);
  if (id === null || draft.replayOf >= 0) return;
  const call = callOf(context, id);
  call.uses += 1;
  if (call.uses > 1) return;
  const name = asText(block['name']);
  const input = asObject(block['input']);
  call.name = name;
  call.thread = context.thread;
  call.message = context.messageIndex;
  call.startedAt = context.timestamp;
  call.caller = block['caller'] === undefined ? null : asText(asObject(block['caller'])?.['type']);
  if (name === null || input === null) return;
  call.timeoutMs = asNumber(input['timeout']);
  if (AGENT_TOOLS.has(name)) call.spawn = spawnOf(input);
  else call.inputFiles = inFolder(context, filesOfInput(name, input));
  call.effect = effectOf(name, input);
  noteSessionTool(context, name, input, id);
  // A result may precede its call.
  if (call.results > 0) applyEffect(context, call, null, '');
}

/** Records a result and returns the name of its tool, if the call is known. */
export function noteToolResult(context: LineContext, block: JsonObject, text: string | null): string | null {
  const id = asText(block['tool_use_id']);
  if (id === null) return null;
  const call = callOf(context, id);
  // A side question also replays results of the main thread.
  if (call.results > 0 && call.thread !== context.thread) return call.name;
  call.results += 1;
  if (call.results > 1) noteAnomaly(context.state, 'duplicate_tool_result');
  const structured = context.record['toolUseResult'];
  const said = text ?? asText(structured) ?? '';
  // A client that finds a call without a result writes a placeholder; the real result may still follow.
  if (call.results > 1 && isStopped(said, block['is_error'] === true)) return call.name;
  call.resultMessage = context.messageIndex;
  call.endedAt = context.timestamp;
  judge(context, call, block, said);
  call.outcome = outcomeOf(context, call, structured, said);
  if (call.name === null) return null;
  if (AGENT_TOOLS.has(call.name) && call.outcome.agent === null) call.agentInText = agentIdIn(said);
  const result = asObject(structured);
  applyEffect(context, call, result, said);
  noteSessionResult(context, call.name, { call, result, text: said });
  return call.name;
}

function judge({ state, record, thread }: LineContext, call: ToolCallDraft, block: JsonObject, text: string): void {
  call.isError = block['is_error'] === true;
  const isPrinting = asText(record['entrypoint']) === PRINT_MODE;
  const isBypassing = thread === 0 && state.envelope.permissionMode === 'bypassPermissions';
  const verdict = judgeResult(record, call.isError, text, { isUnattended: isPrinting || isBypassing });
  call.denial = verdict.denial;
  call.isStopped = verdict.isStopped;
}

/** Entrypoint of a client in print mode, which prints its answer and exits. */
const PRINT_MODE = 'sdk-cli';

/** After a call that was stopped while running, the next line names the answer; after a refusal it does not. */
export function noteInterruption({ state, record }: LineContext): void {
  const stopped = new Set(state.apiMessages.get(asText(record['interruptedMessageId']) ?? '') ?? []);
  if (stopped.size === 0) return;
  for (const call of state.toolCalls.values()) {
    if (!stopped.has(call.message) || call.denial !== 'user') continue;
    call.denial = null;
    call.isStopped = true;
  }
}

/** The same files with absolute paths, so that each has one name. */
function inFolder({ record }: LineContext, files: readonly FileTouch[]): FileTouch[] {
  const cwd = asText(record['cwd']);
  return files.map((file) => ({ ...file, path: absolutePath(file.path, cwd) }));
}

function outcomeOf(
  context: LineContext,
  call: ToolCallDraft,
  structured: JsonValue | undefined,
  text: string,
): ToolOutcome {
  const outcome = createOutcome();
  const result = asObject(structured);
  if (result !== null) resultReaderOf(call.name, result)(result, outcome);
  else if (!call.isError) readResultText(call.name, text, outcome);
  if (call.isError) outcome.exitCode ??= exitCodeIn(text);
  outcome.persistedOutput ??= persistedOutputIn(text);
  return { ...outcome, files: inFolder(context, outcome.files) };
}

function callOf({ state, thread }: LineContext, id: string): ToolCallDraft {
  const known = state.toolCalls.get(id);
  if (known !== undefined) return known;
  const fresh: ToolCallDraft = {
    id,
    name: null,
    thread,
    message: -1,
    resultMessage: -1,
    uses: 0,
    results: 0,
    startedAt: null,
    endedAt: null,
    isError: false,
    denial: null,
    isStopped: false,
    outcome: null,
    timeoutMs: null,
    inputFiles: [],
    spawn: null,
    agentInText: null,
    caller: null,
    effect: null,
  };
  state.toolCalls.set(id, fresh);
  return fresh;
}

/** To-do lists and tasks change only if the call succeeds; a denied, stopped or failed call changes nothing. */

/** The change a call makes to a list; null for a call that changes none. */
function effectOf(name: string, input: JsonObject): CallEffect | null {
  if (name === 'TodoWrite') return { kind: 'todos', todos: todosWritten(input) ?? [] };
  if (name === 'TaskCreate') return { kind: 'new_task', task: taskAsked(input) };
  if (name !== 'TaskUpdate') return null;
  const task = taskUpdated(input);
  return task === null ? null : { kind: 'task', task };
}

/** Called once both the call and its result are known. */
function applyEffect(context: LineContext, call: ToolCallDraft, result: JsonObject | null, text: string): void {
  const { effect, name } = call;
  if (call.isError || call.isStopped || call.denial !== null) {
    call.effect = null;
    return;
  }
  const { state } = context;
  if (name === 'TaskList' && result !== null)
    for (const task of taskListed(result)) changeTask(state, call.thread, task);
  noteFormer(state, call, result);
  if (effect?.kind === 'todos') replaceTodos(state, call.thread, effect.todos);
  else if (effect?.kind === 'new_task') createTask(state, call.thread, effect.task, taskCreated(result, text));
  else if (effect?.kind === 'task' && result?.['success'] !== false) changeTask(state, call.thread, effect.task);
  call.effect = null;
}

/** The state of a list or task before the call, so that the change can be shown. */
function noteFormer(
  { todos }: SessionState,
  { effect, thread, outcome }: ToolCallDraft,
  result: JsonObject | null,
): void {
  if (outcome === null) return;
  if (effect?.kind === 'todos') {
    // The client knows the list of a session that this one continues.
    const reported = todosWritten({ todos: result?.['oldTodos'] ?? null });
    const known = [...todos.values()].filter((todo) => todo.list === 'todo' && todo.thread === thread);
    const former = (reported ?? known).map(({ text, status }) => ({ text, status: status ?? 'pending' }));
    if (former.length > 0) outcome.details['formerTodos'] = former;
  }
  const task = effect?.kind === 'task' ? todos.get(taskKey(effect.task.id)) : undefined;
  if (task !== undefined) outcome.details['formerTask'] = { text: task.text, status: task.status, owner: task.owner };
}

function taskKey(id: string): string {
  return `task\n${id}`;
}

function replaceTodos(state: SessionState, thread: number, todos: readonly TodoChange[]): void {
  for (const [key, todo] of state.todos) if (todo.list === 'todo' && todo.thread === thread) state.todos.delete(key);
  for (const todo of todos) state.todos.set(`${thread}\n${todo.id}`, createTodo('todo', thread, todo));
}

function createTask(state: SessionState, thread: number, asked: Omit<TodoChange, 'id'>, id: string | null): void {
  if (id !== null) changeTask(state, thread, { ...asked, id, status: 'pending' });
}

/** All agents of a session share one task list. */
function changeTask(state: SessionState, thread: number, change: TodoChange): void {
  const key = taskKey(change.id);
  const known = state.todos.get(key);
  if (known === undefined) {
    state.todos.set(key, createTodo('task', thread, change));
    return;
  }
  known.text = change.text ?? known.text;
  known.description = change.description ?? known.description;
  known.owner = change.owner ?? known.owner;
  known.status = change.status ?? known.status;
}

function createTodo(
  list: TodoDraft['list'],
  thread: number,
  { id, text, description, owner, status }: TodoChange,
): TodoDraft {
  return { id, list, thread, text: text ?? '', description, owner, status: status ?? 'pending' };
}
