import type { JsonObject } from '../../domain/transcript.ts';
import { type Subagent, UNDERWAY } from '../../domain/transcript-structure.ts';
import { addTokens, NO_TOKENS } from '../../domain/usage.ts';
import { createThread } from '../create-state.ts';
import { asCount, asText } from '../read/json.ts';
import type { MessageDraft, SessionState, ThreadDraft, ToolCallDraft } from '../state.ts';
import { type ActiveTime, finishLevel, type Levels } from './finish-turns.ts';

/** Agents started by the client itself, recognized by the prefix of their ids. */
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

/** All sub-agents: those with messages, and those known only from the call's result. */
export function finishSubagents(state: SessionState, levels: Levels, activeTime: ActiveTime): readonly Subagent[] {
  const calls = indexCalls(state);
  const finishing = { state, levels, activeTime, work: ownWorkOf(state) };
  const found: OwnSubagent[] = [];
  for (const thread of state.threads.slice(1)) {
    const link = linkOf(state, calls, thread);
    const isEmpty = thread.agentId === null || !levels.byAgent.has(thread.agentId);
    if (isEmpty && link.toolUseId === null) continue;
    found.push(describe(finishing, thread, link));
  }
  for (const [agentId, call] of calls.byAgent) {
    if (state.threadByAgent.has(agentId) || call.outcome?.agent?.isTeammate === true) continue;
    found.push(
      describe(finishing, createThread(agentId, 'progress', null), { call, toolUseId: call.id, by: 'result' }),
    );
  }
  return rollUp(found);
}

interface CallIndex {
  readonly byAgent: ReadonlyMap<string, ToolCallDraft>;
  readonly byText: ReadonlyMap<string, ToolCallDraft>;
  readonly byPrompt: ReadonlyMap<string, ToolCallDraft>;
  readonly byTeammate: ReadonlyMap<string, ToolCallDraft>;
  readonly byWorkflow: ReadonlyMap<string, ToolCallDraft>;
}

function indexCalls(state: SessionState): CallIndex {
  const index = {
    byAgent: new Map<string, ToolCallDraft>(),
    byText: new Map<string, ToolCallDraft>(),
    byPrompt: new Map<string, ToolCallDraft>(),
    byTeammate: new Map<string, ToolCallDraft>(),
    byWorkflow: new Map<string, ToolCallDraft>(),
  };
  for (const call of state.toolCalls.values()) {
    const { outcome, spawn } = call;
    if (outcome?.agent) index.byAgent.set(outcome.agent.agentId, call);
    if (call.agentInText !== null) index.byText.set(call.agentInText, call);
    if (spawn?.promptKey) index.byPrompt.set(spawn.promptKey, call);
    if (spawn?.name) index.byTeammate.set(spawn.name, call);
    const runId = outcome?.details['runId'];
    if (typeof runId === 'string') index.byWorkflow.set(runId, call);
  }
  return index;
}

/**
 * Most reliable first: the agent's meta file, the result, progress lines, notification, workflow, text, same prompt.
 */
function linkOf(state: SessionState, calls: CallIndex, thread: ThreadDraft): Link {
  const agentId = thread.agentId ?? '';
  const byMeta = asText(thread.meta?.['toolUseId']);
  if (byMeta !== null) return link(state, byMeta, 'meta');
  const byResult = calls.byAgent.get(agentId);
  if (byResult !== undefined) return link(state, byResult.id, 'result');
  if (thread.toolUseId !== null) return link(state, thread.toolUseId, 'progress');
  const notified = state.notifications.get(agentId)?.toolUseId ?? null;
  if (notified !== null) return link(state, notified, 'notification');
  const byWorkflow = calls.byWorkflow.get(workflowOf(state, thread) ?? '');
  if (byWorkflow !== undefined) return link(state, byWorkflow.id, 'workflow');
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
  { state, levels, activeTime, work }: Finishing,
  thread: ThreadDraft,
  { call, toolUseId, by }: Link,
): OwnSubagent {
  const agentId = thread.agentId ?? '';
  const report = call?.outcome?.agent ?? null;
  const { meta } = thread;
  const ownWork = work.get(agentId) ?? NO_WORK;
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
    model: ownWork.model ?? report?.model ?? metaModel(meta) ?? call?.spawn?.model ?? null,
    status: statusOf(state, thread, call, ownWork.isFinished),
    isBackground: call?.outcome?.isBackground === true || call?.spawn?.isBackground === true,
    spawnDepth: asCount(meta?.['spawnDepth']),
    reportedTokens: report?.tokens ?? null,
    reportedToolUses: report?.toolUses ?? null,
    reportedDurationMs: report?.durationMs ?? null,
    worktreePath: asText(meta?.['worktreePath']) ?? report?.worktreePath ?? null,
    worktreeBranch: asText(meta?.['worktreeBranch']) ?? report?.worktreeBranch ?? null,
    stats: finishLevel(levels.byAgent.get(agentId), agentId, activeTime),
  };
}

