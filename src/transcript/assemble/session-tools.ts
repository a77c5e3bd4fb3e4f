import { slashCommandIn } from '../../domain/client-tags.ts';
import { answerIn } from '../../domain/question-answer.ts';
import { TEAM_LEAD } from '../../domain/teammate-message.ts';
import type { JsonObject, JsonValue, MessageOrigin } from '../../domain/transcript.ts';
import type { Question } from '../../domain/transcript-lists.ts';
import type { LineContext } from '../line/context.ts';
import { asList, asObject, asText } from '../read/json.ts';
import type { SessionState, TeamDraft, ThreadDraft, ToolCallDraft, WorktreeDraft } from '../state.ts';

/** Calls that concern the session itself rather than files: plans, questions, skills, teams. */
export function noteSessionTool(context: LineContext, name: string, input: JsonObject, toolUseId: string): void {
  switch (name) {
    case 'ExitPlanMode':
    case 'exit_plan_mode':
      return notePlan(context, input, toolUseId);
    case 'Skill':
      return noteSkillCall(context, input, toolUseId);
    case 'AskUserQuestion':
      return noteQuestions(context, input, toolUseId);
    case 'TeamCreate':
      return noteTeam(context, input);
    case 'TeamDelete':
      return endTeams(context);
    default:
  }
}

/** A result with its call. `result` is the structured form, which files of sub-agents lack. */
interface CallResult {
  readonly call: ToolCallDraft;
  readonly result: JsonObject | null;
  readonly text: string;
}

/** Records results that complete what the call started. */
export function noteSessionResult(context: LineContext, name: string, { call, result, text }: CallResult): void {
  if (name === 'AskUserQuestion') return noteAnswers(context, call, result, text);
  if (result === null) return;
  if (name === 'SendMessage') noteSentMessage(context, call, result);
  else if (name === 'TaskStop') noteStoppedTask(context.state, call);
  else if (name === 'EnterWorktree') noteWorktreeEntry(context, result);
  else if (name === 'ExitWorktree') noteWorktreeExit(context, result);
  else if (name === 'TeamCreate') {
    const teamName = asText(result['team_name']);
    if (teamName !== null) teamOf(context.state, teamName).leadAgentId = asText(result['lead_agent_id']);
  }
}

/** A task that the model stops; clients write the same status into notifications. */
function noteStoppedTask({ notifications }: SessionState, { isError, outcome }: ToolCallDraft): void {
  const taskId = asText(outcome?.details['taskId']);
  if (isError || taskId === null || notifications.get(taskId)?.status) return;
  notifications.set(taskId, { taskId, toolUseId: notifications.get(taskId)?.toolUseId ?? null, status: 'killed' });
}

function noteWorktreeEntry({ state, timestamp }: LineContext, result: JsonObject): void {
  const draft = worktreeOf(state, asText(result['worktreePath']));
  draft.branch ??= asText(result['worktreeBranch']);
  draft.enteredAt ??= timestamp;
}

function noteWorktreeExit({ state, timestamp }: LineContext, result: JsonObject): void {
  const draft = worktreeOf(state, asText(result['worktreePath']));
  draft.leftAt = timestamp;
  draft.leftBy = asText(result['action']);
}

export function worktreeOf(state: SessionState, path: string | null): WorktreeDraft {
  const known = state.worktrees.get(path ?? '');
  if (known !== undefined) return known;
  const fresh: WorktreeDraft = {
    name: null,
    path,
    branch: null,
    originalCwd: null,
    originalBranch: null,
    originalCommit: null,
    enteredAt: null,
    leftAt: null,
    leftBy: null,
  };
  state.worktrees.set(path ?? '', fresh);
  return fresh;
}

/** A teammate's own files do not contain its name, but the messages it sends do. */
function noteSentMessage({ state, thread }: LineContext, call: ToolCallDraft, result: JsonObject): void {
  const routing = asObject(result['routing']);
  const draft = state.threads[thread] as ThreadDraft;
  const sender = asText(routing?.['sender']);
  if (thread !== 0) draft.agentName ??= sender;
  if (call.isError || result['success'] === false) return;
  for (const name of recipientsOf(result, routing)) {
    if (thread === 0) countMessage(state.teamTalk.to, name);
    else if (nameIn(name) === TEAM_LEAD) countMessage(state.teamTalk.sent, sender ?? '');
  }
}

function recipientsOf(result: JsonObject, routing: JsonObject | null): readonly string[] {
  const many = asList(result['recipients'])?.flatMap((name) => asText(name) ?? []);
  return many ?? [asText(routing?.['target']) ?? asText(result['target']) ?? ''];
}

