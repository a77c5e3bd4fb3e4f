import { createHash } from 'node:crypto';
import { FuelError } from '../domain/errors.ts';
import type { Summariser } from '../domain/ports.ts';
import type { SummaryAnswer, SummaryRequest } from '../domain/summary.ts';

export interface AnthropicOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly model: string;
  /** Models of today choose their own; it is sent only when it is set. */
  readonly temperature: number | null;
  readonly maxOutputTokens: number;
  /** From the first byte sent to the last byte received. */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

const TIMEOUT_MS = 60_000;
/** A few sentences with their frame; whoever sends more is not answering the question. */
const MAX_BODY_BYTES = 256 * 1024;
const FINGERPRINT_CHARS = 16;

/** Summaries by the Anthropic API. Errors: bad_config for an address that the key must not be sent to. */
export function createAnthropicSummariser(options: AnthropicOptions): Summariser {
  refuseOpenAddress(options.baseUrl);
  const fingerprint = createHash('sha256')
    .update(`${options.baseUrl}\n${options.apiKey}\n${options.model}`)
    .digest('hex');
  return {
    service: `anthropic ${fingerprint.slice(0, FINGERPRINT_CHARS)}`,
    model: options.model,
    maxOutputTokens: options.maxOutputTokens,
    ask: async (request) => {
      try {
        return await ask(options, request);
      } catch (error) {
        return failureOf(error, (options.now ?? Date.now)());
      }
    },
  };
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** J15: a key and a transcript go in the clear to this machine only. */
function refuseOpenAddress(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
  if (isSafe && url.username === '' && url.password === '') return;
  throw new FuelError('bad_config', 'The address for AI summaries must be https, or http on this machine.', {
    hint: 'Correct summaryBaseUrl; a password in it is refused as well.',
  });
}

async function ask(options: AnthropicOptions, { system, text }: SummaryRequest): Promise<SummaryAnswer> {
  // Loaded with the first question: nobody pays for it who does not ask.
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({
    apiKey: options.apiKey,
    authToken: null,
    baseURL: options.baseUrl,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    fetch: fetchWithinLimits,
  });
  const message = await client.messages.create(
    {
      model: options.model,
      max_tokens: options.maxOutputTokens,
      system,
      messages: [{ role: 'user', content: text }],
      ...(options.temperature === null ? {} : { temperature: options.temperature }),
    },
    { signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS) },
  );
  return toAnswer(message);
}

/** What came may be anything: an address that answers is not always the one that was meant. */
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
  const words = blocks.filter((block) => block?.type === 'text' && typeof block.text === 'string');
  const isWhole = stop !== 'refusal' && stop !== 'tool_use';
  return {
    kind: 'answered',
    text: isWhole ? words.map(({ text }) => text).join('\n') : '',
    tokensIn: countOf(usage?.input_tokens),
    tokensOut: countOf(usage?.output_tokens),
  };
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** No redirects, which could lead the key elsewhere, and no endless answers. */
const fetchWithinLimits: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  if (response.body === null) return response;
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) controller.error(new Error('the answer is larger than any summary'));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
};

const BUSY = new Set([408, 409, 425, 429]);
const REFUSED = new Set([401, 402, 403, 404, 405]);

function failureOf(error: unknown, nowMs: number): SummaryAnswer {
  const { status, headers } = error as { status?: unknown; headers?: unknown };
  const message = error instanceof Error ? error.message : String(error);
  const retryAfterMs = headers instanceof Headers ? retryAfterOf(headers, nowMs) : null;
  if (typeof status !== 'number') return { kind: 'failed', why: 'lost', retryAfterMs, message };
  const why = BUSY.has(status) || status >= 500 ? 'busy' : REFUSED.has(status) ? 'refused' : 'rejected';
  return { kind: 'failed', why, retryAfterMs, message };
}

const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

/** Seconds or a date, within a day. */
function retryAfterOf(headers: Headers, nowMs: number): number | null {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const ms = /^\d{1,9}(?:\.\d{1,3})?$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : null;
}