interface Finishing {
  readonly state: SessionState;
  readonly levels: Levels;
  readonly activeTime: ActiveTime;
  readonly work: ReadonlyMap<string, OwnWork>;
}

/** Facts from an agent's own messages. */
interface OwnWork {
  readonly model: string | null;
  /** True if its last answer is complete and requests nothing more. */
  readonly isFinished: boolean;
}

const NO_WORK: OwnWork = { model: null, isFinished: false };

function ownWorkOf(state: SessionState): ReadonlyMap<string, OwnWork> {
  const work = new Map<string, OwnWork>();
  for (const { thread, origin, model, stopReason, isWithdrawn } of state.messages) {
    const agentId = state.threads[thread]?.agentId ?? null;
    if (agentId === null || isWithdrawn) continue;
    const before = work.get(agentId) ?? NO_WORK;
    if (origin === 'model') work.set(agentId, { model: before.model ?? model, isFinished: stopReason === 'end_turn' });
    else if (awaitsAnswer(origin)) work.set(agentId, { ...before, isFinished: false });
  }
  return work;
}

/** True for input that the agent still has to answer. */
function awaitsAnswer(origin: MessageDraft['origin']): boolean {
  return origin === 'tool_result' || origin === 'agent_prompt' || origin === 'teammate' || origin === 'interruption';
}

/** Latest known status: from a notification, the result of its call, its meta file, or its own last answer. */
function statusOf(
  state: SessionState,
  { agentId, meta }: ThreadDraft,
  call: ToolCallDraft | null,
  isFinished: boolean,
): string | null {
  const report = call?.outcome?.agent?.agentId === agentId ? call?.outcome?.agent : null;
  const stated = state.notifications.get(agentId ?? '')?.status ?? statedBy(call, report?.status ?? null);
  if (stated !== null && !UNDERWAY.has(stated)) return stated;
  if (meta?.['finished'] === true || isFinished) return 'completed';
  return stated;
}

/** A call that waits for its agent shows how it ended, even without a structured result. */
function statedBy(call: ToolCallDraft | null, reported: string | null): string | null {
  if (reported !== null) return reported;
  if (call === null || call.spawn === null || call.results === 0 || call.outcome?.isBackground === true) return null;
  if (call.isStopped || call.outcome?.isInterrupted === true) return 'interrupted';
  if (call.denial !== null) return 'denied';
  return call.isError ? 'failed' : null;
}

function metaModel(meta: JsonObject | null): string | null {
  return asText(meta?.['model']) ?? asText(meta?.['pickedEffortModel']);
}

const WORKFLOW_FILE = /(?:^|\/)workflows\/([^/]+)\/[^/]+$/;

/** The run whose folder contains the agent's file. */
function workflowOf(state: SessionState, thread: ThreadDraft): string | null {
  const file = state.files.find(({ agentId }) => agentId !== null && agentId === thread.agentId);
  return (file === undefined ? null : WORKFLOW_FILE.exec(file.name)?.[1]) ?? null;
}

/** Adds every agent's figures to all its ancestors; stops at a cycle of parents. */
function rollUp(agents: readonly OwnSubagent[]): readonly Subagent[] {
  const byId = new Map(agents.map((agent) => [agent.agentId, agent]));
  const sums = new Map(
    agents.map((agent) => [agent.agentId, { tokens: { ...NO_TOKENS }, costNanos: null as number | null }]),
  );
  for (const { agentId, stats } of agents) {
    const climbed = new Set<string>();
    for (let at: string | null = agentId; at !== null && !climbed.has(at); at = byId.get(at)?.parentAgentId ?? null) {
      climbed.add(at);
      const sum = sums.get(at);
      if (sum === undefined) break;
      addTokens(sum.tokens, stats.tokens);
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
