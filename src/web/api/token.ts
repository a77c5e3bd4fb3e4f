const STORAGE_KEY = 'fuel-code-token';

/**
 * Removes the token from the URL (`#token=…`), keeps it for this tab and leaves only what follows it (`&to=/session/…`)
 * in the address bar, so that neither the history nor a screenshot contains it. A fragment is never sent to a server.
 */
export function takeTokenFromAddress(): void {
  const match = /^#token=([!-%'-~]+)(?:&to=(\/[!-~]*))?$/.exec(window.location.hash);
  if (match?.[1] === undefined) return;
  window.sessionStorage.setItem(STORAGE_KEY, match[1]);
  window.history.replaceState(null, '', `${window.location.pathname}#${match[2] ?? '/'}`);
}

export function storedToken(): string | null {
  return window.sessionStorage.getItem(STORAGE_KEY);
}
