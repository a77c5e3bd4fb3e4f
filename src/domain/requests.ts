import { DAY_MS } from './durations.ts';

/** Rows per page. */
export const MAX_PAGE_ROWS = 200;
export const DEFAULT_PAGE_ROWS = 50;

/** Rows in lists of tools and files, which have no pages. */
export const DEFAULT_WORK_ROWS = 30;
export const MAX_WORK_ROWS = 10_000;

/** `md` and `html` are for people, the others for programs; `parsed` is everything that the parser reads in the archive. */
export const EXPORT_FORMATS = ['md', 'html', 'json', 'csv', 'parsed'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
/** Formats of a folder of exports. */
export const FOLDER_FORMATS = ['md', 'html', 'json', 'csv'] as const satisfies readonly ExportFormat[];
export type FolderFormat = (typeof FOLDER_FORMATS)[number];
/** The version of the JSON of an exported session. */
export const EXPORT_SCHEMA_VERSION = 1;

export interface ShareOptions {
  readonly expiresInMs?: number;
  readonly note?: string;
}

export const DEFAULT_SHARE_MS = 7 * DAY_MS;
export const MIN_SHARE_MS = 60_000;
export const MAX_SHARE_MS = 365 * DAY_MS;
/** Links that are valid at the same time; more would be a mistake. */
export const MAX_SHARES = 1_000;
export const MAX_SHARE_NOTE_CHARS = 500;

/** The path of shared pages, followed by the secret. */
export const SHARE_PATH = '/s/';

/** Normalizes a server URL to `https://host:port/`; null if invalid, or if it has a query, a fragment or credentials. */
export function readServerUrl(text: string): string | null {
  const url = readPlainUrl(text);
  return url !== null && url.search === '' && url.hash === '' ? new URL('/', url).href : null;
}

/** J15: a URL that private data is sent to; null if it is invalid, or if others could read the data on the way. */
export function readSafeUrl(text: string): string | null {
  const url = readPlainUrl(text);
  return url !== null && !isUnencrypted(url.href) ? url.href : null;
}

/** An address on the web; null if it is invalid or has credentials. */
function readPlainUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : null;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** J15: whether data sent to this server could be read in transit. */
export function isUnencrypted(serverUrl: string): boolean {
  const { protocol, hostname } = new URL(serverUrl);
  return protocol !== 'https:' && !LOOPBACK.has(hostname);
}
