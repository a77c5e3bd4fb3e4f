import type { ApiBase } from '../../client/client.ts';

const MAX_RECENT = 8;
const keyOf = (base: ApiBase) => `fuel-code-searches${base}`;

/** Searches that found something, newest first. */
export function recentSearches(base: ApiBase): readonly string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(keyOf(base)) ?? '[]');
    return Array.isArray(list) ? list.filter((text) => typeof text === 'string').slice(0, MAX_RECENT) : [];
  } catch {
    return [];
  }
}

/** Keeps a search; what was typed on the way to it is dropped. */
export function noteSearch(base: ApiBase, text: string): void {
  const query = text.trim();
  const others = recentSearches(base).filter((known) => !query.startsWith(known));
  try {
    localStorage.setItem(keyOf(base), JSON.stringify([query, ...others].slice(0, MAX_RECENT)));
  } catch {
    // Storage is full or forbidden: nothing is kept.
  }
}
