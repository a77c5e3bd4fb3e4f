import { formatPlace, parsePlace } from '../routing/place.ts';

const STORAGE_KEY = 'fuel-code-token';

/**
 * Removes the token from the URL (`#token=…`), keeps it for this tab and leaves only what follows it (`&to=/session/…`)
 * in the address bar, so that neither the history nor a screenshot contains it. A fragment is never sent to a server.
 */
export function takeTokenFromAddress(): void {
  const { hash, pathname, search } = window.location;
  const match = /^#token=([!-%'-~]+)(?:&to=(\/[!-~]*))?$/.exec(hash);
  if (match?.[1] === undefined) return;
  window.sessionStorage.setItem(STORAGE_KEY, match[1]);
  window.history.replaceState(null, '', formatPlace(parsePlace(match[2] ?? pathname + search)));
}

export function storedToken(): string | null {
  return window.sessionStorage.getItem(STORAGE_KEY);
}
