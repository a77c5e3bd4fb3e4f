import type { JsonObject } from '../domain/transcript.ts';
import type { Scene } from './scribe.ts';

/** The fields that a version of the client writes, as far as the demo needs them. */
export interface ClientVersion {
  readonly name: string;
  readonly hasPromptId: boolean;
  readonly hasEntrypoint: boolean;
  readonly hasOrigin: boolean;
  readonly hasSourceUuid: boolean;
  readonly hasCaller: boolean;
  readonly hasEffort: boolean;
  readonly hasIterations: boolean;
}

const OLD: ClientVersion = {
  name: '2.0.37',
  hasPromptId: false,
  hasEntrypoint: false,
  hasOrigin: false,
  hasSourceUuid: false,
  hasCaller: false,
  hasEffort: false,
  hasIterations: false,
};

/** The last one with `progress` lines. */
const MIDDLE: ClientVersion = {
  ...OLD,
  name: '2.1.80',
  hasPromptId: true,
  hasEntrypoint: true,
  hasSourceUuid: true,
  hasCaller: true,
};

const RECENT: ClientVersion = { ...MIDDLE, name: '2.1.236', hasOrigin: true, hasEffort: true, hasIterations: true };

export const VERSIONS = {
  old: OLD,
  middle: MIDDLE,
  recent: RECENT,
  today: { ...RECENT, name: '2.1.326' },
} as const satisfies Record<string, ClientVersion>;

/** The fields at the end of every chained line. */
export function ancestry({ version, cwd, sessionId, gitBranch }: Scene): JsonObject {
  return {
    userType: 'external',
    ...(version.hasEntrypoint ? { entrypoint: 'cli' } : {}),
    cwd,
    sessionId,
    version: version.name,
    gitBranch,
  };
}

/** The size of a conversation so far, which the next request reads from the cache. */
export interface Spend {
  readonly context: number;
  readonly isFirst: boolean;
}

const SYSTEM_PROMPT_TOKENS = 9_800;
const CHARS_PER_TOKEN = 3.6;

/** Plausible usage: the first request fills the cache, later ones read it and add to it. */
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
