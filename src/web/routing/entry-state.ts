import { type RouterHistory, useRouter } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';

const STORAGE_KEY = 'fuel-code-entries';
const MAX_ENTRIES = 50;

type Values = Record<string, unknown>;

/** State of screens by history entry, so that Back and a reload show a screen as it was left. */
const entries = new Map<string, Values>(readStored());

function readStored(): [string, Values][] {
  try {
    return Object.entries(
      JSON.parse(globalThis.sessionStorage?.getItem(STORAGE_KEY) ?? '{}') as Record<string, Values>,
    );
  } catch {
    return [];
  }
}

const positionOf = ({ location }: RouterHistory) => location.state.__TSR_index;

/** A position in the history and the screen shown there: replacing the query of an address keeps the state. */
const keyOf = (history: RouterHistory) => `${positionOf(history)} ${history.location.pathname}`;

/**
 * The router counts positions from 0 in every document. A link that is opened in a tab with other entries starts behind
 * them, or the screen would appear as one of them was left.
 */
function startBehindOthers(): void {
  const [load] = performance.getEntriesByType('navigation');
  if (!(load instanceof PerformanceNavigationTiming) || load.type !== 'navigate') return;
  const last = Math.max(-1, ...[...entries.keys()].map((key) => Number.parseInt(key, 10)));
  window.history.replaceState({ ...window.history.state, __TSR_index: last + 1 }, '');
}

/** Forgets the entries that a new one replaces, and keeps the others across a reload. Called once at the start. */
export function keepEntryState(history: RouterHistory): void {
  startBehindOthers();
  history.subscribe(({ action }) => {
    if (action.type !== 'PUSH') return;
    const position = positionOf(history);
    for (const key of entries.keys()) if (Number.parseInt(key, 10) >= position) entries.delete(key);
  });
  window.addEventListener('pagehide', () => {
    const newest = [...entries].slice(-MAX_ENTRIES);
    try {
      window.sessionStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries(newest)));
    } catch {
      // Storage is full: after a reload the screens start at their beginning.
    }
  });
}

export interface EntryStore {
  readonly read: <T>(name: string) => T | undefined;
  readonly write: (name: string, value: unknown) => void;
}

/** Values (as JSON) of the history entry that was current when the component appeared. Writing does not render. */
export function useEntryStore(): EntryStore {
  const { history } = useRouter();
  const [key] = useState(() => keyOf(history));
  return useMemo(
    () => ({
      read: <T>(name: string) => entries.get(key)?.[name] as T | undefined,
      write: (name: string, value: unknown) => {
        const values = entries.get(key) ?? {};
        entries.delete(key);
        entries.set(key, { ...values, [name]: value });
      },
    }),
    [key],
  );
}

/** `useState` that is kept with the history entry. */
export function useEntryState<T>(name: string, initial: T): readonly [T, (value: T) => void] {
  const store = useEntryStore();
  const [value, setValue] = useState<T>(() => store.read<T>(name) ?? initial);
  const change = useCallback(
    (next: T) => {
      store.write(name, next);
      setValue(next);
    },
    [store, name],
  );
  return [value, change];
}
