import type { Subagent, ToolCall, ToolStatus } from '../../domain/transcript-structure.ts';
import type { Question, SkillUse, Worktree } from '../../domain/transcript-lists.ts';
import { chosenOf } from '../assemble/questions.ts';
import type { SessionState } from '../state.ts';

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
    const status = statusOf(call, draft.answer);
    return {
      ...question,
      agentId: state.threads[thread]?.agentId ?? null,
      messageId: state.messages[message]?.id ?? null,
      chosen: chosenOf(draft),
      status,
      answeredAt: status === 'answered' ? (call?.endedAt ?? null) : null,
    };
  });
}

function statusOf(call: ToolCall | undefined, answer: string | null): Question['status'] {
  if (answer !== null) return 'answered';
  return call === undefined || UNANSWERED.has(call.status) ? 'pending' : 'declined';
}

/** Those of the session itself, then those of its sub-agents. */
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