/** Names are written as `worker`, `@worker` or `worker@team`. */
function nameIn(address: string): string {
  return address.replace(/^@/, '').split('@')[0] ?? '';
}

export function countMessage(counts: Map<string, number>, address: string): void {
  const name = nameIn(address);
  if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
}

function notePlan({ state, messageIndex }: LineContext, input: JsonObject, toolUseId: string): void {
  const plan = asText(input['plan']);
  state.plans.push({
    toolUseId,
    message: messageIndex,
    filePath: asText(input['planFilePath']),
    planningSessionId: null,
    characters: plan?.length ?? 0,
    text: plan,
  });
}

function noteTeam({ state, timestamp }: LineContext, input: JsonObject): void {
  const name = asText(input['team_name']);
  if (name === null) return;
  const team = teamOf(state, name);
  team.description = asText(input['description']);
  team.createdAt = timestamp;
}

function endTeams({ state, timestamp }: LineContext): void {
  for (const team of state.teams.values()) team.endedAt ??= timestamp;
}

function teamOf(state: SessionState, name: string): TeamDraft {
  const known = state.teams.get(name);
  if (known !== undefined) return known;
  const fresh: TeamDraft = {
    name,
    description: null,
    leadAgentId: null,
    createdAt: null,
    endedAt: null,
  };
  state.teams.set(name, fresh);
  return fresh;
}

/** The first line of a skill's own text. */
const SKILL_OPENING = 'Base directory for this skill:';

function noteSkillCall(context: LineContext, input: JsonObject, toolUseId: string): void {
  const name = asText(input['skill']) ?? asText(input['command']);
  if (name === null) return;
  const { state, thread, messageIndex: message, timestamp } = context;
  state.skills.push({ name, args: asText(input['args']), by: 'model', toolUseId, thread, message, timestamp });
}

/** A slash command is a skill when the skill's own text follows it. */
export function noteCommand(context: LineContext, origin: MessageOrigin, text: string): void {
  const { state, thread, messageIndex: message, timestamp, record } = context;
  if (origin === 'command') {
    const typed = slashCommandIn(text);
    state.envelope.command =
      typed === null ? null : { name: typed.name.slice(1), args: typed.args || null, message, timestamp };
    return;
  }
  const { command } = state.envelope;
  if (command === null) return;
  if (origin !== 'meta') state.envelope.command = null;
  else if (text.startsWith(SKILL_OPENING) && record['sourceToolUseID'] === undefined) {
    state.envelope.command = null;
    state.skills.push({ ...command, by: 'person', toolUseId: null, thread });
  }
}

/** Maximum number of questions kept per call; the tool allows four. */
const MAX_QUESTIONS = 16;
const MAX_OPTIONS = 32;

/** AskUserQuestion's input: the questions with their options. */
function noteQuestions(context: LineContext, input: JsonObject, toolUseId: string): void {
  const { state, thread, messageIndex: message } = context;
  for (const value of (asList(input['questions']) ?? []).slice(0, MAX_QUESTIONS)) {
    const asked = asObject(value);
    const question = asText(asked?.['question']);
    if (asked === null || question === null) continue;
    state.questions.push({
      toolUseId,
      thread,
      message,
      header: asText(asked['header']),
      question,
      isMultiSelect: asked['multiSelect'] === true,
      options: optionsOf(asked['options']),
      answer: null,
      notes: null,
    });
  }
}

function optionsOf(value: JsonValue | undefined): Question['options'] {
  return (asList(value) ?? []).slice(0, MAX_OPTIONS).flatMap((entry) => {
    const option = asObject(entry);
    const label = asText(option?.['label']) ?? asText(entry);
    return label === null ? [] : [{ label, description: asText(option?.['description']) }];
  });
}

/** The result lists answers by question; in sub-agent files only the result text has them. */
function noteAnswers({ state }: LineContext, call: ToolCallDraft, result: JsonObject | null, text: string): void {
  const isAnswered = !call.isError && !call.isStopped && call.denial === null;
  const answers = asObject(result?.['answers']);
  const annotations = asObject(result?.['annotations']);
  for (const draft of state.questions) {
    if (draft.toolUseId !== call.id) continue;
    draft.answer = isAnswered
      ? (textOf(answers?.[draft.question]) ?? answerIn(text, draft.question)?.text ?? null)
      : null;
    draft.notes = asText(asObject(annotations?.[draft.question])?.['notes']);
  }
}

function textOf(value: JsonValue | undefined): string | null {
  const list = asList(value);
  return list === null ? asText(value) : list.flatMap((entry) => asText(entry) ?? []).join(', ');
}
