import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asList, asObject, asText } from '../read/json.ts';

/** A change to the to-do list as a tool call or its result tells it. */
export interface TodoChange {
  readonly id: string;
  readonly text: string | null;
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
    return [{ id: asText(todo['id']) ?? String(index + 1), text, status: asText(todo['status']) }];
  });
}

/** TaskCreate's result names the new task. */
export function taskCreated(result: JsonObject): TodoChange | null {
  const task = asObject(result['task']);
  const id = asText(task?.['id']);
  return id === null ? null : { id, text: asText(task?.['subject']), status: 'pending' };
}

/** TaskUpdate's input and result name what changed. */
export function taskUpdated(result: JsonObject): TodoChange | null {
  const id = asText(result['taskId']);
  if (id === null || result['success'] === false) return null;
  return { id, text: null, status: asText(asObject(result['statusChange'])?.['to']) };
}
