import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asId, asList, asObject, asText } from '../read/json.ts';

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
