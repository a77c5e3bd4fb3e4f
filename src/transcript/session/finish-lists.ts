import { chosenIn } from '../../domain/question-answer.ts';
import type { Question, SkillUse, Todo, Worktree } from '../../domain/transcript-lists.ts';
import type {
  FileTouch,
  GitOperation,
  Plan,
  Subagent,
  Team,
  Teammate,
  ToolCall,
  ToolStatus,
  TouchedFile,
} from '../../domain/transcript-structure.ts';
import { millisBetween } from '../assemble/timestamp.ts';
import { asText } from '../read/json.ts';
import type { PlanDraft, SessionState, TeamTalk, ToolCallDraft } from '../state.ts';
import type { AgentReport } from '../tool/results.ts';
import { waitingMs } from '../tool/verdict.ts';
import type { FinishedMessages } from './finish-messages.ts';

export function finishToolCalls(state: SessionState, { byDraft }: FinishedMessages): readonly ToolCall[] {
  return [...state.toolCalls.values()].map((call) => {
    const message = byDraft[call.message] ?? null;
    const result = byDraft[call.resultMessage] ?? null;
    const { outcome } = call;
    const status = statusOf(call);
    return {
      id: call.id,
      name: call.name,
      agentId: state.threads[call.thread]?.agentId ?? null,
      messageId: message?.id ?? null,
      resultMessageId: result?.id ?? null,
      turnId: message?.turnId ?? result?.turnId ?? null,
      resultCount: call.results,
      status,
      denial: call.denial,
      exitCode: outcome?.exitCode ?? null,
      ...durationOf(call),
      startedAt: call.startedAt,
      endedAt: call.endedAt,
      files: status === 'ok' ? filesOf(call) : [],
      isInherited: isInherited(state, call),
      spawnedAgentId: outcome?.agent?.agentId ?? call.agentInText,
      caller: call.caller,
      persistedOutput: outcome?.persistedOutput ?? null,
      details: outcome?.details ?? {},
    };
  });
}

/** A call belongs to the message that made it; a result without a call, to the message that received it. */
function isInherited({ messages }: SessionState, { message, resultMessage }: ToolCallDraft): boolean {
  return messages[message >= 0 ? message : resultMessage]?.isInherited === true;
}

function statusOf(call: ToolCallDraft): ToolStatus {
  if (call.results === 0) return 'pending';
  if (call.denial !== null) return 'denied';
  if (call.isStopped || call.outcome?.isInterrupted === true) return 'interrupted';
  if (call.isError) return 'error';
  return call.outcome?.isBackground === true ? 'background' : 'ok';
}

function durationOf(call: ToolCallDraft): Pick<ToolCall, 'durationMs' | 'durationSource' | 'waitingMs'> {
  const stated = call.outcome?.durationMs ?? null;
  const reportedMs = stated !== null && stated >= 0 ? stated : null;
  const betweenMs = millisBetween(call.startedAt, call.endedAt);
  const waited = betweenMs === null ? null : waitingMs(call.name, betweenMs, { reportedMs, timeoutMs: call.timeoutMs });
  if (reportedMs !== null) return { durationMs: reportedMs, durationSource: 'reported', waitingMs: waited };
  if (betweenMs === null) return { durationMs: null, durationSource: null, waitingMs: null };
  return { durationMs: betweenMs - (waited ?? 0), durationSource: 'derived', waitingMs: waited };
}

function filesOf(call: ToolCallDraft): readonly FileTouch[] {
  const reported = call.outcome?.files ?? [];
  if (reported.length > 0) return reported;
  if (call.outcome?.isOverwritten !== true) return call.inputFiles;
  return call.inputFiles.map(({ path }) => ({ path, action: 'edit', linesAdded: 0, linesRemoved: 0 }));
}

/** Sums up each file over all calls of this session itself, in the order of first touch. */
export function sumTouchedFiles(calls: readonly ToolCall[]): readonly TouchedFile[] {
  const files = new Map<string, { -readonly [K in keyof TouchedFile]: TouchedFile[K] }>();
  for (const touch of calls.flatMap((call) => (call.isInherited ? [] : call.files))) {
    const known = files.get(touch.path) ?? { path: touch.path, reads: 0, writes: 0, linesAdded: 0, linesRemoved: 0 };
    if (touch.action === 'read') known.reads += 1;
    else known.writes += 1;
    known.linesAdded += touch.linesAdded;
    known.linesRemoved += touch.linesRemoved;
    files.set(touch.path, known);
  }
  return [...files.values()];
}

export function listGitOperations(state: SessionState): readonly GitOperation[] {
  return [...state.toolCalls.values()].flatMap((call) =>
    (isInherited(state, call) ? [] : (call.outcome?.git ?? [])).map((operation) => ({
      toolUseId: call.id,
      ...operation,
    })),
  );
}

/** Skills, questions and worktrees of a session. */

type CallsById = ReadonlyMap<string, ToolCall>;

export function callsById(calls: readonly ToolCall[]): CallsById {
  return new Map(calls.map((call) => [call.id, call]));
}

