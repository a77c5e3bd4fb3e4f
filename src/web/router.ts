import { useSyncExternalStore } from 'react';

export type Page =
  | { readonly kind: 'list' }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'session'; readonly id: string; readonly at: number | null };

export interface Place {
  readonly isDemo: boolean;
  readonly page: Page;
}

/** `#/`, `#/search?q=…`, `#/session/<id>?at=<ordinal>`; the same below `#/demo`. Anything else is the list. */
export function parsePlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  const isDemo = path === '/demo' || path.startsWith('/demo/');
  const parts = (isDemo ? path.slice('/demo'.length) : path).split('/').filter((part) => part !== '');
  return { isDemo, page: parsePage(parts, new URLSearchParams(query)) };
}

function parsePage(parts: readonly string[], query: URLSearchParams): Page {
  if (parts[0] === 'search') return { kind: 'search', text: query.get('q') ?? '' };
  if (parts[0] === 'session' && parts[1] !== undefined) {
    const at = query.get('at') ?? '';
    return { kind: 'session', id: decodePart(parts[1]), at: /^\d{1,10}$/.test(at) ? Number(at) : null };
  }
  return { kind: 'list' };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function formatPlace({ isDemo, page }: Place): string {
  const prefix = isDemo ? '#/demo' : '#';
  if (page.kind === 'search') return `${prefix}/search?q=${encodeURIComponent(page.text)}`;
  if (page.kind === 'list') return `${prefix}/`;
  const at = page.at === null ? '' : `?at=${page.at}`;
  return `${prefix}/session/${encodeURIComponent(page.id)}${at}`;
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}

export function useHash(): string {
  return useSyncExternalStore(subscribe, () => window.location.hash);
}

/**
 * Both functions notify the page synchronously: a text field bound to the URL must be updated before the next key
 * press.
 */
export function goTo(place: Place): void {
  window.history.pushState(null, '', formatPlace(place));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Changes the URL without a new history entry, for text that is still being typed. */
export function replacePlace(place: Place): void {
  window.history.replaceState(null, '', formatPlace(place));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}
