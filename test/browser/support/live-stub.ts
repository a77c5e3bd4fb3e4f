import type { ImportProgress } from '../../../src/api/server.ts';
import type { SessionDetail } from '../../../src/api/sessions.ts';
import type { MessageRow } from '../../../src/api/transcript.ts';
import type { LiveSource } from '../../../src/app/live.ts';

export interface LiveStub {
  readonly source: LiveSource;
  /** Number of current followers. */
  followers(): number;
  notifyProgress(progress: ImportProgress): void;
  /** Changes the session; these are all its messages now. */
  tellChange(session: SessionDetail, messages?: readonly MessageRow[]): void;
}

const EPOCH = '00000000';

/** A store that changes on command. */
export function createLiveStub(): LiveStub {
  const listeners = new Set<() => void>();
  const changes: { readonly seq: number; readonly session: SessionDetail }[] = [];
  const messages = new Map<string, readonly MessageRow[]>();
  let progress: ImportProgress | null = null;
  const wake = () => {
    for (const listener of listeners) listener();
  };
  const of = (id: string) => messages.get(id) ?? [];
  return {
    source: {
      clock: async () => ({ epoch: EPOCH, seq: changes.length }),
      changes: async ({ after, sessionId }) =>
        changes
          .filter(({ seq, session }) => seq > after && (sessionId === undefined || session.id === sessionId))
          .map(({ seq, session }) => ({
            type: 'session',
            seq,
            data: { ...session, revision: seq, change: 'changed' },
          })),
      messageSizes: async (id) =>
        of(id).map((message) => ({ id: message.id, ordinal: message.ordinal, blocks: message.content_blocks.length })),
      messagesAt: async (id, ordinals) => of(id).filter(({ ordinal }) => ordinals.includes(ordinal)),
      progress: () => progress,
      subscribe: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    followers: () => listeners.size,
    notifyProgress: (now) => {
      progress = now;
      wake();
    },
    tellChange: (session, now) => {
      if (now !== undefined) messages.set(session.id, now);
      changes.push({ seq: changes.length + 1, session });
      wake();
    },
  };
}
