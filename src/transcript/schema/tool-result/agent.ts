import { z } from 'zod';
import { contentSchema } from '../block.ts';
import { anything, bool, fields, num, opt, str, strs, type Shape, word } from '../kit.ts';
import { nestedLine } from '../message.ts';
import { UsageSchema } from '../usage.ts';
import { openResult, result } from './shape.ts';

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
