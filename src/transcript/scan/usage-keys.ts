import { type KeyTable, slotPlaces } from './simd/key-table.ts';

/** What the scan wants to know of a line, and where it stands. */
type UsageSlot =
  | 'type'
  | 'message'
  | 'data'
  | 'requestId'
  | 'timestamp'
  | 'sessionId'
  | 'processSessionId'
  | 'forkedFrom'
  | 'isSidechain'
  | 'isApiError'
  | 'dataType'
  | 'inner'
  | 'innerType'
  | 'innerMessage'
  | 'innerRequestId'
  | 'innerTimestamp'
  | 'innerIsApiError'
  | 'id'
  | 'model'
  | 'usage'
  | 'input'
  | 'output'
  | 'cacheRead'
  | 'cacheWrite'
  | 'cacheTiers'
  | 'write5m'
  | 'write1h'
  | 'serviceTier'
  | 'speed'
  | 'inferenceGeo'
  | 'serverTools'
  | 'webSearches';

const USAGE: KeyTable<UsageSlot> = {
  input_tokens: 'input',
  output_tokens: 'output',
  cache_read_input_tokens: 'cacheRead',
  cache_creation_input_tokens: 'cacheWrite',
  cache_creation: {
    slot: 'cacheTiers',
    table: { ephemeral_5m_input_tokens: 'write5m', ephemeral_1h_input_tokens: 'write1h' },
  },
  service_tier: 'serviceTier',
  speed: 'speed',
  inference_geo: 'inferenceGeo',
  server_tool_use: { slot: 'serverTools', table: { web_search_requests: 'webSearches' } },
};

const MESSAGE: KeyTable<UsageSlot> = { id: 'id', model: 'model', usage: { slot: 'usage', table: USAGE } };

/** The line of a sub-agent that an agent_progress line repeats. */
const INNER: KeyTable<UsageSlot> = {
  type: 'innerType',
  message: { slot: 'innerMessage', table: MESSAGE },
  requestId: 'innerRequestId',
  timestamp: 'innerTimestamp',
  isApiErrorMessage: 'innerIsApiError',
};

export const USAGE_KEYS: KeyTable<UsageSlot> = {
  type: 'type',
  message: { slot: 'message', table: MESSAGE },
  data: { slot: 'data', table: { type: 'dataType', message: { slot: 'inner', table: INNER } } },
  requestId: 'requestId',
  timestamp: 'timestamp',
  sessionId: 'sessionId',
  session_id: 'processSessionId',
  forkedFrom: 'forkedFrom',
  isSidechain: 'isSidechain',
  isApiErrorMessage: 'isApiError',
};

/** The place of each in the slots of the engine. */
export const SLOT = slotPlaces(USAGE_KEYS) as { readonly [Slot in UsageSlot]: number };
