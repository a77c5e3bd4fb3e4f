import { z } from 'zod';
import { compileFields, type FieldNode } from './fields.ts';
import { type LineIssue, readIssues, showPath, type ValidateOptions } from './validate-line.ts';
import { anything, bool, fields, num, openFields, opt, str, strs, word } from './kit.ts';
import { todoItem } from './tool-result/agent.ts';
import { walkFields } from './walk-fields.ts';

const command = fields({
  command: str,
  description: opt(str),
  timeout: opt(num),
  run_in_background: opt(bool),
  dangerouslyDisableSandbox: opt(bool),
  sandbox: opt(bool),
});

export const SHELL_INPUTS = {
  Bash: command,
  PowerShell: command,
  BashOutput: fields({ bash_id: opt(str), filter: opt(str) }),
  KillShell: fields({ shell_id: opt(str) }),
  KillBash: fields({ shell_id: opt(str) }),
  Monitor: fields({
    command: opt(str),
    description: opt(str),
    target: opt(str),
    persistent: opt(bool),
    timeout_ms: opt(num),
  }),
} satisfies Record<string, z.ZodType>;

const replacement = { old_string: str, new_string: str, replace_all: opt(bool) };

export const FILE_INPUTS = {
  Read: fields({ file_path: str, offset: opt(num), limit: opt(num), pages: opt(str) }),
  Write: fields({ file_path: str, content: str }),
  Edit: fields({ file_path: str, ...replacement }),
  MultiEdit: fields({ file_path: str, edits: z.array(fields(replacement)) }),
  NotebookEdit: fields({
    notebook_path: str,
    new_source: opt(str),
    cell_id: opt(str),
    cell_number: opt(num),
    cell_type: opt(word('code', 'markdown')),
    edit_mode: opt(word('replace', 'insert', 'delete')),
  }),
  LS: fields({ path: opt(str), ignore: opt(strs) }),
  Glob: fields({ pattern: str, path: opt(str) }),
  Grep: fields({
    pattern: str,
    path: opt(str),
    glob: opt(str),
    type: opt(str),
    output_mode: opt(word('content', 'files_with_matches', 'count')),
    multiline: opt(bool),
    head_limit: opt(num),
    offset: opt(num),
    context: opt(num),
    '-A': opt(num),
    '-B': opt(num),
    '-C': opt(num),
    '-i': opt(bool),
    '-n': opt(bool),
    '-o': opt(bool),
    /** Until 1.0. */
    include: opt(str),
  }),
  LSP: fields({ operation: opt(str), filePath: opt(str), line: opt(num), character: opt(num), query: opt(anything) }),
} satisfies Record<string, z.ZodType>;

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

/**
 * Inputs of the built-in tools. The model writes them, so they may violate their own schema and the client keeps them
 * unchanged. They are therefore not part of `validateLine` and the drift report.
 */
export const TOOL_INPUT_SCHEMAS = { ...SHELL_INPUTS, ...FILE_INPUTS, ...AGENT_INPUTS, ...SESSION_INPUTS };

export type ToolInputName = keyof typeof TOOL_INPUT_SCHEMAS;

export interface InputVerdict {
  readonly known: boolean;
  readonly ok: boolean;
  readonly issues: readonly LineIssue[];
}

/** Validates the input of a tool call. Tools missing from the table (MCP, newer ones) are accepted. */
export function validateToolInput(
  name: string,
  input: unknown,
  { strict = false }: ValidateOptions = {},
): InputVerdict {
  if (!isToolInputName(name)) return { known: false, ok: true, issues: [] };
  const wrong = readIssues(TOOL_INPUT_SCHEMAS[name].safeParse(input).error?.issues ?? []);
  const issues = strict ? [...wrong, ...strayFields(name, input)] : wrong;
  return { known: true, ok: issues.length === 0, issues };
}

function isToolInputName(name: string): name is ToolInputName {
  return Object.hasOwn(TOOL_INPUT_SCHEMAS, name);
}

const compiled = new Map<ToolInputName, FieldNode>();

function strayFields(name: ToolInputName, input: unknown): LineIssue[] {
  const node = compiled.get(name) ?? compileFields(TOOL_INPUT_SCHEMAS[name]);
  compiled.set(name, node);
  const found: LineIssue[] = [];
  walkFields(node, input, (kind, path) => {
    if (kind === 'field') found.push({ path: showPath(path), message: 'unknown field' });
  });
  return found;
}
