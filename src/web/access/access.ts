import { createClient } from '../../client/client.ts';
import { FuelError } from '../../domain/errors.ts';
import { browserKeyId } from '../../domain/device.ts';
import { formatPlace, parsePlace } from '../routing/place.ts';
import { browserName } from './browser-name.ts';

const TOKEN_STORAGE_KEY = 'fuel-code-token';
const KEY_STORAGE_KEY = 'fuel-code-key';

/** Credentials of requests: the key of this browser or, until it has one, the token of the URL. */
export function storedToken(): string | null {
  return window.localStorage.getItem(KEY_STORAGE_KEY) ?? window.sessionStorage.getItem(TOKEN_STORAGE_KEY);
}

/** The id of this browser's key; null while it has none. */
export function ownKeyId(): string | null {
  return browserKeyId(window.localStorage.getItem(KEY_STORAGE_KEY) ?? '');
}

/**
 * Removes the token from the URL (`#token=…`) and leaves only what follows it (`&to=/session/…`) in the address bar, so
 * that neither the history nor a screenshot contains it. A fragment is never sent to a server.
 */
function takeTokenFromAddress(): void {
  const { hash, pathname, search } = window.location;
  const match = /^#token=([!-%'-~]+)(?:&to=(\/[!-~]*))?$/.exec(hash);
  if (match?.[1] === undefined) return;
  window.sessionStorage.setItem(TOKEN_STORAGE_KEY, match[1]);
  window.history.replaceState(null, '', formatPlace(parsePlace(match[2] ?? pathname + search)));
}

/**
 * Exchanges the token of the URL for a key of this browser, which new tabs, bookmarks and links can use. A browser that
 * has a valid key keeps it. If the server cannot do it now, the token stays in this tab, and the next load tries again.
 */
export async function openAccess(): Promise<void> {
  takeTokenFromAddress();
  const token = window.sessionStorage.getItem(TOKEN_STORAGE_KEY);
  if (token === null) return;
  try {
    if (!(await isKeyValid())) await exchange(token);
    window.sessionStorage.removeItem(TOKEN_STORAGE_KEY);
  } catch {
    // The requests of the page meet the same problem and show it.
  }
}

/** Only wrong keys are limited, so a limit means that the key is wrong, too. */
const REFUSALS: ReadonlySet<string> = new Set(['unauthorized', 'rate_limited']);

async function isKeyValid(): Promise<boolean> {
  const key = window.localStorage.getItem(KEY_STORAGE_KEY);
  if (key === null) return false;
  try {
    await clientWith(key).get('/browser-keys');
    return true;
  } catch (error) {
    if (error instanceof FuelError && REFUSALS.has(error.code)) return false;
    throw error;
  }
}

async function exchange(token: string): Promise<void> {
  const { key } = await clientWith(token).post('/browser-keys', { body: { name: browserName(navigator.userAgent) } });
  window.localStorage.setItem(KEY_STORAGE_KEY, key);
}

function clientWith(token: string) {
  return createClient({ origin: '', token: () => token });
}

/** Reloads a locked page as soon as another tab gets access. */
export function reloadOnAccess(): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === KEY_STORAGE_KEY && newValue !== null && document.documentElement.dataset['locked'] === 'true')
      window.location.reload();
  });
}
