import { z } from 'zod';
import { anything, bool, fields, num, openFields, opt, str, strs, type Shape, word } from '../kit.ts';
import { result } from './shape.ts';

/** One entry of a to-do list; id and priority until 1.0, activeForm since. */
export const todoItem = fields({
  content: opt(str),
  status: opt(word('pending', 'in_progress', 'completed')),
  activeForm: opt(str),
  id: opt(str),
  priority: opt(word('high', 'medium', 'low')),
});

const task = fields({
  id: opt(str),
  subject: opt(str),
  description: opt(str),
  status: opt(str),
  activeForm: opt(str),
  owner: opt(str),
  blocks: opt(strs),
  blockedBy: opt(strs),
  metadata: opt(anything),
});

const background = openFields({
  task_id: opt(str),
  task_type: opt(word('local_bash', 'local_agent')),
  status: opt(str),
  description: opt(str),
  output: opt(str),
  exitCode: opt(num),
  prompt: opt(str),
  result: opt(str),
  error: opt(anything),
});

export const TASK_RESULTS = {
  todos: result('todos', 'TodoWrite: the list before and after.', ['oldTodos', 'newTodos'], {
    oldTodos: opt(z.array(todoItem)),
    newTodos: opt(z.array(todoItem)),
    verificationNudgeNeeded: opt(bool),
  }),
  task_output: result('task_output', 'TaskOutput: a background task looked at.', ['retrieval_status'], {
    retrieval_status: opt(word('success', 'timeout', 'not_ready')),
    task: opt(background),
  }),
  task_updated: result('task_updated', 'TaskUpdate.', ['taskId', 'updatedFields'], {
    success: opt(bool),
    taskId: opt(str),
    updatedFields: opt(strs),
    statusChange: opt(fields({ from: opt(str), to: opt(str) })),
    verificationNudgeNeeded: opt(bool),
    error: opt(str),
  }),
  task_stopped: result('task_stopped', 'TaskStop.', ['task_id', 'task_type'], {
    task_id: opt(str),
    task_type: opt(str),
    message: opt(str),
    command: opt(str),
  }),
  task_list: result('task_list', 'TaskList.', ['tasks'], { tasks: opt(z.array(task)) }),
  task: result('task', 'TaskCreate, TaskGet: one task; null where there is none.', ['task'], { task: opt(task) }),
} satisfies Record<string, Shape>;