export function finishSkills(state: SessionState, calls: CallsById): readonly SkillUse[] {
  return state.skills.map(({ thread, message, ...skill }) => ({
    ...skill,
    agentId: state.threads[thread]?.agentId ?? null,
    messageId: state.messages[message]?.id ?? null,
    status: skill.toolUseId === null ? 'ok' : (calls.get(skill.toolUseId)?.status ?? 'pending'),
  }));
}

const UNANSWERED: ReadonlySet<ToolStatus> = new Set(['pending', 'background']);

export function finishQuestions(state: SessionState, calls: CallsById): readonly Question[] {
  return state.questions.map((draft) => {
    const { thread, message, ...question } = draft;
    const call = calls.get(draft.toolUseId);
    const status = questionStatus(call, draft.answer);
    return {
      ...question,
      agentId: state.threads[thread]?.agentId ?? null,
      messageId: state.messages[message]?.id ?? null,
      chosen: chosenIn(
        draft.answer,
        draft.options.map(({ label }) => label),
        draft.isMultiSelect,
      ),
      status,
      answeredAt: status === 'answered' ? (call?.endedAt ?? null) : null,
    };
  });
}

function questionStatus(call: ToolCall | undefined, answer: string | null): Question['status'] {
  if (answer !== null) return 'answered';
  return call === undefined || UNANSWERED.has(call.status) ? 'pending' : 'declined';
}

/** Worktrees of the session itself, then those of its sub-agents. */
export function finishWorktrees(state: SessionState, subagents: readonly Subagent[]): readonly Worktree[] {
  const own = [...state.worktrees.values()].map((worktree) => ({ ...worktree, agentId: null }));
  const ofAgents = subagents.flatMap(({ agentId, worktreePath, worktreeBranch, stats }) => {
    if (worktreePath === null) return [];
    return [{ ...NO_WORKTREE, path: worktreePath, branch: worktreeBranch, agentId, enteredAt: stats.startedAt }];
  });
  return [...own, ...ofAgents];
}

const NO_WORKTREE = {
  name: null,
  originalCwd: null,
  originalBranch: null,
  originalCommit: null,
  leftAt: null,
  leftBy: null,
};

export function finishPlans(state: SessionState): readonly Plan[] {
  return state.plans.map((plan) => {
    const call = plan.toolUseId === null ? undefined : state.toolCalls.get(plan.toolUseId);
    return {
      status: planStatus(state, plan),
      toolUseId: plan.toolUseId,
      messageId: state.messages[plan.message]?.id ?? null,
      filePath: plan.filePath ?? asText(call?.outcome?.details['planFile']),
      planningSessionId: plan.planningSessionId,
      characters: plan.characters,
      text: plan.text,
    };
  });
}

function planStatus(state: SessionState, plan: PlanDraft): Plan['status'] {
  if (plan.toolUseId === null) return 'implemented';
  const call = state.toolCalls.get(plan.toolUseId);
  if (call === undefined || call.results === 0) return 'proposed';
  if (call.denial !== null || call.isStopped) return 'rejected';
  // The user never saw a plan whose call failed, and a teammate's plan waits for the lead.
  return call.isError || call.outcome?.details['approved'] === false ? 'proposed' : 'approved';
}

export function finishTodos(state: SessionState): readonly Todo[] {
  return [...state.todos.values()].map(({ thread, ...todo }) => ({
    ...todo,
    agentId: state.threads[thread]?.agentId ?? null,
  }));
}

/** Teams led by this session, with the teammates it started. A teammate's own files are found by name. */
export function finishTeams(state: SessionState, subagents: readonly Subagent[]): readonly Team[] {
  const reports = [...state.toolCalls.values()].flatMap(({ outcome, spawn }) => {
    const agent = outcome?.agent;
    // The requested type; the client reports its own name for it.
    return agent?.isTeammate === true ? [{ ...agent, agentType: spawn?.agentType ?? agent.agentType }] : [];
  });
  const names = new Set([...state.teams.keys(), ...reports.flatMap((report) => teamOfReport(report) ?? [])]);
  return [...names].map((name) => {
    const draft = state.teams.get(name);
    return {
      name,
      description: draft?.description ?? null,
      leadAgentId: draft?.leadAgentId ?? null,
      createdAt: draft?.createdAt ?? null,
      endedAt: draft?.endedAt ?? null,
      members: membersOf(name, state.teamTalk, reports, subagents),
    };
  });
}

function membersOf(
  team: string,
  talk: TeamTalk,
  reports: readonly AgentReport[],
  subagents: readonly Subagent[],
): readonly Teammate[] {
  const members = new Map<string, Teammate>();
  for (const report of reports) {
    if (teamOfReport(report) !== team) continue;
    const name = report.name ?? (report.agentId.split('@')[0] as string);
    members.set(name, {
      id: report.agentId,
      name,
      agentType: report.agentType,
      model: report.model,
      color: report.color,
      agentIds: subagents.filter((agent) => agent.name === name).map((agent) => agent.agentId),
      messagesSent: talk.sent.get(name) ?? talk.from.get(name) ?? 0,
      messagesReceived: talk.to.get(name) ?? 0,
    });
  }
  return [...members.values()];
}

function teamOfReport(report: AgentReport): string | null {
  return report.teamName ?? report.agentId.split('@')[1] ?? null;
}
