import { MAX_JSON_DEPTH } from '../../domain/json.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import { addSafely, NANOS_PER_DOLLAR, SYNTHETIC_MODEL, type Usage } from '../../domain/usage.ts';
import { emitContent } from '../assemble/blocks.ts';
import { apiMessageOf, createDraft, findApiMessage, keepFields, openMessage } from '../assemble/messages.ts';
import { fullerUsage, readUsage } from '../assemble/usage.ts';
import { threadOfAgent } from '../create-state.ts';
import { keysOfContent, type Placement, placeLine, positionId } from '../graph/place-line.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import { apiIdOf, requestIdOf } from '../read/api-id.ts';
import { asCount, asList, asNumber, asObject, asText, isDeeperThan, isFilledText } from '../read/json.ts';
import { type MessageDraft, noteAnomaly, type SessionState, type ThreadDraft } from '../state.ts';
import { createContext, type LineContext, noteAnswer } from './context.ts';
import { readUserLine } from './user.ts';

const KEPT = [
  'effort',
  'requestedModel',
  'isAbortedMidStream',
  'attributionSkill',
  'attributionAgent',
  'attributionPlugin',
];
const KEPT_OF_ERROR = ['error', 'apiError', 'apiErrorStatus', 'apiErrorType'];

/** An assistant line holds one or more blocks of an API message; all lines of a message share its id. */
export function readAssistantLine(context: LineContext): void {
  noteAnswer(context);
  const { record, state, message } = context;
  const keys = keysOfContent(context, message?.['content'], apiIdOf(record, message));
  const placement = placeLine(context, NODE_KINDS.assistant, keys);
  if (placement.isCopy) return countCopiedUsage(context, message);
  if (message === null) noteAnomaly(state, 'shape_error');
  const model = asText(message?.['model']);
  const isSynthetic = record['isApiErrorMessage'] === true || model === SYNTHETIC_MODEL;
  const draft = isSynthetic ? openSynthetic(context, placement) : readApiMessage(context, placement, message, model);
  noteLineCost(context);
  emitContent(context, draft, message?.['content']);
}

function readApiMessage(
  context: LineContext,
  placement: Placement,
  message: JsonObject | null,
  model: string | null,
): MessageDraft {
  const draft = apiMessageOf(context, placement, apiIdOf(context.record, message));
  if (draft.lines.length === 1) keepFields(context, draft, context.record, KEPT);
  draft.model = isFilledText(model) ? model : (draft.model ?? model);
  draft.stopReason = asText(message?.['stop_reason']) ?? draft.stopReason;
  countUsage(context, draft, usageOf(context, message));
  noteRequest(draft, message);
  if (model !== null && !context.state.facts.models.has(model)) context.state.facts.models.add(model);
  return draft;
}

/** Records what the API reports about the requests behind an answer. */
function noteRequest(draft: MessageDraft, message: JsonObject | null): void {
  const iterations = asList(asObject(message?.['usage'])?.['iterations']);
  if (iterations !== null) {
    draft.iterations = Math.max(draft.iterations ?? 0, iterations.length);
    if (iterations.length > 1 && !isDeeperThan(iterations, MAX_JSON_DEPTH)) draft.metadata['iterations'] = iterations;
  }
  const miss = asObject(asObject(message?.['diagnostics'])?.['cache_miss_reason']);
  const reason = asText(miss?.['type']);
  if (reason !== null) draft.cacheMiss = { reason, tokens: asCount(miss?.['cache_missed_input_tokens']) };
}

/** A message written by the client in place of the model: an API error or an empty response. */
function openSynthetic(context: LineContext, placement: Placement): MessageDraft {
  const { record, state } = context;
  const draft = openMessage(context, placement, { messageType: 'assistant', role: 'assistant', origin: 'synthetic' });
  keepFields(context, draft, record, KEPT_OF_ERROR);
  if (record['isApiErrorMessage'] !== true) return draft;
  state.apiErrors.push({
    message: context.messageIndex,
    timestamp: draft.timestamp,
    status: asCount(record['apiErrorStatus']),
    kind: asText(record['error']) ?? asText(record['apiError']) ?? asText(record['apiErrorType']),
    text: null,
    retryAttempt: null,
    maxRetries: null,
    retryInMs: null,
  });
  return draft;
}

