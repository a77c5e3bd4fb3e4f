import { DAY_MS } from '../domain/durations.ts';
import { FuelError } from '../domain/errors.ts';
import type { Summarizer } from '../domain/ports.ts';
import { readSafeUrl } from '../domain/requests.ts';
import type { SummaryAnswer, SummaryRequest } from '../domain/summary.ts';
import { sha256Hex } from '../lib/sha256.ts';

export interface AnthropicOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly model: string;
  /** Sent only if set; current models choose their own. */
  readonly temperature: number | null;
  readonly maxOutputTokens: number;
  /** From the first byte sent to the last byte received. */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

const TIMEOUT_MS = 60_000;
/** Enough for a few sentences and their JSON envelope; a larger body is not an answer to the question. */
const MAX_BODY_BYTES = 256 * 1024;
const FINGERPRINT_CHARS = 16;

/** Summaries by the Anthropic API. Errors: bad_config for an address that the key must not be sent to. */
export function createAnthropicSummarizer(options: AnthropicOptions): Summarizer {
  if (readSafeUrl(options.baseUrl) === null) {
    throw new FuelError('bad_config', 'The URL for AI summaries must use https, or http on this machine.', {
      hint: 'Fix summaryBaseUrl; it must not contain a password either.',
    });
  }
  const fingerprint = sha256Hex(`${options.baseUrl}\n${options.apiKey}\n${options.model}`);
  return {
    service: `anthropic ${fingerprint.slice(0, FINGERPRINT_CHARS)}`,
    model: options.model,
    maxOutputTokens: options.maxOutputTokens,
    ask: async (request) => {
      try {
        return await ask(options, request);
      } catch (error) {
        // No connection, a timeout, or an unreadable answer.
        const message = error instanceof Error ? error.message : String(error);
        return { kind: 'failed', why: 'lost', retryAfterMs: null, message };
      }
    },
  };
}

/** The supported API version; current clients send the same. */
const API_VERSION = '2026-10-21';

async function ask(options: AnthropicOptions, { system, text }: SummaryRequest): Promise<SummaryAnswer> {
  const response = await fetch(`${options.baseUrl.replace(/\/+$/, '')}/v1/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${options.apiKey}`,
      'anthropic-version': API_VERSION,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify({
      model: options.model,
      max_tokens: options.maxOutputTokens,
      system,
      messages: [{ role: 'user', content: text }],
      ...(options.temperature === null ? {} : { temperature: options.temperature }),
    }),
    // A redirect could send the key elsewhere.
    redirect: 'error',
    signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
  });
  const body = await readBody(response);
  if (!response.ok) return toFailure(response, body, (options.now ?? Date.now)());
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return toAnswer(isJson ? JSON.parse(body) : null);
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new Error('The answer is larger than any summary.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The response is untrusted: the configured address may belong to another service. */
function toAnswer(message: unknown): SummaryAnswer {
  const {
    content,
    usage,
    stop_reason: stop,
  } = (message ?? {}) as {
    content?: unknown;
    usage?: { input_tokens?: unknown; output_tokens?: unknown };
    stop_reason?: unknown;
  };
  const blocks = Array.isArray(content) ? (content as { type?: unknown; text?: unknown }[]) : [];
  const texts = blocks.filter((block) => block?.type === 'text' && typeof block.text === 'string');
  const isWhole = stop !== 'refusal' && stop !== 'tool_use';
  return {
    kind: 'answered',
    text: isWhole ? texts.map(({ text }) => text).join('\n') : '',
    tokensIn: countOf(usage?.input_tokens),
    tokensOut: countOf(usage?.output_tokens),
  };
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

const BUSY = new Set([408, 409, 425, 429]);
const REFUSED = new Set([401, 402, 403, 404, 405]);

const MAX_REASON_CHARS = 1_000;

function toFailure({ status, headers }: Response, body: string, nowMs: number): SummaryAnswer {
  const why = BUSY.has(status) || status >= 500 ? 'busy' : REFUSED.has(status) ? 'refused' : 'rejected';
  const message = `${status} ${body.slice(0, MAX_REASON_CHARS) || 'without a reason'}`;
  return { kind: 'failed', why, retryAfterMs: retryAfterOf(headers, nowMs), message };
}

const MAX_RETRY_AFTER_MS = DAY_MS;

/** Seconds or a date, limited to a day. */
function retryAfterOf(headers: Headers, nowMs: number): number | null {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const ms = /^\d{1,9}(?:\.\d{1,3})?$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : null;
}
