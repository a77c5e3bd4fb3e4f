import type { JsonObject } from '../../domain/transcript.ts';
import { addSafely, NANOS_PER_DOLLAR, SYNTHETIC_MODEL, type Usage } from '../../domain/usage.ts';
import { apiMessageOf, findApiMessage, keepFields, openMessage } from '../assemble/messages.ts';
import { emitContent } from '../assemble/blocks.ts';
import { fullerUsage, readUsage } from '../assemble/usage.ts';
import { type Placement, placeLine } from '../graph/place-line.ts';
import { keysOfContent } from '../graph/repeats.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import { type MessageDraft, noteAnomaly } from '../state.ts';
import { asCount, asList, asNumber, asObject, asText, isDeeperThan, MAX_JSON_DEPTH } from '../read/json.ts';
import type { LineContext } from './context.ts';
import { noteAnswer } from './descent.ts';

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
  const keys = keysOfContent(context, message?.['content'], asText(message?.['id']));
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
  const draft = apiMessageOf(context, placement, asText(message?.['id']));
  if (draft.lines.length === 1) keepFields(context, draft, context.record, KEPT);
  draft.model = model ?? draft.model;
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
  const draft = context.state.messages[findApiMessage(context, asText(message?.['id']) ?? '')];
  if (draft !== undefined) countUsage(context, draft, readUsage(message?.['usage'])?.usage ?? null);
}

function usageOf(context: LineContext, message: JsonObject | null): Usage | null {
  const value = message?.['usage'];
  if (value === undefined || value === null) return null;
  const reading = readUsage(value);
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
