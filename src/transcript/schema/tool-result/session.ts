import { z } from 'zod';
import { anything, bool, fields, num, opt, str, strs, type Shape, word } from '../kit.ts';
import { openResult, result } from './shape.ts';

const option = fields({ label: opt(str), description: opt(str), preview: opt(str) });
const question = fields({
  question: opt(str),
  header: opt(str),
  multiSelect: opt(bool),
  options: opt(z.array(option)),
});

const finding = fields({
  file: opt(str),
  line: opt(num),
  summary: opt(str),
  short_summary: opt(str),
  category: opt(str),
  failure_scenario: opt(str),
  verdict: opt(str),
  outcome: opt(str),
});

/** Plans, questions, skills, schedules, worktrees, pages. */
export const SESSION_RESULTS = {
  questions: result('questions', 'AskUserQuestion: the questions and the answers.', ['questions', 'answers'], {
    questions: opt(z.array(question)),
    answers: opt(z.record(str, anything)),
    annotations: opt(z.record(str, anything)),
  }),
  plan: result('plan', 'ExitPlanMode: the approved plan.', ['plan'], {
    plan: opt(str),
    isAgent: opt(bool),
    filePath: opt(str),
    hasTaskTool: opt(bool),
    planWasEdited: opt(bool),
  }),
  skill: openResult('skill', 'Skill: loaded or run.', ['commandName'], {
    success: opt(bool),
    commandName: opt(str),
    allowedTools: opt(strs),
    model: opt(str),
    status: opt(str),
    agentId: opt(str),
    result: opt(anything),
  }),
  monitor: result('monitor', 'Monitor: a watch was started.', ['taskId', 'persistent'], {
    taskId: opt(str),
    timeoutMs: opt(num),
    persistent: opt(bool),
  }),
  wakeup: result('wakeup', 'ScheduleWakeup.', ['scheduledFor'], {
    scheduledFor: opt(num),
    clampedDelaySeconds: opt(num),
    wasClamped: opt(bool),
    stopped: opt(bool),
    cancelledWakeups: opt(num),
  }),
  cron_created: result('cron_created', 'CronCreate: a prompt was scheduled.', ['id', 'humanSchedule'], {
    id: opt(str),
    humanSchedule: opt(str),
    recurring: opt(bool),
    durable: opt(bool),
    nextFireAt: opt(num),
  }),
  cron_list: result('cron_list', 'CronList.', ['jobs'], { jobs: opt(z.array(anything)) }),
  remote_trigger: result('remote_trigger', 'RemoteTrigger: answer of the service.', ['status', 'json'], {
    status: opt(num),
    json: opt(str),
  }),
  findings: openResult('findings', 'ReportFindings: what a review found.', ['findings'], {
    findings: opt(z.array(finding)),
    level: opt(str),
  }),
  artifact: openResult('artifact', 'Artifact: a page was published.', ['url', 'title'], {
    url: opt(str),
    title: opt(str),
    liveSubscription: opt(word('flag_off')),
  }),
  worktree: openResult('worktree', 'EnterWorktree, ExitWorktree.', ['worktreePath'], {
    worktreePath: opt(str),
    worktreeBranch: opt(str),
    message: opt(str),
    action: opt(str),
    originalCwd: opt(str),
  }),
  agents_listed: result('agents_listed', 'ListAgents: other sessions that can be reached.', ['listing', 'sections'], {
    listing: opt(str),
    sections: opt(z.array(anything)),
    notes: opt(z.array(anything)),
  }),
  mcp_resource: result('mcp_resource', 'ReadMcpResourceTool.', ['contents'], { contents: opt(z.array(anything)) }),
  notice: openResult('notice', 'A sentence, for example from EnterPlanMode.', ['message'], { message: opt(str) }),
} satisfies Record<string, Shape>;
