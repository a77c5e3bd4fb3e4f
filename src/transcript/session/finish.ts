import type { ParsedSession, SessionFacts, SessionStats, TranscriptMessage } from '../../domain/transcript.ts';
import type { Usage } from '../../domain/usage.ts';
import { isPlausibleTime, millisBetween } from '../assemble/timestamp.ts';
import { findRow } from '../graph/uuid-table.ts';
import { type MessageDraft, noteAnomaly, type SessionState } from '../state.ts';

/** Raised whenever the same bytes give other rows than before. */
export const PARSER_VERSION = 1;

export type PriceUsage = (
  model: string,
  usage: Usage,
  at: string | null,
) => { readonly costNanos: number; readonly rateId: string } | null;

export function finishSession(state: SessionState, price: PriceUsage | null): ParsedSession {
  const messages = state.messages.map((draft, ordinal) => finishMessage(state, draft, ordinal, price));
  notePairing(state);
  return {
    sessionId: state.sessionId,
    parserVersion: PARSER_VERSION,
    messages,
    facts: finishFacts(state),
    stats: finishStats(state, messages),
    lines: { ...state.account },
    anomalies: new Map(state.anomalies),
  };
}

function notePairing(state: SessionState): void {
  for (const call of state.toolCalls.values()) {
    if (call.uses === 0) noteAnomaly(state, 'unpaired_tool_result');
    if (call.results === 0) noteAnomaly(state, 'unpaired_tool_use');
  }
}

function finishMessage(
  state: SessionState,
  draft: MessageDraft,
  ordinal: number,
  price: PriceUsage | null,
): TranscriptMessage {
  const priced =
    price !== null && draft.usage !== null && draft.model !== null
      ? price(draft.model, draft.usage, draft.timestamp)
      : null;
  return {
    id: draft.id,
    ordinal,
    agentId: state.threads[draft.thread]?.agentId ?? null,
    messageType: draft.messageType,
    subtype: draft.subtype,
    role: draft.role,
    origin: draft.origin,
    lines: draft.lines,
    uuid: draft.uuid,
    parentUuid: draft.parentUuid,
    apiMessageId: draft.apiMessageId,
    requestId: draft.requestId,
    model: draft.model,
    stopReason: draft.stopReason,
    usage: draft.usage,
    costNanos: priced?.costNanos ?? null,
    timestamp: draft.timestamp,
    compactSequence: 0,
    isCompacted: false,
    isSidechain: draft.isSidechain,
    isMeta: draft.isMeta,
    hasText: draft.hasText,
    hasThinking: draft.hasThinking,
    hasToolUse: draft.hasToolUse,
    hasToolResult: draft.hasToolResult,
    metadata: draft.metadata,
  };
}

function finishFacts({ facts, uuids }: SessionState): SessionFacts {
  const own = facts.summaries.filter((summary) => summary.leafUuid !== null && isOnLine(summary.leafUuid));
  return {
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    title: facts.customTitle ?? facts.agentName ?? facts.aiTitle ?? own.at(-1)?.text ?? null,
    initialPrompt: facts.initialPrompt ?? facts.initialCommand,
    models: [...facts.models],
    cwds: [...facts.cwds],
    gitBranches: [...facts.gitBranches],
    versions: [...facts.versions],
    entrypoint: facts.entrypoint,
    permissionModes: [...facts.permissionModes],
    slug: facts.slug,
    foreignSessionIds: [...facts.foreignSessionIds],
  };

  function isOnLine(uuid: string): boolean {
    const row = findRow(uuids, uuid);
    return row >= 0 && (uuids.line[row] as number) >= 0;
  }
}

function finishStats(state: SessionState, messages: readonly TranscriptMessage[]): SessionStats {
  let [tokensIn, tokensOut, cacheReadTokens, cacheWriteTokens] = [0, 0, 0, 0];
  let costNanos: number | null = null;
  const unknownModels = new Set<string>();
  for (const { usage, costNanos: cost, model } of messages) {
    if (usage === null) continue;
    tokensIn += usage.input;
    tokensOut += usage.output;
    cacheReadTokens += usage.cacheRead;
    cacheWriteTokens += usage.cacheWrite5m + usage.cacheWrite1h;
    if (cost !== null) costNanos = (costNanos ?? 0) + cost;
    else unknownModels.add(model ?? 'unknown');
  }
  const { startedAt, endedAt } = state.facts;
  return {
    totalMessages: messages.filter((message) => message.messageType !== 'attachment' || message.origin !== 'context')
      .length,
    userMessages: messages.filter(
      (message) => message.agentId === null && (message.origin === 'human' || message.origin === 'queued'),
    ).length,
    assistantMessages: state.messages.filter((draft) => draft.origin === 'model' && draft.replayOf === null).length,
    toolUseCount: [...state.toolCalls.values()].filter((call) => call.uses > 0).length,
    thinkingBlocks: state.messages.reduce((sum, draft) => sum + draft.thinkingBlocks, 0),
    subagentCount: state.threads.length - 1,
    tokensIn,
    tokensOut,
    cacheReadTokens,
    cacheWriteTokens,
    costNanos,
    unknownModels: [...unknownModels],
    durationMs: isSpan(startedAt, endedAt) ? millisBetween(startedAt, endedAt) : null,
  };
}

function isSpan(from: string | null, to: string | null): boolean {
  return from !== null && to !== null && isPlausibleTime(from) && isPlausibleTime(to);
}
