import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { SYNTHETIC_MODEL } from '../../domain/usage.ts';
import { isPlausibleTime } from '../assemble/timestamp.ts';
import { readUsage } from '../assemble/usage.ts';
import { apiIdOf, requestIdOf } from '../read/api-id.ts';
import { asObject, asText } from '../read/json.ts';
import { count, flag, type KeyTable, object, place, slotPlaces, text, time, word } from './line-engine.ts';
import { AGENT, BATCH, ECHO, FAST, INHERITED, US_ONLY, type UsageFigures } from './usage-rows.ts';

interface UsageRecord {
  readonly id: string;
  readonly requestId: string | null;
  readonly sessionId: string | null;
  readonly figures: UsageFigures;
}

/**
 * The usage in one parsed line: of an assistant line, or of the sub-agent's message inside an agent_progress line. Null
 * if there is nothing to count: no usage, an API error, a message not written by a model. This is the reference; the
 * byte scanner must agree wherever it returns a result.
 */
export function usageOfRecord(record: JsonObject): UsageRecord | null {
  const sessionId = asText(record['sessionId']) || null;
  if (record['type'] === 'assistant') return usageOfAssistant(record, sessionId, ownMarks(record, sessionId));
  if (record['type'] !== 'progress') return null;
  const data = asObject(record['data']);
  const inner = data?.['type'] === 'agent_progress' ? asObject(data['message']) : null;
  if (inner?.['type'] !== 'assistant') return null;
  return usageOfAssistant(inner, sessionId, AGENT | ECHO | (ownMarks(record, sessionId) & INHERITED));
}

function ownMarks(record: JsonObject, sessionId: string | null): number {
  const processSession = asText(record['session_id']) || sessionId;
  const requestSession = asText(record['requestSessionId']) || sessionId;
  const isInherited =
    asObject(record['forkedFrom']) !== null || processSession !== sessionId || requestSession !== sessionId;
  return (record['isSidechain'] === true ? AGENT : 0) | (isInherited ? INHERITED : 0);
}

function usageOfAssistant(record: JsonObject, sessionId: string | null, marks: number): UsageRecord | null {
  const message = asObject(record['message']);
  const model = asText(message?.['model']) ?? '';
  if (message === null || record['isApiErrorMessage'] === true || model === SYNTHETIC_MODEL) return null;
  const reading = readUsage(message);
  if (reading === null) return null;
  const { usage } = reading;
  return {
    // Without an id, the line is a message by itself.
    id: apiIdOf(record, message) ?? asText(record['uuid']) ?? '',
    requestId: requestIdOf(record),
    sessionId,
    figures: {
      model,
      timeMs: millisOf(record['timestamp']),
      marks: marks | priceMarks(usage),
      input: usage.input,
      output: usage.output,
      cacheRead: usage.cacheRead,
      cacheWrite5m: usage.cacheWrite5m,
      cacheWrite1h: usage.cacheWrite1h,
      webSearches: usage.webSearches,
    },
  };
}

function priceMarks(usage: { speed: string | null; serviceTier: string | null; inferenceGeo: string | null }): number {
  return (
    (usage.speed === 'fast' ? FAST : 0) |
    (usage.serviceTier === 'batch' ? BATCH : 0) |
    (usage.inferenceGeo === 'us' ? US_ONLY : 0)
  );
}

function millisOf(timestamp: JsonValue | undefined): number {
  return typeof timestamp === 'string' && isPlausibleTime(timestamp) ? Date.parse(timestamp) : -1;
}

/** Numbers of the words that the scan distinguishes. */
export const ASSISTANT = 1;
export const PROGRESS = 2;

const USAGE: KeyTable = {
  input_tokens: count('input'),
  output_tokens: count('output'),
  cache_read_input_tokens: count('cacheRead'),
  cache_creation_input_tokens: count('cacheWrite'),
  cache_creation: place('cacheTiers', {
    ephemeral_5m_input_tokens: count('write5m'),
    ephemeral_1h_input_tokens: count('write1h'),
  }),
  service_tier: word('isBatch', 'batch'),
  speed: word('isFast', 'fast'),
  inference_geo: word('isUsOnly', 'us'),
  server_tool_use: place('serverTools', { web_search_requests: count('webSearches') }),
};

const MESSAGE: KeyTable = {
  id: text('id'),
  model: text('model'),
  usage: place('usage', USAGE),
  pausedResponses: object('paused'),
};

/** The sub-agent line repeated by an agent_progress line. */
const INNER: KeyTable = {
  type: word('innerType', 'assistant'),
  message: place('innerMessage', MESSAGE),
  requestId: text('innerRequestId'),
  timestamp: time('innerTimestamp'),
  isApiErrorMessage: flag('innerIsApiError'),
};

export const USAGE_KEYS: KeyTable = {
  type: word('type', 'assistant', 'progress'),
  message: place('message', MESSAGE),
  data: place('data', { type: word('isAgentProgress', 'agent_progress'), message: place('inner', INNER) }),
  requestId: text('requestId'),
  timestamp: time('timestamp'),
  sessionId: text('sessionId'),
  session_id: text('processSessionId'),
  requestSessionId: text('requestSessionId'),
  forkedFrom: object('isForked'),
  isSidechain: flag('isSidechain'),
  isApiErrorMessage: flag('isApiError'),
};

type UsageSlot =
  | ('type' | 'message' | 'innerMessage' | 'innerType' | 'isAgentProgress' | 'usage' | 'paused')
  | (
      | 'id'
      | 'model'
      | 'requestId'
      | 'innerRequestId'
      | 'sessionId'
      | 'processSessionId'
      | 'requestSessionId'
      | 'timestamp'
      | 'innerTimestamp'
    )
  | ('isForked' | 'isSidechain' | 'isApiError' | 'innerIsApiError' | 'isBatch' | 'isFast' | 'isUsOnly')
  | ('input' | 'output' | 'cacheRead' | 'cacheWrite' | 'write5m' | 'write1h' | 'webSearches');

/** Index of each slot in the engine's slots and values. */
export const SLOT = slotPlaces(USAGE_KEYS) as { readonly [Slot in UsageSlot]: number };
