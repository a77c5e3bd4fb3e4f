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
  result,
  type Shape,
  str,
  strs,
  word,
} from '../kit.ts';
import { nestedLine, UsageSchema } from '../message.ts';

const toolStats = fields({
  readCount: opt(num),
  searchCount: opt(num),
  bashCount: opt(num),
  editFileCount: opt(num),
  otherToolCount: opt(num),
  linesAdded: opt(num),
  linesRemoved: opt(num),
});

const agent = {
  agentId: opt(str),
  agentType: opt(str),
  prompt: opt(str),
  description: opt(str),
  model: opt(str),
  resolvedModel: opt(str),
  modelsUsed: opt(strs),
  worktreePath: opt(str),
  worktreeBranch: opt(str),
  canContinueAgent: opt(bool),
};

const team = { team_name: opt(str), plan_mode_required: opt(bool) };

const routing = fields({
  sender: opt(str),
  senderColor: opt(str),
  target: opt(str),
  targetColor: opt(str),
  summary: opt(str),
  content: opt(str),
});

export const AGENT_RESULTS = {
  teammate: result('teammate', 'Task, Agent: a teammate was started.', ['teammate_id'], {
    ...team,
    status: opt(word('teammate_spawned')),
    teammate_id: opt(str),
    agent_id: opt(str),
    agentId: opt(str),
    agent_type: opt(str),
    resolvedModel: opt(str),
    name: opt(str),
    model: opt(str),
    prompt: opt(str),
    color: opt(str),
    is_splitpane: opt(bool),
    tmux_session_name: opt(str),
    tmux_window_name: opt(str),
    tmux_pane_id: opt(str),
  }),
  agent_launched: result('agent_launched', 'Task, Agent: started in the background.', ['agentId', 'outputFile'], {
    ...agent,
    status: opt(word('async_launched')),
    isAsync: opt(bool),
    outputFile: opt(str),
    canReadOutputFile: opt(bool),
  }),
  agent: result('agent', 'Task, Agent: finished, with its answer and usage.', ['totalToolUseCount', 'totalTokens'], {
    ...agent,
    status: opt(word('completed')),
    content: opt(contentSchema),
    totalDurationMs: opt(num),
    totalTokens: opt(num),
    totalToolUseCount: opt(num),
    toolStats: opt(toolStats),
    usage: opt(UsageSchema),
    wasInterrupted: opt(bool),
    toolsUsed: opt(strs),
    harnessNoteCount: opt(num),
    harnessTailCount: opt(num),
    harnessSectionHash: opt(str),
  }),
  batch: result('batch', 'Batch: several calls in one (0.2).', ['orderedToolResults'], {
    orderedToolResults: opt(anything),
    normalizedMessages: opt(z.array(nestedLine)),
    resolvedInvocations: opt(anything),
    totalToolCalls: opt(num),
    totalTokens: opt(num),
    totalDurationMs: opt(num),
    usage: opt(anything),
  }),
  team_created: result('team_created', 'TeamCreate.', ['team_file_path'], {
    ...team,
    team_file_path: opt(str),
    lead_agent_id: opt(str),
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
    target: opt(str),
    request_id: opt(str),
    pin: opt(anything),
    resumedAgentId: opt(str),
  }),
  workflow: result('workflow', 'Workflow: started in the background.', ['runId', 'transcriptDir'], {
    status: opt(str),
    runId: opt(str),
    taskId: opt(str),
    taskType: opt(str),
    workflowName: opt(str),
    summary: opt(str),
    scriptPath: opt(str),
    transcriptDir: opt(str),
  }),
} satisfies Record<string, Shape>;

/** One entry of a to-do list; id and priority until 1.0, activeForm since then. */
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
  task_stopped: result('task_stopped', 'TaskStop.', ['task_id', 'task_type'], {
    task_id: opt(str),
    task_type: opt(str),
    message: opt(str),
    command: opt(str),
  }),
  task_list: result('task_list', 'TaskList.', ['tasks'], { tasks: opt(z.array(task)) }),
  task: result('task', 'TaskCreate, TaskGet: one task; null if there is none.', ['task'], { task: opt(task) }),
} satisfies Record<string, Shape>;
