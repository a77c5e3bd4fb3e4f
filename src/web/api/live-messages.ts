import type { MessageRow } from '../../api/transcript.ts';
import type { ApiBase } from '../../client/client.ts';

type Listener = (messages: readonly MessageRow[]) => void;

const listeners = new Map<string, Set<Listener>>();
const keyOf = (base: ApiBase, sessionId: string) => `${base} ${sessionId}`;

/** Calls the listener with new and grown messages of a session while the page follows it. */
export function onMessages(base: ApiBase, sessionId: string, listener: Listener): () => void {
  const key = keyOf(base, sessionId);
  const ofSession = listeners.get(key) ?? new Set();
  listeners.set(key, ofSession.add(listener));
  return () => void ofSession.delete(listener);
}

export function publishMessages(base: ApiBase, sessionId: string, messages: readonly MessageRow[]): void {
  for (const listener of listeners.get(keyOf(base, sessionId)) ?? []) listener(messages);
}
