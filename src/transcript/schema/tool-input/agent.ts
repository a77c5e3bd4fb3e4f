import { z } from 'zod';
import { anything, bool, fields, num, opt, str, strs } from '../kit.ts';
import { todoItem } from '../tool-result/task.ts';

const agent = fields({
  prompt: str,
  description: opt(str),
  subagent_type: opt(str),
  model: opt(str),
  run_in_background: opt(bool),
  resume: opt(str),
  max_turns: opt(num),
  name: opt(str),
  team_name: opt(str),
  mode: opt(str),
  isolation: opt(str),
});

/** Agents, teams, tasks and to-do lists. */
export const AGENT_INPUTS = {
  Task: agent,
  Agent: agent,
  Batch: fields({ description: opt(str), invocations: opt(z.array(anything)) }),
  SendMessage: fields({
    to: opt(str),
    recipient: opt(str),
    message: opt(anything),
    content: opt(str),
    summary: opt(str),
    type: opt(str),
    request_id: opt(str),
    approve: opt(bool),
  }),
  TeamCreate: fields({ team_name: opt(str), description: opt(str), agent_type: opt(str) }),
  TeamDelete: fields({}),
  Workflow: fields({ script: opt(str), name: opt(str), args: opt(anything), scriptPath: opt(str), resume: opt(str) }),
  TaskCreate: fields({ subject: str, description: opt(str), activeForm: opt(str), metadata: opt(anything) }),
  TaskGet: fields({ taskId: str }),
  TaskList: fields({}),
  TaskUpdate: fields({
    taskId: str,
    status: opt(str),
    subject: opt(str),
    description: opt(str),
    activeForm: opt(str),
    owner: opt(str),
    addBlocks: opt(strs),
    addBlockedBy: opt(strs),
    metadata: opt(anything),
  }),
  TaskOutput: fields({ task_id: str, block: opt(bool), timeout: opt(num) }),
  TaskStop: fields({ task_id: opt(str), shell_id: opt(str) }),
  TodoWrite: fields({ todos: z.array(todoItem) }),
  TodoRead: fields({}),
} satisfies Record<string, z.ZodType>;
