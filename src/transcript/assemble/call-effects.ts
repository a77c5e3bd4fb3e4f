import type { JsonObject } from '../../domain/transcript.ts';
import type { LineContext } from '../line/context.ts';
import type { CallEffect, SessionState, TodoDraft, ToolCallDraft } from '../state.ts';
import { type TodoChange, taskAsked, taskCreated, taskListed, taskUpdated, todosWritten } from '../tool/todo.ts';

/** To-do lists and tasks change when a call succeeds: a call that was denied, stopped or failed changes nothing. */

/** What a call will do to a list; null for a call that touches none. */
export function effectOf(name: string, input: JsonObject): CallEffect | null {
  if (name === 'TodoWrite') return { kind: 'todos', todos: todosWritten(input) ?? [] };
  if (name === 'TaskCreate') return { kind: 'new_task', task: taskAsked(input) };
  if (name !== 'TaskUpdate') return null;
  const task = taskUpdated(input);
  return task === null ? null : { kind: 'task', task };
}

/** Called when call and result are both known. */
export function applyEffect(context: LineContext, call: ToolCallDraft, result: JsonObject | null, text: string): void {
  const { effect, name } = call;
  call.effect = null;
  if (call.isError || call.isStopped || call.denial !== null) return;
  const { state } = context;
  if (name === 'TaskList' && result !== null)
    for (const task of taskListed(result)) changeTask(state, call.thread, task);
  if (effect?.kind === 'todos') replaceTodos(state, call.thread, effect.todos);
  else if (effect?.kind === 'new_task') createTask(state, call.thread, effect.task, taskCreated(result, text));
  else if (effect?.kind === 'task' && result?.['success'] !== false) changeTask(state, call.thread, effect.task);
}

function replaceTodos(state: SessionState, thread: number, todos: readonly TodoChange[]): void {
  for (const [key, todo] of state.todos) if (todo.list === 'todo' && todo.thread === thread) state.todos.delete(key);
  for (const todo of todos) state.todos.set(`${thread}\n${todo.id}`, createTodo('todo', thread, todo));
}

function createTask(state: SessionState, thread: number, asked: Omit<TodoChange, 'id'>, id: string | null): void {
  if (id !== null) changeTask(state, thread, { ...asked, id, status: 'pending' });
}

/** One list of tasks serves all agents of a session. */
function changeTask(state: SessionState, thread: number, change: TodoChange): void {
  const key = `task\n${change.id}`;
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
