import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { pickId, pickText, pickTexts } from './pick.ts';
import { isObject, readSideJson, type CountProblem, type SideInput, type SideResult } from './side-file.ts';

/** `tasks/<session>/<n>.json`: one entry of the task list, as it stands now. */
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

/** `fileId` is the number in the file name; it stands in where the file names no id. */
export function readTask(input: SideInput, fileId: string): SideResult<TaskFile | null> {
  return readSideJson<TaskFile | null>(input, null, (value, count) => taskOf(value, fileId, count));
}

function taskOf(value: JsonValue, fileId: string, count: CountProblem): TaskFile | null {
  if (!isObject(value)) {
    count('wrong_shape');
    return null;
  }
  return {
    id: pickId(value, 'id') ?? fileId,
    subject: pickText(value, 'subject'),
    description: pickText(value, 'description'),
    activeForm: pickText(value, 'activeForm'),
    owner: pickText(value, 'owner'),
    status: pickText(value, 'status'),
    blocks: pickTexts(value, 'blocks'),
    blockedBy: pickTexts(value, 'blockedBy'),
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

/** Reads `todos/<session>-agent-<agent>.json` (until 2.1.59): the list, as it stands now. */
export function readTodos(input: SideInput): SideResult<readonly Todo[]> {
  return readSideJson<readonly Todo[]>(input, [], (value, count) => {
    if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap((entry) => todoOf(entry, count));
    count('wrong_shape');
    return [];
  });
}

function todoOf(value: JsonValue, count: CountProblem): readonly Todo[] {
  const content = isObject(value) ? pickText(value, 'content') : null;
  if (content === null || !isObject(value)) {
    count('bad_entry');
    return [];
  }
  return [
    {
      content,
      status: pickText(value, 'status'),
      activeForm: pickText(value, 'activeForm'),
      id: pickId(value, 'id'),
      priority: pickText(value, 'priority'),
    },
  ];
}

/** Whose list a file of `todos/` is. In the main conversation's file both ids are the same. */
export function parseTodoFileName(name: string): { readonly sessionId: string; readonly agentId: string } | null {
  const parts = name.endsWith('.json') ? name.slice(0, -'.json'.length).split('-agent-') : [];
  const [sessionId, agentId] = parts;
  return parts.length === 2 && sessionId && agentId ? { sessionId, agentId } : null;
}
