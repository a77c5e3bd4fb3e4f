import { useSyncExternalStore } from 'react';

const NO_TURNS: ReadonlySet<number> = new Set();
let lit = NO_TURNS;
const listeners = new Set<() => void>();

/** Highlights turns while the pointer is on commits that contain their work; null for none. */
export function lightTurns(turns: ReadonlySet<number> | null): void {
  lit = turns ?? NO_TURNS;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useLitTurns(): ReadonlySet<number> {
  return useSyncExternalStore(subscribe, () => lit);
}
