/**
 * Every way in which fuel-code can say no. One class, one table; HTTP status and exit code are look-ups.
 * A message says what happened and why, a hint says what to do.
 */
export const ERROR_CATALOGUE = {
  usage: { status: 400, exit: 2, about: 'The command line or request is not of a form we know.' },
  bad_query: { status: 400, exit: 2, about: 'A search that cannot be read; the message says at which character.' },
  bad_config: { status: 500, exit: 2, about: 'A configuration value is missing or has the wrong type.' },
  not_found: { status: 404, exit: 3, about: 'No session, workspace or file goes by that name.' },
  ambiguous: { status: 409, exit: 3, about: 'A prefix or name fits several things; the message lists them.' },
  unauthorized: { status: 401, exit: 4, about: 'The bearer token is missing or wrong.' },
  forbidden: { status: 403, exit: 4, about: 'The request comes from a foreign origin or host.' },
  method_not_allowed: {
    status: 405,
    exit: 2,
    about: 'The route does not have this method; `Allow` lists those it has.',
  },
  unsupported_media: { status: 415, exit: 2, about: 'The body is not of the content type that the route takes.' },
  bad_range: { status: 416, exit: 2, about: 'The wanted range of bytes lies outside of the file.' },
  rate_limited: {
    status: 429,
    exit: 5,
    about: 'Too much at once or too often; `Retry-After` says when to come again.',
  },
  unreachable: { status: 502, exit: 6, about: 'A fuel-code server does not answer, or is not the one it should be.' },
  busy: { status: 503, exit: 5, about: 'Another process holds what this one needs; it is free again soon.' },
  interrupted: { status: 503, exit: 130, about: 'Ctrl-C or a signal stopped the command before it was finished.' },
  schema_too_new: { status: 503, exit: 6, about: 'The database was written by a newer fuel-code.' },
  store_unavailable: { status: 503, exit: 6, about: 'The database cannot be opened or reached.' },
  store_corrupt: { status: 500, exit: 7, about: 'The database is damaged; `fuel-code rebuild` makes a new one.' },
  disk_full: { status: 507, exit: 7, about: 'The disk is full; what was complete before is safe.' },
  incomplete: { status: 500, exit: 7, about: 'Some of the work could not be done; the message says what is left.' },
  timeout: { status: 504, exit: 5, about: 'The database took too long for an answer and was stopped.' },
  blob_corrupt: { status: 500, exit: 7, about: 'Stored bytes do not match their SHA-256.' },
  blob_missing: { status: 404, exit: 7, about: 'The archive has no bytes under that SHA-256.' },
  blob_unavailable: { status: 503, exit: 7, about: 'The object store or disk refused to store or give bytes.' },
  file_unavailable: {
    status: 503,
    exit: 7,
    about: 'A file or folder of this machine cannot be made, read or written.',
  },
  data_folder_moved: {
    status: 503,
    exit: 7,
    about: 'The data folder was moved, replaced or deleted while it was in use.',
  },
  conflict: { status: 409, exit: 7, about: 'Bytes do not fit those that are kept; nothing was stored.' },
  digest_mismatch: { status: 422, exit: 7, about: 'Bytes that arrived are not those that were announced.' },
  too_large: { status: 413, exit: 2, about: 'A body, page or query is over its limit.' },
  unsupported_runtime: { status: 500, exit: 1, about: 'This Node.js is too old.' },
  internal: { status: 500, exit: 70, about: 'A defect in fuel-code itself.' },
} as const satisfies Record<string, { status: number; exit: number; about: string }>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export interface FuelErrorOptions {
  readonly hint?: string;
  readonly cause?: unknown;
  /** Where in the given text the trouble is, in characters from 0. */
  readonly position?: number;
}

