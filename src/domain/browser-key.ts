/** The key of one browser: an id to look it up by, and a secret of 256 bits of which the server stores only the hash. */
const BROWSER_KEY = /^brw_([0-9a-f]{16})_[0-9a-f]{64}$/;

export const MAX_BROWSER_NAME_CHARS = 100;

/** The id in a browser's key; null for any other token. */
export function browserKeyId(key: string): string | null {
  return BROWSER_KEY.exec(key)?.[1] ?? null;
}
