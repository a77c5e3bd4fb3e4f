import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** A choice of this browser, the same in all of its tabs. Null until a person has chosen. */
export function useSetting(name: string): readonly [string | null, (value: string | null) => void] {
  const key = `fuel-code-${name}`;
  const value = useSyncExternalStore(subscribe, () => window.localStorage.getItem(key));
  const set = (next: string | null) => {
    if (next === null) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, next);
    for (const listener of listeners) listener();
  };
  return [value, set];
}

/** Whether a media query matches now. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );
}
