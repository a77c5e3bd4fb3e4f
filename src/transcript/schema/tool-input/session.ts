import { z } from 'zod';
import { anything, bool, fields, num, openFields, opt, str, strs } from '../kit.ts';

const option = fields({ label: str, description: opt(str), preview: opt(str) });
const question = fields({ question: str, header: opt(str), multiSelect: opt(bool), options: opt(z.array(option)) });
const allowedPrompt = fields({ tool: opt(str), prompt: opt(str) });

/** Web, plans, questions, skills, schedules, worktrees, pages. */
export const SESSION_INPUTS = {
  WebFetch: fields({ url: str, prompt: opt(str) }),
  WebSearch: fields({ query: str, allowed_domains: opt(strs), blocked_domains: opt(strs) }),
  ToolSearch: fields({ query: str, max_results: opt(num) }),
  AskUserQuestion: fields({ questions: z.array(question), answers: opt(anything), metadata: opt(anything) }),
  EnterPlanMode: fields({}),
  /** `plan` and `planFilePath` are filled in by the client. */
  ExitPlanMode: openFields({
    plan: opt(str),
    planFilePath: opt(str),
    allowedPrompts: opt(z.array(allowedPrompt)),
    pushToRemote: opt(bool),
  }),
  exit_plan_mode: fields({ plan: opt(str) }),
  Skill: fields({ skill: opt(str), command: opt(str), args: opt(str) }),
  ScheduleWakeup: fields({ delaySeconds: opt(num), prompt: opt(str), reason: opt(str), stop: opt(bool) }),
  CronCreate: openFields({ cron: opt(str), prompt: opt(str), recurring: opt(bool) }),
  CronDelete: fields({ id: opt(str) }),
  CronList: fields({}),
  RemoteTrigger: fields({ action: opt(str), trigger_id: opt(str), body: opt(anything) }),
  EnterWorktree: openFields({ name: opt(str) }),
  ExitWorktree: openFields({ action: opt(str) }),
  ReportFindings: openFields({ findings: opt(z.array(anything)) }),
  Artifact: openFields({}),
  ListAgents: openFields({}),
  ListMcpResourcesTool: fields({ server: opt(str) }),
  ReadMcpResourceTool: fields({ server: opt(str), uri: opt(str) }),
} satisfies Record<string, z.ZodType>;