export class FuelError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly position: number | undefined;

  constructor(code: ErrorCode, message: string, options: FuelErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FuelError';
    this.code = code;
    this.hint = options.hint;
    this.position = options.position;
  }

  get status(): number {
    return ERROR_CATALOGUE[this.code].status;
  }

  get exitCode(): number {
    return ERROR_CATALOGUE[this.code].exit;
  }
}

/** What a server says to a question that it does not know; one that is newer may. */
export const NO_SUCH_ROUTE = 'There is no such route.';

/** What a file system says, in words. */
const FILE_REASONS: Readonly<Record<string, { readonly why: string; readonly hint: string }>> = {
  ENOENT: { why: 'there is no such file or folder', hint: 'Check how it is spelt, and that its disk is mounted.' },
  EEXIST: { why: 'something else is there already', hint: 'Move it away, or choose another path.' },
  EISDIR: { why: 'it is a folder, not a file', hint: 'Choose another path.' },
  ENOSPC: {
    why: 'the disk is full',
    hint: 'Free some space on that disk, then try again; nothing half-written is left.',
  },
  EDQUOT: { why: 'the disk quota is used up', hint: 'Free some space or raise the quota, then try again.' },
  EACCES: { why: 'permission is denied', hint: 'Make the folder belong to the account that runs fuel-code.' },
  EPERM: { why: 'permission is denied', hint: 'Make the folder belong to the account that runs fuel-code.' },
  EROFS: { why: 'the file system is read-only', hint: 'Mount it writable, or choose another folder.' },
  ENOTDIR: { why: 'a part of that path is a file, not a folder', hint: 'Choose another folder.' },
  ENAMETOOLONG: { why: 'the name is too long', hint: 'Choose a shorter path.' },
  EMFILE: { why: 'too many files are open', hint: 'Try again, or raise the limit of open files (ulimit -n).' },
  EIO: { why: 'the disk reports an error of its own', hint: 'Check the disk; restore the archive from a backup.' },
};

/** Why a file system refused something, and what to do about it. */
export function fileReasonOf(thrown: unknown): { readonly why: string; readonly hint: string } {
  const errno = errnoOf(thrown);
  const why = errno === undefined ? String(thrown) : `the system answered ${errno}`;
  return FILE_REASONS[errno ?? ''] ?? { why, hint: 'Check that path and its disk.' };
}

export function errnoOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

const FILE_ACTS: Readonly<Record<string, string>> = { mkdir: 'make', open: 'open', scandir: 'list', rename: 'replace' };

/** An error of a file system, which names its path; null for any other. */
function fileError(thrown: Error): FuelError | null {
  const { syscall, path } = thrown as { readonly syscall?: unknown; readonly path?: unknown };
  const isFull = DISK_FULL.has(errnoOf(thrown) ?? '');
  const { why, hint } = fileReasonOf(thrown);
  // An open file has no path any more.
  if (isFull && typeof path !== 'string') {
    return new FuelError('disk_full', `Could not write a file: ${why}.`, { hint, cause: thrown });
  }
  if (errnoOf(thrown) === undefined || typeof path !== 'string') return null;
  const act = FILE_ACTS[String(syscall)] ?? 'use';
  const code = isFull ? 'disk_full' : 'file_unavailable';
  return new FuelError(code, `Could not ${act} ${path}: ${why}.`, { hint, cause: thrown });
}

/** A damaged database can fail in any way, so the way out is named here too. */
const INTERNAL_HINT =
  'This is a defect in fuel-code, or the database is damaged: `fuel-code verify` checks it, `fuel-code rebuild` makes a new one.';

/** Anything thrown, as a FuelError: ours unchanged, what is neither ours nor a file system's `internal`; the cause is kept. */
export function toFuelError(thrown: unknown): FuelError {
  if (thrown instanceof FuelError) return thrown;
  const file = thrown instanceof Error ? fileError(thrown) : null;
  if (file !== null) return file;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new FuelError('internal', message, { hint: INTERNAL_HINT, cause: thrown });
}
