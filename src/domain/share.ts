/** A link to a page of a session, as it was when it was shared. */
export interface Share {
  readonly id: string;
  readonly session_id: string;
  /** What the page is called, redacted as all of it. */
  readonly title: string;
  /** For whoever shared it; the page does not say it. */
  readonly note: string | null;
  readonly size_bytes: number;
  /** How much was replaced in it, by kind. */
  readonly redacted: Readonly<Record<string, number>>;
  readonly created_at: string;
  readonly expires_at: string;
}

/** A share with its secret, which is told once and kept nowhere. */
export interface NewShare extends Share {
  /** Where the page is, below the address of its server. */
  readonly path: string;
}

/** What would leave if a session were shared now. */
export interface SharePreview extends Pick<Share, 'session_id' | 'title' | 'size_bytes' | 'redacted'> {
  readonly file_name: string;
}

export interface ShareWish {
  readonly expiresInMs?: number;
  readonly note?: string;
}

const DAY_MS = 24 * 60 * 60_000;
export const DEFAULT_SHARE_MS = 7 * DAY_MS;
export const MIN_SHARE_MS = 60_000;
export const MAX_SHARE_MS = 365 * DAY_MS;
/** Links that are alive at a time: more would be a mistake, or a site of its own. */
export const MAX_SHARES = 1_000;
export const MAX_SHARE_NOTE_CHARS = 500;

/** Where shared pages are; what follows is the secret. */
export const SHARE_PATH = '/s/';
