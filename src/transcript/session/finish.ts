import type {
  LineAccount,
  ParsedSession,
  SessionStats,
  TranscriptMessage,
  TranscriptSink,
} from '../../domain/transcript.ts';
import type { FileReport, LevelStats, Subagent, ToolCall } from '../../domain/transcript-structure.ts';
import { findBranches } from '../graph/branches.ts';
import { viewCompactions } from '../graph/compactions.ts';
import { buildMessageGraph } from '../graph/place-line.ts';
import { settleEchoes } from '../line/assistant.ts';
import { settleQueue } from '../line/attachment.ts';
import { PARSER_VERSION } from '../parser-version.ts';
import type { SessionState } from '../state.ts';
import {
  finishAnomalies,
  finishClientCost,
  finishFacts,
  finishLeafTitles,
  finishLinks,
  finishOrigins,
} from './finish-facts.ts';
import {
  callsById,
  finishPlans,
  finishQuestions,
  finishSkills,
  finishTeams,
  finishTodos,
  finishToolCalls,
  finishWorktrees,
  listGitOperations,
  sumTouchedFiles,
} from './finish-lists.ts';
import { finishMessages, type PriceUsage } from './finish-messages.ts';
import { finishSubagents } from './finish-subagents.ts';
import { activeTimeOf, countLevels, finishSegments, finishTurns, sessionTotals } from './finish-turns.ts';

/** Builds the session from the collected state: graph, messages, calls, levels, agents. */
export function finishSession(state: SessionState, sink: TranscriptSink, price: PriceUsage | null): ParsedSession {
  settleEchoes(state);
  settleQueue(state, sink);
  const graph = buildMessageGraph(state);
  const compactions = viewCompactions(state, graph);
  const branches = findBranches(state, graph);
  const finished = finishMessages(state, graph, compactions, price);
  const toolCalls = finishToolCalls(state, finished);
  const byId = callsById(toolCalls);
  const levels = countLevels(state, finished, toolCalls);
  const turns = finishTurns(graph, finished, levels, branches);
  const { messages } = finished;
  const activeTime = activeTimeOf(turns, messages);
  const subagents = finishSubagents(state, levels, activeTime);
  const facts = finishFacts(state, subagents);
  const totals = sessionTotals(levels, facts, activeTime);
  return {
    sessionId: state.sessionId,
    parserVersion: PARSER_VERSION,
    messages,
    facts,
    stats: {
      ...statsOf(totals, messages, price),
      subagentCount: countSubagents(subagents, toolCalls),
      durationMs: totals.wallMs,
    },
    lines: sumAccounts(state),
    anomalies: finishAnomalies(state, graph.forest, finished, price),
    files: fileReports(state),
    turns,
    branches,
    segments: finishSegments(messages, levels, activeTime),
    compactions: compactions.compactions,
    toolCalls,
    touchedFiles: sumTouchedFiles(toolCalls),
    gitOperations: listGitOperations(state),
    subagents,
    teams: finishTeams(state, subagents),
    links: finishLinks(state),
    origins: finishOrigins(state),
    apiErrors: finishApiErrors(state),
    plans: finishPlans(state),
    todos: finishTodos(state),
    skills: finishSkills(state, byId),
    questions: finishQuestions(state, byId),
    pullRequests: [...state.pullRequests.values()],
    worktrees: finishWorktrees(state, subagents),
    leafTitles: finishLeafTitles(state),
    queue: state.queue.operations,
    clientCost: finishClientCost(state),
    totals,
    skipped: state.skipped,
  };
}

/** Sub-agents started in the copied beginning belong to the session it was copied from. */
function countSubagents(subagents: readonly Subagent[], calls: readonly ToolCall[]): number {
  const inherited = new Set(calls.filter(({ isInherited }) => isInherited).map(({ id }) => id));
  return subagents.filter(({ toolUseId }) => toolUseId === null || !inherited.has(toolUseId)).length;
}

function statsOf(
  totals: LevelStats,
  messages: readonly TranscriptMessage[],
  price: PriceUsage | null,
): Omit<SessionStats, 'subagentCount' | 'durationMs'> {
  const unpriced =
    price === null ? [] : messages.filter(({ usage, costNanos }) => usage !== null && costNanos === null);
  const { tokens } = totals;
  return {
    totalMessages: totals.messages,
    userMessages: totals.userMessages,
    assistantMessages: totals.assistantMessages,
    toolUseCount: totals.toolCalls,
    thinkingBlocks: totals.thinkingBlocks,
    tokensIn: tokens.input,
    tokensOut: tokens.output,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: tokens.cacheWrite5m + tokens.cacheWrite1h,
    costNanos: totals.costNanos,
    unknownModels: [...new Set(unpriced.map(({ model }) => model ?? 'unknown'))],
  };
}

function finishApiErrors({ apiErrors, messages, threads }: SessionState): ParsedSession['apiErrors'] {
  return apiErrors.map(({ message, ...error }) => {
    const draft = messages[message];
    return { messageId: draft?.id ?? '', agentId: threads[draft?.thread ?? 0]?.agentId ?? null, ...error };
  });
}

function fileReports({ files }: SessionState): readonly FileReport[] {
  return files.map(({ name, role, agentId, splitter, account }) => ({
    name,
    role,
    agentId,
    bytes: splitter.lineOffset + splitter.lineBytes,
    lines: { ...account },
  }));
}

function sumAccounts({ files }: SessionState): LineAccount {
  const sum = { total: 0, records: 0, salvaged: 0, skipped: 0 };
  for (const { account } of files) {
    sum.total += account.total;
    sum.records += account.records;
    sum.salvaged += account.salvaged;
    sum.skipped += account.skipped;
  }
  return sum;
}
