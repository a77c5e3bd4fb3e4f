import { useSyncExternalStore } from 'react';
import type { MessageRow } from '../../api/transcript.ts';
import type { ToolCall } from '../../reading/tool-call.ts';

/** The item whose details are shown beside the conversation. */
export interface Inspected {
  readonly sessionId: string;
  readonly message: MessageRow;
  readonly call: ToolCall | null;
}

let inspected: Inspected | null = null;
const listeners = new Set<() => void>();

/** Shows the details of an item; null closes them. */
export function inspect(item: Inspected | null): void {
  inspected = item;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useInspected(): Inspected | null {
  return useSyncExternalStore(subscribe, () => inspected);
}
