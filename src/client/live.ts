import type { LiveNews } from '../api/live.ts';
import type { Client } from './client.ts';

export interface LiveOptions {
  readonly sessionId?: string;
  /** Continue after this event instead of starting now. */
  readonly lastEventId?: string;
  /** All changes, however many. */
  readonly every?: boolean;
  readonly signal: AbortSignal;
  /** Called whenever the connection is lost; a retry follows. */
  readonly onBroken?: (error: unknown) => void;
  readonly firstPauseMs?: number;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/**
 * Follows the live events of a server until aborted. After a lost connection or a restart it continues after the last
 * event received. Requests send the token in a header, which EventSource does not support. Errors: those that a retry
 * cannot fix.
 */
export async function* followLive(
  client: Client,
  options: LiveOptions,
): AsyncGenerator<LiveNews & { cursor: string | null }> {
  const { signal, sessionId, every, onBroken, firstPauseMs = FIRST_PAUSE_MS } = options;
  let lastId: string | null = options.lastEventId ?? null;
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = lastId === null ? {} : { 'last-event-id': lastId };
      const response = await client.get('/live', { query: { session_id: sessionId, every }, headers, signal });
      for await (const event of readEvents(response)) {
        pauseMs = firstPauseMs;
        lastId = event.id ?? lastId;
        yield { type: event.type, data: JSON.parse(event.data), cursor: lastId } as LiveNews & {
          cursor: string | null;
        };
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) throw error;
      onBroken?.(error);
    }
    await pause(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
}

/** The server received the request and rejected it. */
function isFinal(error: unknown): boolean {
  const status = (error as { readonly status?: number }).status ?? 0;
  return status >= 400 && status < 500 && status !== 429;
}

interface ServerEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

/** Parses the Server-Sent Events of a response; comments are ignored. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const event = parseEvent(part);
        if (event !== null) yield event;
      }
    }
  } finally {
    await reader?.cancel();
  }
}

function parseEvent(text: string): ServerEvent | null {
  const fields = new Map(
    text.split('\n').flatMap((line) => {
      const match = /^(id|event|data): (.*)$/.exec(line);
      return match === null ? [] : [[match[1], match[2]] as [string, string]];
    }),
  );
  const type = fields.get('event');
  const data = fields.get('data');
  return type === undefined || data === undefined ? null : { id: fields.get('id') ?? null, type, data };
}

/** Ends early, without an error, when aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
}
