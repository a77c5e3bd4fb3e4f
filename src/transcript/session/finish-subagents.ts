import type { Subagent } from '../../domain/transcript-structure.ts';
import { addTokens, NO_TOKENS } from '../../domain/usage.ts';
import { asCount, asText } from '../read/json.ts';
import type { SessionState, ThreadDraft, ToolCallDraft } from '../state.ts';
import type { ActiveTime } from './active-time.ts';
import { finishLevel, type Levels } from './finish-turns.ts';

/** Agents that the client starts for itself, told by the beginning of their ids. */
const OWN_AGENTS: readonly (readonly [string, string])[] = [
  ['aside_question', 'side-question'],
  ['acompact', 'compact'],
  ['aprompt_suggestion', 'prompt-suggestion'],
];

type OwnSubagent = Omit<Subagent, 'rolledUp'>;

interface Link {
  readonly call: ToolCallDraft | null;
  readonly toolUseId: string | null;
  readonly by: Subagent['linkedBy'];
}

/** All sub-agents: those with messages, and those of which only the call's result tells. */
export function finishSubagents(state: SessionState, levels: Levels, activeTime: ActiveTime): readonly Subagent[] {
  const figures = { levels, activeTime };
  const calls = indexCalls(state);
  const found: OwnSubagent[] = [];
  for (const thread of state.threads.slice(1)) {
    const link = linkOf(state, calls, thread);
    const isEmpty = thread.agentId === null || !levels.byAgent.has(thread.agentId);
    if (isEmpty && link.toolUseId === null) continue;
    found.push(describe(state, figures, thread, link));
  }
  for (const [agentId, call] of calls.byAgent) {
    if (state.threadByAgent.has(agentId) || call.outcome?.agent?.isTeammate === true) continue;
    found.push(describe(state, figures, missing(agentId), { call, toolUseId: call.id, by: 'result' }));
  }
  return rollUp(found);
}

interface CallIndex {
  readonly byAgent: ReadonlyMap<string, ToolCallDraft>;
  readonly byText: ReadonlyMap<string, ToolCallDraft>;
  readonly byPrompt: ReadonlyMap<string, ToolCallDraft>;
  readonly byTeammate: ReadonlyMap<string, ToolCallDraft>;
}

function indexCalls(state: SessionState): CallIndex {
  const index = {
    byAgent: new Map<string, ToolCallDraft>(),
    byText: new Map<string, ToolCallDraft>(),
    byPrompt: new Map<string, ToolCallDraft>(),
    byTeammate: new Map<string, ToolCallDraft>(),
  };
  for (const call of state.toolCalls.values()) {
    const { outcome, spawn } = call;
    if (outcome?.agent) index.byAgent.set(outcome.agent.agentId, call);
    if (call.agentInText !== null) index.byText.set(call.agentInText, call);
    if (spawn?.promptKey) index.byPrompt.set(spawn.promptKey, call);
    if (spawn?.name) index.byTeammate.set(spawn.name, call);
  }
  return index;
}

/** The surest way first: the agent's own meta file, the result, progress lines, notification, text, same prompt. */
function linkOf(state: SessionState, calls: CallIndex, thread: ThreadDraft): Link {
  const agentId = thread.agentId ?? '';
  const byMeta = asText(thread.meta?.['toolUseId']);
  if (byMeta !== null) return link(state, byMeta, 'meta');
  const byResult = calls.byAgent.get(agentId);
  if (byResult !== undefined) return link(state, byResult.id, 'result');
  if (thread.toolUseId !== null) return link(state, thread.toolUseId, 'progress');
  const notified = state.notifications.get(agentId)?.toolUseId ?? null;
  if (notified !== null) return link(state, notified, 'notification');
  const byText = calls.byText.get(agentId);
  if (byText !== undefined) return link(state, byText.id, 'text');
  const byPrompt = thread.promptKey === null ? undefined : calls.byPrompt.get(thread.promptKey);
  if (byPrompt !== undefined) return link(state, byPrompt.id, 'prompt');
  const byName = calls.byTeammate.get(nameOf(thread) ?? '');
  return byName === undefined ? { call: null, toolUseId: null, by: null } : link(state, byName.id, 'text');
}