/** Usage belongs to the original message; a replay is used only if it has fuller figures for the same request. */
function countUsage({ state }: LineContext, draft: MessageDraft, usage: Usage | null): void {
  if (usage === null) return;
  const original = draft.replayOf < 0 ? draft : (state.messages[draft.replayOf] as MessageDraft);
  if (original !== draft && original.requestId !== draft.requestId) return;
  original.usage = fullerUsage(original.usage, usage);
  if (state.envelope.isUndercounting) original.metadata['undercounted'] = true;
}

/** When a line was written twice, the second copy may have the final figures. */
function countCopiedUsage(context: LineContext, message: JsonObject | null): void {
  const draft = context.state.messages[findApiMessage(context, apiIdOf(context.record, message) ?? '')];
  if (draft !== undefined) countUsage(context, draft, readUsage(message)?.usage ?? null);
}

function usageOf(context: LineContext, message: JsonObject | null): Usage | null {
  const value = message?.['usage'];
  if (value === undefined || value === null) return null;
  const reading = readUsage(message);
  if (reading === null || !reading.isWellFormed) noteAnomaly(context.state, 'shape_error');
  if (reading?.isPlausible === false) noteAnomaly(context.state, 'implausible_count');
  return reading?.usage ?? null;
}

/** Clients up to 1.0.1 wrote the cost in dollars on every line. */
function noteLineCost({ record, state }: LineContext): void {
  const dollars = record['costUSD'] === undefined ? null : asNumber(record['costUSD']);
  if (dollars === null || dollars < 0) return;
  state.costs.lineCostNanos = addSafely(state.costs.lineCostNanos ?? 0, Math.round(dollars * NANOS_PER_DOLLAR));
}

/** A progress line (2.1.7 to 2.1.81): a link of the uuid chain and, for agents, an echo of their messages. */
export function readProgressLine(context: LineContext): void {
  if (placeLine(context, NODE_KINDS.progress).isCopy) return;
  const data = asObject(context.record['data']);
  const kind = asText(data?.['type']);
  if (data === null || kind === null) return;
  if (kind === 'agent_progress') readAgentProgress(context, data);
}

/** If the agent has its own file, only the usage of the echo is kept; otherwise the echo is the only record. */
function readAgentProgress(context: LineContext, data: JsonObject): void {
  const { state, record } = context;
  const agentId = asText(data['agentId']);
  if (agentId === null || agentId === '') return;
  const index = threadOfAgent(state, agentId, 'progress');
  const thread = state.threads[index] as ThreadDraft;
  thread.toolUseId ??= asText(record['parentToolUseID']);
  const echo = asObject(data['message']);
  if (echo === null) return;
  const inner = createContext({ ...context, record: { ...echo, isSidechain: true, parentUuid: null }, thread: index });
  if (thread.source === 'file') {
    if (inner.message !== null) noteEcho(inner, inner.message);
    return;
  }
  if (echo['type'] === 'assistant') readAssistantLine(inner);
  else if (echo['type'] === 'user') readUserLine(inner);
}

/**
 * Progress lines echo the messages of agents. If the agent has its own file, that file is the record; the usage of the
 * echo is kept in case the file was truncated and lacks the message.
 */
function noteEcho(context: LineContext, message: JsonObject): void {
  const { state, record } = context;
  const apiMessageId = apiIdOf(record, message);
  const usage = readUsage(message)?.usage ?? null;
  if (apiMessageId === null || usage === null) return;
  const known = state.echoes.get(apiMessageId);
  if (known !== undefined) {
    known.usage = fullerUsage(known.usage, usage);
    return;
  }
  const requestId = requestIdOf(record);
  const about = { messageType: 'assistant', role: 'assistant', origin: 'model', apiMessageId, requestId } as const;
  const draft = createDraft(context, positionId(context), about);
  draft.model = asText(message['model']);
  draft.usage = usage;
  state.echoes.set(apiMessageId, draft);
}

/** Echoes without any other record become messages without blocks; from other echoes only a fuller usage counts. */
export function settleEchoes(state: SessionState): void {
  for (const [id, echo] of state.echoes) {
    const known = state.apiMessages.get(id);
    if (known === undefined) {
      state.apiMessages.set(id, [state.messages.length]);
      state.messages.push(echo);
      continue;
    }
    const originals = known.map((index) => state.messages[index] as MessageDraft).filter((draft) => draft.replayOf < 0);
    const original = originals.find((draft) => draft.requestId === echo.requestId);
    if (original !== undefined && original !== echo && echo.usage !== null) {
      original.usage = fullerUsage(echo.usage, original.usage);
    }
  }
}
