import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { type ComparedUsage, compareUsage, MAX_TOKENS, type Usage } from '../../domain/usage.ts';
import { asCount, asList, asObject, asText } from '../read/json.ts';

interface UsageReading {
  readonly usage: Usage;
  /** False if a count was negative, fractional or not a number and was left out. */
  readonly isWellFormed: boolean;
  /** False if a count was implausibly large and was capped at MAX_TOKENS. */
  readonly isPlausible: boolean;
}

/**
 * Reads the usage of a message. A count that is not a safe integer is read as 0; a huge one is capped. Since 2.1.328, an
 * answer that was paused and resumed lists the usage of the earlier parts, each billed by itself, in `pausedResponses`.
 */
export function readUsage(message: JsonObject | null): UsageReading | null {
  const raw = asObject(message?.['usage']);
  if (raw === null) return null;
  const doubts: Doubts = { broken: 0, huge: 0 };
  const parts = (asList(message?.['pausedResponses']) ?? []).map((part) => asObject(asObject(part)?.['usage']));
  const paused = parts.filter((part) => part !== null);
  const usage = paused.reduce((sum, part) => addUsage(sum, usageOf(part, doubts)), usageOf(raw, doubts));
  return { usage, isWellFormed: doubts.broken === 0, isPlausible: doubts.huge === 0 };
}

function usageOf(raw: JsonObject, doubts: Doubts): Usage {
  const split = asObject(raw['cache_creation']);
  const server = asObject(raw['server_tool_use']);
  const details = asObject(raw['output_tokens_details']);
  const writes = splitCacheWrites(
    takeCount(raw['cache_creation_input_tokens'], doubts),
    split === null ? null : takeCount(split['ephemeral_5m_input_tokens'], doubts),
    split === null ? null : takeCount(split['ephemeral_1h_input_tokens'], doubts),
  );
  return {
    input: takeCount(raw['input_tokens'], doubts) ?? 0,
    output: takeCount(raw['output_tokens'], doubts) ?? 0,
    cacheRead: takeCount(raw['cache_read_input_tokens'], doubts) ?? 0,
    cacheWrite5m: writes.cacheWrite5m,
    cacheWrite1h: writes.cacheWrite1h,
    webSearches: server === null ? 0 : (takeCount(server['web_search_requests'], doubts) ?? 0),
    webFetches: server === null ? 0 : (takeCount(server['web_fetch_requests'], doubts) ?? 0),
    thinkingTokens: details === null ? null : takeCount(details['thinking_tokens'], doubts),
    serviceTier: asText(raw['service_tier']),
    speed: asText(raw['speed']),
    inferenceGeo: asText(raw['inference_geo']),
  };
}

/** The tier, speed and region are those of `usage`. */
function addUsage(usage: Usage, more: Usage): Usage {
  const sum = (
    name: 'input' | 'output' | 'cacheRead' | 'cacheWrite5m' | 'cacheWrite1h' | 'webSearches' | 'webFetches',
  ) => Math.min(usage[name] + more[name], MAX_TOKENS);
  const thinking = [usage.thinkingTokens, more.thinkingTokens].filter((tokens) => tokens !== null);
  return {
    ...usage,
    input: sum('input'),
    output: sum('output'),
    cacheRead: sum('cacheRead'),
    cacheWrite5m: sum('cacheWrite5m'),
    cacheWrite1h: sum('cacheWrite1h'),
    webSearches: sum('webSearches'),
    webFetches: sum('webFetches'),
    thinkingTokens:
      thinking.length === 0
        ? null
        : Math.min(
            thinking.reduce((a, b) => a + b),
            MAX_TOKENS,
          ),
  };
}

/** Of two usage records of one API message, returns the more complete one; the later one if they are equal. */
export function fullerUsage(earlier: Usage | null, later: Usage | null): Usage | null {
  if (earlier === null || later === null) return earlier ?? later;
  if (later.output !== earlier.output) return later.output > earlier.output ? later : earlier;
  return compareUsage(comparedFigures(later), comparedFigures(earlier)) >= 0 ? later : earlier;
}

function comparedFigures(usage: Usage): ComparedUsage {
  return {
    ...usage,
    isFast: usage.speed === 'fast',
    isBatch: usage.serviceTier === 'batch',
    isUsOnly: usage.inferenceGeo === 'us',
  };
}

/** The total is what was billed; the split only says how much of it is cached for an hour. */
function splitCacheWrites(
  total: number | null,
  fiveMinutes: number | null,
  oneHour: number | null,
): { cacheWrite5m: number; cacheWrite1h: number } {
  if (total === null) return { cacheWrite5m: fiveMinutes ?? 0, cacheWrite1h: oneHour ?? 0 };
  const cacheWrite1h = Math.min(oneHour ?? 0, total);
  return { cacheWrite5m: total - cacheWrite1h, cacheWrite1h };
}

interface Doubts {
  broken: number;
  huge: number;
}

function takeCount(value: JsonValue | undefined, doubts: Doubts): number | null {
  if (value === undefined || value === null) return null;
  const count = asCount(value);
  if (count === null) doubts.broken += 1;
  else if (count > MAX_TOKENS) doubts.huge += 1;
  return count === null ? null : Math.min(count, MAX_TOKENS);
}

/** More characters than any token represents: complete answers of real sessions have at most 6 per token. */
const MAX_CHARS_PER_TOKEN = 10;
/** A call takes more tokens than this. */
const MAX_TOKENS_BEFORE_CALL = 12;

/**
 * True for a message whose output count must be too low. Many clients before 2.1.62 wrote lines when a block was complete,
 * with the count from the start of the stream and without a stop reason, and never wrote the final count.
 */
export function isProvenTooLow({ usage, stopReason, chars, hasToolUse }: CountedMessage): boolean {
  if (usage === null || stopReason !== null) return false;
  return usage.output * MAX_CHARS_PER_TOKEN < chars || (hasToolUse && usage.output < MAX_TOKENS_BEFORE_CALL);
}

interface CountedMessage {
  readonly usage: Usage | null;
  readonly stopReason: string | null;
  readonly chars: number;
  readonly hasToolUse: boolean;
}

/** Clients 2.1.20 to 2.1.47 often wrote the output count from the start of the stream and never the final one. */
const FIRST = 20;
const LAST = 47;
const VERSION = /^2\.1\.(\d{1,4})(?:\D|$)/;

export function isUndercounting(version: string): boolean {
  const patch = Number(VERSION.exec(version)?.[1] ?? -1);
  return patch >= FIRST && patch <= LAST;
}
