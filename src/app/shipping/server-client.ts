import { z } from 'zod';
import {
  type DeletedItem,
  type GitBatch,
  type IngestResults,
  ingestResultsSchema,
  type Upload,
  type UploadDevice,
} from '../../api/ingest.ts';
import { MINUTE_MS } from '../../domain/durations.ts';
import { parseJson } from '../../domain/json.ts';
import { backoffMs } from '../../lib/timing.ts';

export interface Server {
  readonly url: string;
  readonly token: string;
}

export type Reply<T> =
  | { readonly kind: 'ok'; readonly body: T }
  /** 409: the server has this many bytes, or has processed reports up to this order. */
  | { readonly kind: 'gap'; readonly at: number }
  /** 412: the server has different bytes; send ours as this generation. */
  | { readonly kind: 'other_bytes'; readonly generation: number }
  /** B7: a retry would be refused as well. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** B8: the server rejects the token. */
  | { readonly kind: 'locked'; readonly reason: string }
  /** B9: the server is unavailable; `waitMs` is its Retry-After. An unknown route may exist after an update. */
  | { readonly kind: 'busy'; readonly reason: string; readonly waitMs: number; readonly isUnknownRoute?: boolean }
  /** The server failed on this item; others may succeed. */
  | { readonly kind: 'failed'; readonly reason: string };

const REQUEST_TIMEOUT_MS = 60_000;
const MAX_REASON_CHARS = 300;
const LOCKED = new Set([401, 403]);
/** Not a fuel-code server, or another version; a later attempt may succeed. */
const NOT_OURS = new Set([404, 405, 426]);
const BUSY = new Set([408, 429, 502, 503, 504, 507]);

export interface ServerClient {
  sendChunk(upload: Upload, bytes: Uint8Array): Promise<Reply<{ readonly size_bytes: number }>>;
  sendEvents(device: UploadDevice, events: readonly object[]): Promise<Reply<IngestResults>>;
  sendDeletions(device: UploadDevice, deletions: readonly DeletedItem[]): Promise<Reply<IngestResults>>;
  sendGit(batch: GitBatch): Promise<Reply<IngestResults>>;
}

export interface ClientOptions {
  readonly server: Server;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

const uploadedSchema = z.object({ size_bytes: z.int().min(0) });
const gapSchema = z.union([
  uploadedSchema.transform(({ size_bytes }) => size_bytes),
  z.object({ order: z.int().min(0) }).transform(({ order }) => order),
]);
const otherBytesSchema = z.object({ generation: z.int().min(1) });
const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

export function createServerClient(options: ClientOptions): ServerClient {
  return {
    sendChunk: (upload, bytes) => {
      const headers = { 'content-type': 'application/octet-stream', 'fuel-upload': headerJson(upload) };
      return post(options, { path: '/api/files/upload', headers, body: Buffer.from(bytes) }, uploadedSchema);
    },
    sendEvents: (device, events) => postJson(options, '/api/events/ingest', { device, events }),
    sendDeletions: (device, deletions) => postJson(options, '/api/deletions/ingest', { device, deletions }),
    sendGit: (batch) => postJson(options, '/api/git/ingest', batch),
  };
}

/** JSON in ASCII, as headers require. */
function headerJson(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

interface Request {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer<ArrayBuffer>;
}

function postJson(options: ClientOptions, path: string, body: object): Promise<Reply<IngestResults>> {
  const headers = { 'content-type': 'application/json' };
  return post(options, { path, headers, body: JSON.stringify(body) }, ingestResultsSchema);
}

async function post<T>(options: ClientOptions, request: Request, schema: z.ZodType<T>): Promise<Reply<T>> {
  const { server, signal } = options;
  try {
    const response = await options.fetch(new URL(request.path, server.url), {
      method: 'POST',
      headers: { ...request.headers, authorization: `Bearer ${server.token}` },
      body: request.body,
      // A redirect could send the token to another server.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    return toReply(response, await response.text(), schema, options.now());
  } catch (error) {
    return { kind: 'busy', reason: `Cannot reach the server: ${causeOf(error)}.`, waitMs: 0 };
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function toReply<T>(response: Response, text: string, schema: z.ZodType<T>, now: Date): Reply<T> {
  const { status } = response;
  const body = parseJson(text);
  if (status === 200) {
    const read = schema.safeParse(body);
    if (read.success) return { kind: 'ok', body: read.data };
    return { kind: 'busy', reason: 'The response is not from a fuel-code server.', waitMs: 0 };
  }
  const error = errorSchema.safeParse(body);
  const reason = error.success ? error.data.error.message.slice(0, MAX_REASON_CHARS) : `HTTP status ${status}`;
  if (LOCKED.has(status)) return { kind: 'locked', reason };
  if (BUSY.has(status) || NOT_OURS.has(status) || status < 400)
    return {
      kind: 'busy',
      reason,
      waitMs: retryAfterMs(response.headers.get('retry-after'), now),
      isUnknownRoute: NOT_OURS.has(status),
    };
  const gap = gapSchema.safeParse(body);
  if (status === 409 && gap.success) return { kind: 'gap', at: gap.data };
  const other = otherBytesSchema.safeParse(body);
  if (status === 412 && other.success) return { kind: 'other_bytes', generation: other.data.generation };
  // Data damaged in transit is not a problem of the file.
  const isDamaged = error.success && error.data.error.code === 'digest_mismatch';
  return status >= 500 || isDamaged ? { kind: 'failed', reason } : { kind: 'refused', reason };
}

/** Parses Retry-After, in seconds or as a date; 0 if missing or invalid. */
export function retryAfterMs(value: string | null, now: Date): number {
  if (value === null) return 0;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now.getTime());
}

/** B9: the longest pause between two attempts. */
export const MAX_WAIT_MS = 15 * MINUTE_MS;
const PAUSES = { firstMs: 2_000, maxMs: MAX_WAIT_MS };

/** When to retry after consecutive failures; never earlier than the server requested. */
export function nextTryMs(nowMs: number, failures: number, waitMs: number, random: () => number): number {
  return Math.ceil(nowMs + Math.max(waitMs, backoffMs(failures, PAUSES, random)));
}
