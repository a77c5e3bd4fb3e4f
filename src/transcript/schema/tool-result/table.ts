import { z } from 'zod';
import { type McpContent, McpContentSchema } from '../block.ts';
import {
  anything,
  bool,
  fields,
  num,
  openResult,
  opt,
  opts,
  result,
  type Shape,
  str,
  strs,
  variantRules,
  variantsByShape,
  word,
} from '../kit.ts';
import { AGENT_RESULTS, TASK_RESULTS } from './agent.ts';
import { FILE_RESULTS, SEARCH_RESULTS, SHELL_RESULTS } from './file.ts';

const option = fields({ label: opt(str), description: opt(str), preview: opt(str) });
const question = fields({
  ...opts(str, 'question', 'header'),
  multiSelect: opt(bool),
  options: opt(z.array(option)),
});

const finding = fields({
  ...opts(str, 'file', 'summary', 'short_summary', 'category', 'failure_scenario', 'verdict', 'outcome'),
  line: opt(num),
});

/** Plans, questions, skills, schedules, worktrees, pages. */
const SESSION_RESULTS = {
  questions: result('questions', 'AskUserQuestion: the questions and the answers.', ['questions', 'answers'], {
    questions: opt(z.array(question)),
    answers: opt(z.record(str, anything)),
    annotations: opt(z.record(str, anything)),
  }),
  plan: result('plan', 'ExitPlanMode: the approved plan.', ['plan'], {
    ...opts(str, 'plan', 'filePath'),
    ...opts(bool, 'isAgent', 'hasTaskTool', 'planWasEdited', 'awaitingLeaderApproval'),
  }),
  skill: openResult('skill', 'Skill: loaded or run.', ['commandName'], {
    success: opt(bool),
    ...opts(str, 'commandName', 'model', 'status', 'agentId'),
    allowedTools: opt(strs),
    result: opt(anything),
  }),
  monitor: result('monitor', 'Monitor: a watch was started.', ['taskId', 'persistent'], {
    taskId: opt(str),
    timeoutMs: opt(num),
    persistent: opt(bool),
  }),
  wakeup: result('wakeup', 'ScheduleWakeup.', ['scheduledFor'], {
    ...opts(num, 'scheduledFor', 'clampedDelaySeconds', 'cancelledWakeups'),
    ...opts(bool, 'wasClamped', 'stopped'),
  }),
  cron_created: result('cron_created', 'CronCreate: a prompt was scheduled.', ['id', 'humanSchedule'], {
    ...opts(str, 'id', 'humanSchedule'),
    ...opts(bool, 'recurring', 'durable'),
    nextFireAt: opt(num),
  }),
  cron_list: result('cron_list', 'CronList.', ['jobs'], { jobs: opt(z.array(anything)) }),
  remote_trigger: result('remote_trigger', 'RemoteTrigger: response from the service.', ['status', 'json'], {
    status: opt(num),
    json: opt(str),
  }),
  findings: openResult('findings', 'ReportFindings: findings of a review.', ['findings'], {
    findings: opt(z.array(finding)),
    level: opt(str),
  }),
  artifact: openResult('artifact', 'Artifact: a page was published.', ['url', 'title'], {
    ...opts(str, 'url', 'title'),
    liveSubscription: opt(word('flag_off')),
  }),
  worktree: openResult(
    'worktree',
    'EnterWorktree, ExitWorktree.',
    ['worktreePath'],
    opts(str, 'worktreePath', 'worktreeBranch', 'message', 'action', 'originalCwd'),
  ),
  agents_listed: result('agents_listed', 'ListAgents: other reachable sessions.', ['listing'], {
    listing: opt(str),
    sections: opt(z.array(anything)),
    notes: opt(z.array(anything)),
  }),
  mcp_resource: result('mcp_resource', 'ReadMcpResourceTool.', ['contents'], { contents: opt(z.array(anything)) }),
  notice: openResult('notice', 'A sentence, for example from EnterPlanMode.', ['message'], { message: opt(str) }),
} satisfies Record<string, Shape>;

/**
 * Shapes of `toolUseResult`. The line does not name its tool, so a shape is recognized by fields it always has. The
 * first match wins, so shapes with more distinctive fields come first.
 */
export const TOOL_RESULT_SHAPES = {
  ...SHELL_RESULTS,
  ...FILE_RESULTS,
  ...SEARCH_RESULTS,
  ...AGENT_RESULTS,
  ...TASK_RESULTS,
  ...SESSION_RESULTS,
};

type ToolResultName = keyof typeof TOOL_RESULT_SHAPES;

/** A result of a known shape. */
type KnownResult = z.infer<(typeof TOOL_RESULT_SHAPES)[ToolResultName]['schema']>;

const shapes = variantsByShape(TOOL_RESULT_SHAPES);

/** Shape of a result; null for text, arrays and unknown shapes. */
export function toolResultName(value: unknown): ToolResultName | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return (variantRules.get(shapes)?.select(value as Readonly<Record<string, unknown>>) ??
    null) as ToolResultName | null;
}

/** Text (errors, rejections, some old tools), array (MCP), or one of the shapes; unknown shapes are accepted. */
export const ToolUseResultSchema: z.ZodType<string | McpContent[] | KnownResult> = z.union([
  str,
  z.array(McpContentSchema),
  shapes,
]);
