import { DAY_MS } from './durations.ts';

export interface ShareWish {
  readonly expiresInMs?: number;
  readonly note?: string;
}

export const DEFAULT_SHARE_MS = 7 * DAY_MS;
export const MIN_SHARE_MS = 60_000;
export const MAX_SHARE_MS = 365 * DAY_MS;
/** Links that are alive at a time: more would be a mistake, or a site of its own. */
export const MAX_SHARES = 1_000;
export const MAX_SHARE_NOTE_CHARS = 500;

/** Where shared pages are; what follows is the secret. */
export const SHARE_PATH = '/s/';
