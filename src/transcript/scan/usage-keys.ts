import { count, flag, type KeyTable, object, place, slotPlaces, text, time, word } from './line-engine.ts';

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

const MESSAGE: KeyTable = { id: text('id'), model: text('model'), usage: place('usage', USAGE) };

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
  forkedFrom: object('isForked'),
  isSidechain: flag('isSidechain'),
  isApiErrorMessage: flag('isApiError'),
};

type UsageSlot =
  | ('type' | 'message' | 'innerMessage' | 'innerType' | 'isAgentProgress')
  | (
      | 'id'
      | 'model'
      | 'requestId'
      | 'innerRequestId'
      | 'sessionId'
      | 'processSessionId'
      | 'timestamp'
      | 'innerTimestamp'
    )
  | ('isForked' | 'isSidechain' | 'isApiError' | 'innerIsApiError' | 'isBatch' | 'isFast' | 'isUsOnly')
  | ('input' | 'output' | 'cacheRead' | 'cacheWrite' | 'write5m' | 'write1h' | 'webSearches');

/** Index of each slot in the engine's slots and values. */
export const SLOT = slotPlaces(USAGE_KEYS) as { readonly [Slot in UsageSlot]: number };