function link(state: SessionState, toolUseId: string, by: Subagent['linkedBy']): Link {
  return { call: state.toolCalls.get(toolUseId) ?? null, toolUseId, by };
}

function describe(
  state: SessionState,
  { levels, activeTime }: { readonly levels: Levels; readonly activeTime: ActiveTime },
  thread: ThreadDraft,
  { call, toolUseId, by }: Link,
): OwnSubagent {
  const agentId = thread.agentId ?? '';
  const report = call?.outcome?.agent ?? null;
  const { meta } = thread;
  const parentThread = call === null || call.uses === 0 ? undefined : state.threads[call.thread];
  return {
    agentId,
    parentAgentId: asText(meta?.['parentAgentId']) ?? parentThread?.agentId ?? null,
    toolUseId,
    linkedBy: by,
    source: levels.byAgent.has(agentId) ? thread.source : 'none',
    agentType: asText(meta?.['agentType']) ?? report?.agentType ?? call?.spawn?.agentType ?? ownAgentType(agentId),
    name: nameOf(thread) ?? report?.name ?? call?.spawn?.name ?? null,
    teamName: asText(meta?.['teamName']) ?? thread.teamName ?? report?.teamName ?? call?.spawn?.teamName ?? null,
    description: asText(meta?.['description']) ?? call?.spawn?.description ?? null,
    model: asText(meta?.['model']) ?? report?.model ?? call?.spawn?.model ?? null,
    status: state.notifications.get(agentId)?.status ?? report?.status ?? null,
    isBackground: call?.outcome?.isBackground === true || call?.spawn?.isBackground === true,
    spawnDepth: asCount(meta?.['spawnDepth']),
    reportedTokens: report?.tokens ?? null,
    reportedToolUses: report?.toolUses ?? null,
    reportedDurationMs: report?.durationMs ?? null,
    worktreePath: asText(meta?.['worktreePath']) ?? report?.worktreePath ?? null,
    stats: finishLevel(levels.byAgent.get(agentId), agentId, activeTime),
  };
}

/** Adds every agent's figures to all agents above it; a cycle of parents stops the climb. */
function rollUp(agents: readonly OwnSubagent[]): readonly Subagent[] {
  const byId = new Map(agents.map((agent) => [agent.agentId, agent]));
  const sums = new Map(agents.map((agent) => [agent.agentId, { tokens: NO_TOKENS, costNanos: null as number | null }]));
  for (const { agentId, stats } of agents) {
    const climbed = new Set<string>();
    for (let at: string | null = agentId; at !== null && !climbed.has(at); at = byId.get(at)?.parentAgentId ?? null) {
      climbed.add(at);
      const sum = sums.get(at);
      if (sum === undefined) break;
      sum.tokens = addTokens(sum.tokens, stats.tokens);
      if (stats.costNanos !== null) sum.costNanos = (sum.costNanos ?? 0) + stats.costNanos;
    }
  }
  return agents.map((agent) => ({
    ...agent,
    rolledUp: sums.get(agent.agentId) ?? { tokens: NO_TOKENS, costNanos: null },
  }));
}

function nameOf(thread: ThreadDraft): string | null {
  return asText(thread.meta?.['name']) ?? thread.agentName;
}

function ownAgentType(agentId: string): string | null {
  return OWN_AGENTS.find(([prefix]) => agentId.startsWith(prefix))?.[1] ?? null;
}

function missing(agentId: string): ThreadDraft {
  return {
    agentId,
    source: 'progress',
    meta: null,
    promptKey: null,
    toolUseId: null,
    teamName: null,
    agentName: null,
    forkOf: null,
  };
}
