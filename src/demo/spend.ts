import type { JsonObject } from '../domain/transcript.ts';
import type { ClientVersion } from './client-version.ts';

/** How much a conversation holds so far: what the next request reads from the cache. */
export interface Spend {
  readonly context: number;
  readonly isFirst: boolean;
}

const SYSTEM_PROMPT_TOKENS = 9_800;
const CHARS_PER_TOKEN = 3.6;

/** Believable usage: the first request fills the cache, later ones read it and add what is new. */
export function usageOf({ context, isFirst }: Spend, chars: number, version: ClientVersion): JsonObject {
  const written = isFirst ? SYSTEM_PROMPT_TOKENS + Math.ceil(context / 4) : 420 + (context % 900);
  const counts = {
    input_tokens: 4,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: isFirst ? 0 : SYSTEM_PROMPT_TOKENS + context,
    output_tokens: 60 + Math.ceil(chars / CHARS_PER_TOKEN),
  };
  const split = { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 };
  const usage = { ...counts, cache_creation: split, service_tier: 'standard' };
  if (!version.hasIterations) return usage;
  return {
    ...usage,
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    inference_geo: 'not_available',
    iterations: [{ ...counts, cache_creation: split, type: 'message' }],
    speed: 'standard',
  };
}
