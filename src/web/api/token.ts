const STORAGE_KEY = 'fuel-code-token';

/**
 * Takes the token out of the address (`#token=…`), keeps it for this tab and leaves in the address bar what may follow it
 * (`&to=/session/…`), so that neither history nor a screenshot holds it. A fragment never reaches a server.
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
