import type { LiveNews } from '../api/live.ts';
import type { ImportProgress } from '../api/server.ts';
import type { MessageRow } from '../api/transcript.ts';
import type { ChangeWatch, Engine } from '../store/engine.ts';
import type { ListedChange, Mark } from '../store/queries/sessions/changes.ts';

export type { Mark } from '../store/queries/sessions/changes.ts';

/** With more changed sessions than this, the follower has to reload everything. */
export const MAX_CHANGES = 500;
const MAX_MESSAGES_AT_ONCE = 100;

type OfType<T extends LiveNews['type']> = Extract<LiveNews, { readonly type: T }>;

/** An event for a follower; `mark` is the position to continue from. */
export type LiveEvent =
  | (OfType<'hello' | 'reset' | 'session' | 'deleted'> & { readonly mark: Mark })
  | (OfType<'messages' | 'progress'> & { readonly mark: null })
  | { readonly type: 'heartbeat'; readonly mark: null; readonly data: null };

/** A mark as text, for programs to continue from. */
export function formatMark({ epoch, seq }: Mark): string {
  return `${epoch}-${seq}`;
}

/** Null for a text that is not one of ours. */
export function parseMark(text: string): Mark | null {
  const match = /^([0-9a-f]{8})-(\d{1,15})$/.exec(text);
  return match === null ? null : { epoch: match[1] ?? '', seq: Number(match[2]) };
}

/** No epoch is empty, so the stream restarts after an unknown mark. */
export const FOREIGN_MARK: Mark = { epoch: '', seq: 0 };

interface MessageSize {
  readonly id: string;
  readonly ordinal: number;
  readonly blocks: number;
}

/** The queries needed to follow changes. */
export interface LiveSource {
  clock(): Promise<Mark>;
  changes(query: {
    readonly after: number;
    readonly limit: number;
    readonly sessionId?: string;
  }): Promise<readonly ListedChange[]>;
  messageSizes(sessionId: string): Promise<readonly MessageSize[]>;
  messagesAt(sessionId: string, ordinals: readonly number[]): Promise<readonly MessageRow[]>;
  progress(): ImportProgress | null;
  subscribe(listener: () => void): () => void;
}

export interface FollowOptions {
  /** The last event the follower has received; null to start now. */
  readonly lastSeen: Mark | null;
  /** Only this session, including its new messages. */
  readonly sessionId: string | null;
  readonly signal: AbortSignal;
  readonly heartbeatMs: number;
  /** All changes in pages, instead of `reset` when there are many. */
  readonly every?: boolean | undefined;
}

/**
 * Events for one follower, created on demand: a slow follower misses intermediate states but never the latest one, and
 * nothing is buffered. Ends when aborted.
 */
export async function* follow(source: LiveSource, options: FollowOptions): AsyncGenerator<LiveEvent> {
  const { signal, sessionId, lastSeen } = options;
  const alarm = createAlarm(signal);
  const unsubscribe = source.subscribe(alarm.ring);
  try {
    const start = await source.clock();
    const isKnown = lastSeen !== null && lastSeen.epoch === start.epoch && lastSeen.seq <= start.seq;
    const mark = isKnown ? lastSeen : start;
    const messages = sessionId === null ? null : await createMessageMemory(source, sessionId);
    yield { type: lastSeen === null || isKnown ? 'hello' : 'reset', mark, data: {} };
    yield* followFrom(source, { ...options, mark, messages, alarm });
  } finally {
    unsubscribe();
  }
}

interface FollowFrom extends FollowOptions {
  readonly mark: Mark;
  readonly messages: MessageMemory | null;
  readonly alarm: Alarm;
}

async function* followFrom(source: LiveSource, from: FollowFrom): AsyncGenerator<LiveEvent> {
  const { signal, sessionId, messages, alarm } = from;
  let { mark } = from;
  let progress: ImportProgress | null = null;
  while (!signal.aborted) {
    const only = sessionId === null ? {} : { sessionId };
    const changes = await source.changes({ after: mark.seq, limit: MAX_CHANGES + 1, ...only });
    if (changes.length > MAX_CHANGES && from.every !== true) {
      mark = await source.clock();
      yield { type: 'reset', mark, data: {} };
      continue;
    }
    for (const { seq, ...change } of changes) {
      mark = { ...mark, seq };
      yield { ...change, mark };
    }
    if (changes.length > MAX_CHANGES) continue;
    if (changes.length > 0 && messages !== null) yield* messages.takeNew();
    const latest = source.progress();
    if (latest !== null && latest !== progress) yield { type: 'progress', mark: null, data: (progress = latest) };
    if ((await alarm.wait(from.heartbeatMs)) === 'quiet') yield { type: 'heartbeat', mark: null, data: null };
  }
}

interface MessageMemory {
  takeNew(): AsyncGenerator<LiveEvent>;
}

/** Remembers the messages that existed before, so that only new and grown ones are sent. */
async function createMessageMemory(source: LiveSource, sessionId: string): Promise<MessageMemory> {
  const read = async () => new Map((await source.messageSizes(sessionId)).map((size) => [size.id, size]));
  let known = await read();
  return {
    takeNew: async function* () {
      const now = await read();
      const fresh = [...now.values()].filter(({ id, blocks }) => known.get(id)?.blocks !== blocks);
      known = now;
      for (let at = 0; at < fresh.length; at += MAX_MESSAGES_AT_ONCE) {
        const ordinals = fresh.slice(at, at + MAX_MESSAGES_AT_ONCE).map(({ ordinal }) => ordinal);
        const messages = await source.messagesAt(sessionId, ordinals);
        yield { type: 'messages', mark: null, data: { session_id: sessionId, messages } };
      }
    },
  };
}

interface Alarm {
  ring(): void;
  /** Settles when it rings, has rung since the last wait, or after `quietMs`. */
  wait(quietMs: number): Promise<'rung' | 'quiet'>;
}

function createAlarm(signal: AbortSignal): Alarm {
  let hasRung = signal.aborted;
  let wake: (() => void) | null = null;
  const ring = () => {
    hasRung = true;
    wake?.();
  };
  signal.addEventListener('abort', ring, { once: true });
  return {
    ring,
    wait: async (quietMs) => {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, quietMs);
          wake = () => (clearTimeout(timer), resolve());
        });
      }
      wake = null;
      const outcome = hasRung ? 'rung' : 'quiet';
      hasRung = false;
      return outcome;
    },
  };
}

/** Wakes the followers of the store. The store is watched only while there are any. */
export interface LiveHub {
  /** Returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Wakes followers after a change outside the store, for example import progress. */
  poke(): void;
  close(): Promise<void>;
}

export function createLiveHub(engine: Pick<Engine, 'onChange'>): LiveHub {
  const listeners = new Set<() => void>();
  let watch: ChangeWatch | null = null;
  const poke = () => {
    for (const listener of listeners) listener();
  };
  const stopWatching = async () => {
    const ended = watch?.close();
    watch = null;
    await ended;
  };
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      watch ??= engine.onChange(poke);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) void stopWatching();
      };
    },
    poke,
    close: stopWatching,
  };
}
