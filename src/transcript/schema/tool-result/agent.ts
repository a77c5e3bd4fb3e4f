import { z } from 'zod';
import { contentSchema } from '../block.ts';
import {
  anything,
  bool,
  fields,
  num,
  openFields,
  openResult,
  opt,
  opts,
  result,
  type Shape,
  str,
  strs,
  word,
} from '../kit.ts';
import { nestedLine, UsageSchema } from '../message.ts';

const toolStats = fields({
  ...opts(num, 'readCount', 'searchCount', 'bashCount', 'editFileCount', 'otherToolCount', 'linesAdded'),
  linesRemoved: opt(num),
});

const agent = {
  ...opts(str, 'agentId', 'agentType', 'prompt', 'description', 'model', 'resolvedModel', 'worktreePath'),
  worktreeBranch: opt(str),
  modelsUsed: opt(strs),
  canContinueAgent: opt(bool),
};

const team = { team_name: opt(str), plan_mode_required: opt(bool) };

const routing = fields(opts(str, 'sender', 'senderColor', 'target', 'targetColor', 'summary', 'content'));

export const AGENT_RESULTS = {
  teammate: result('teammate', 'Task, Agent: a teammate was started.', ['teammate_id'], {
    ...team,
    status: opt(word('teammate_spawned')),
    ...opts(str, 'teammate_id', 'agent_id', 'agentId', 'agent_type', 'resolvedModel', 'name', 'model', 'prompt'),
    ...opts(str, 'color', 'tmux_session_name', 'tmux_window_name', 'tmux_pane_id'),
    is_splitpane: opt(bool),
  }),
  agent_launched: result('agent_launched', 'Task, Agent: started in the background.', ['agentId', 'outputFile'], {
    ...agent,
    status: opt(word('async_launched')),
    ...opts(bool, 'isAsync', 'canReadOutputFile'),
    outputFile: opt(str),
  }),
  agent: result('agent', 'Task, Agent: finished, with its answer and usage.', ['totalToolUseCount', 'totalTokens'], {
    ...agent,
    status: opt(word('completed')),
    content: opt(contentSchema),
    ...opts(num, 'totalDurationMs', 'totalTokens', 'totalToolUseCount'),
    toolStats: opt(toolStats),
    usage: opt(UsageSchema),
    wasInterrupted: opt(bool),
    toolsUsed: opt(strs),
    ...opts(num, 'harnessNoteCount', 'harnessTailCount'),
    harnessSectionHash: opt(str),
  }),
  batch: result('batch', 'Batch: several calls in one (0.2).', ['orderedToolResults'], {
    orderedToolResults: opt(anything),
    normalizedMessages: opt(z.array(nestedLine)),
    ...opts(anything, 'resolvedInvocations', 'usage'),
    ...opts(num, 'totalToolCalls', 'totalTokens', 'totalDurationMs'),
  }),
  team_created: result('team_created', 'TeamCreate.', ['team_file_path'], {
    ...team,
    ...opts(str, 'team_file_path', 'lead_agent_id'),
  }),
  team_deleted: result('team_deleted', 'TeamDelete.', ['success', 'team_name'], {
    ...team,
    success: opt(bool),
    message: opt(str),
  }),
  message_sent: openResult('message_sent', 'SendMessage: to a teammate or a finished agent.', ['success', 'message'], {
    success: opt(bool),
    message: opt(str),
    routing: opt(routing),
    ...opts(str, 'target', 'request_id', 'resumedAgentId'),
    pin: opt(anything),
  }),
  workflow: result(
    'workflow',
    'Workflow: started in the background.',
    ['runId', 'transcriptDir'],
    opts(str, 'status', 'runId', 'taskId', 'taskType', 'workflowName', 'summary', 'scriptPath', 'transcriptDir'),
  ),
} satisfies Record<string, Shape>;

/** One entry of a to-do list; id and priority until 1.0, activeForm since then. */
export const todoItem = fields({
  content: opt(str),
  status: opt(word('pending', 'in_progress', 'completed')),
  ...opts(str, 'activeForm', 'id'),
  priority: opt(word('high', 'medium', 'low')),
});

export const task = fields({
  ...opts(str, 'id', 'subject', 'description', 'status', 'activeForm', 'owner'),
  ...opts(strs, 'blocks', 'blockedBy'),
  metadata: opt(anything),
});

const background = openFields({
  task_id: opt(str),
  task_type: opt(word('local_bash', 'local_agent')),
  ...opts(str, 'status', 'description', 'output', 'prompt', 'result'),
  exitCode: opt(num),
  error: opt(anything),
});

export const TASK_RESULTS = {
  todos: result('todos', 'TodoWrite: the list before and after.', ['oldTodos', 'newTodos'], {
    oldTodos: opt(z.array(todoItem)),
    newTodos: opt(z.array(todoItem)),
    verificationNudgeNeeded: opt(bool),
  }),
  task_output: result('task_output', 'TaskOutput: state of a background task.', ['retrieval_status'], {
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
  task_stopped: result(
    'task_stopped',
    'TaskStop.',
    ['task_id', 'task_type'],
    opts(str, 'task_id', 'task_type', 'message', 'command'),
  ),
  task_list: result('task_list', 'TaskList.', ['tasks'], { tasks: opt(z.array(task)) }),
  task: result('task', 'TaskCreate, TaskGet: one task; null if there is none.', ['task'], { task: opt(task) }),
} satisfies Record<string, Shape>;
