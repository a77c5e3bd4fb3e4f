/**
 * All errors: one class and one table of codes with their HTTP status and exit code. The message states what happened
 * and why, the hint what to do.
 */
export const ERROR_CATALOG = {
  usage: { status: 400, exit: 2, about: 'The command line or request is invalid.' },
  bad_query: { status: 400, exit: 2, about: 'The search query is invalid; the message gives the position.' },
  bad_config: { status: 500, exit: 2, about: 'A configuration value is missing or has the wrong type.' },
  not_found: { status: 404, exit: 3, about: 'No session, workspace or file with that name or id.' },
  nothing_found: { status: 404, exit: 1, about: 'Nothing matches; only reported by `fuel-code search`.' },
  gone: { status: 410, exit: 3, about: 'The session was deleted.' },
  unknown_route: { status: 404, exit: 6, about: 'The server has no such route; it may run another version.' },
  ambiguous: { status: 409, exit: 3, about: 'A prefix or name matches several items; the message lists them.' },
  unauthorized: { status: 401, exit: 4, about: 'The bearer token is missing or wrong.' },
  forbidden: { status: 403, exit: 4, about: 'The request comes from a different origin or host.' },
  method_not_allowed: {
    status: 405,
    exit: 2,
    about: 'The route does not support this method; `Allow` lists the supported ones.',
  },
  unsupported_media: { status: 415, exit: 2, about: 'The content type of the body is not supported.' },
  bad_range: { status: 416, exit: 2, about: 'The requested byte range is outside the file.' },
  rate_limited: {
    status: 429,
    exit: 5,
    about: 'Too many requests; `Retry-After` says when to retry.',
  },
  unreachable: { status: 502, exit: 6, about: 'A fuel-code server is not responding, or is not the expected one.' },
  busy: { status: 503, exit: 5, about: 'Another process is using a resource this one needs; try again soon.' },
  budget_exceeded: {
    status: 409,
    exit: 8,
    about: 'A budget is exceeded; only reported by `fuel-code budget --check`.',
  },
  interrupted: { status: 503, exit: 130, about: 'Ctrl-C or a signal stopped the command before it finished.' },
  schema_too_new: { status: 503, exit: 6, about: 'The database was written by a newer version of fuel-code.' },
  store_unavailable: { status: 503, exit: 6, about: 'The database cannot be opened or reached.' },
  store_corrupt: { status: 500, exit: 7, about: 'The database is damaged; `fuel-code rebuild` creates a new one.' },
  disk_full: { status: 507, exit: 7, about: 'The disk is full; data already stored is safe.' },
  incomplete: { status: 500, exit: 7, about: 'Some work could not be completed; the message says what is left.' },
  timeout: { status: 504, exit: 5, about: 'The database query timed out.' },
  blob_corrupt: { status: 500, exit: 7, about: 'Stored bytes do not match their SHA-256.' },
  blob_missing: { status: 404, exit: 7, about: 'The archive has no blob with that SHA-256.' },
  blob_unavailable: { status: 503, exit: 7, about: 'The object store or disk could not be read or written.' },
  file_unavailable: {
    status: 503,
    exit: 7,
    about: 'A file or folder on this machine cannot be created, read or written.',
  },
  data_folder_moved: {
    status: 503,
    exit: 7,
    about: 'The data folder was moved, replaced or deleted while it was in use.',
  },
  conflict: { status: 409, exit: 7, about: 'The bytes conflict with those already stored; nothing was stored.' },
  digest_mismatch: { status: 422, exit: 7, about: 'The bytes received do not match the expected checksum.' },
  too_large: { status: 413, exit: 2, about: 'A body, page or query exceeds its limit.' },
  program_changed: {
    status: 503,
    exit: 6,
    about: 'fuel-code was updated or moved while it was running, so that a part of it cannot be loaded.',
  },
  unsupported_runtime: { status: 500, exit: 2, about: 'The Node.js version is too old.' },
  internal: { status: 500, exit: 70, about: 'A bug in fuel-code.' },
} as const satisfies Record<string, { status: number; exit: keyof typeof EXIT_CODES; about: string }>;

/** The exit codes of all commands. Programs rely on them: a code keeps its meaning. */
export const EXIT_CODES = {
  0: 'Done; also when a list is empty, or when the reader closes the pipe (`| head`).',
  1: '`fuel-code search` found nothing, as with `grep`.',
  2: 'The command line, the query, the input or the configuration is wrong, or Node.js is too old.',
  3: 'A session, workspace, device or turn does not exist or was deleted, or its name is ambiguous.',
  4: 'A server refused access.',
  5: 'Busy, timed out or rate-limited; try again later.',
  6: 'The database or a server cannot be reached, or has another version.',
  7: 'Work is incomplete or data is damaged; the message has the details.',
  8: '`fuel-code budget --check` found a budget exceeded.',
  70: 'A bug in fuel-code.',
  129: 'Stopped because the terminal was closed (SIGHUP).',
  130: 'Stopped by Ctrl-C (SIGINT).',
  143: 'Stopped by SIGTERM; services (`start`, `worker`) exit with 0 then.',
} as const satisfies Readonly<Record<number, string>>;

export type ErrorCode = keyof typeof ERROR_CATALOG;

interface FuelErrorOptions {
  readonly hint?: string;
  readonly cause?: unknown;
  /** Position of the error in the given text, in characters from 0. */
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
    return ERROR_CATALOG[this.code].status;
  }

  get exitCode(): number {
    return ERROR_CATALOG[this.code].exit;
  }
}

/** Every id starts with nothing, and an unset variable in a script must not select the only one. Errors: usage. */
export function refuseEmpty(idOrPrefix: string, what: string): void {
  if (idOrPrefix.trim() === '') throw new FuelError('usage', `The ${what} is empty.`);
}

/** The error for a cursor of a list that is not ours; `why` for one that is only used in the wrong place. */
export function invalidCursor(why = 'Invalid cursor.'): FuelError {
  return new FuelError('usage', why, { hint: 'Omit the cursor to start from the beginning.' });
}

/** File system errors in plain English. */
const FILE_REASONS: Readonly<Record<string, { readonly why: string; readonly hint: string }>> = {
  ENOENT: { why: 'no such file or folder', hint: 'Check the spelling and that the disk is mounted.' },
  EEXIST: { why: 'it already exists', hint: 'Move it away, or choose another path.' },
  EISDIR: { why: 'it is a folder, not a file', hint: 'Choose another path.' },
  ENOSPC: { why: 'the disk is full', hint: 'Free some space and try again.' },
  EDQUOT: { why: 'the disk quota is exceeded', hint: 'Free some space or raise the quota, then try again.' },
  EACCES: { why: 'permission denied', hint: 'Give the account that runs fuel-code access to the folder.' },
  EPERM: { why: 'permission denied', hint: 'Give the account that runs fuel-code access to the folder.' },
  EROFS: { why: 'the file system is read-only', hint: 'Mount it writable, or choose another folder.' },
  ENOTDIR: { why: 'part of the path is a file, not a folder', hint: 'Choose another folder.' },
  ENAMETOOLONG: { why: 'the name is too long', hint: 'Choose a shorter path.' },
  EMFILE: { why: 'too many files are open', hint: 'Try again, or raise the open file limit (ulimit -n).' },
  EIO: { why: 'the disk reported an I/O error', hint: 'Check the disk; restore the archive from a backup.' },
};

/** The reason for a file system error, and what to do about it. */
export function fileReasonOf(thrown: unknown): { readonly why: string; readonly hint: string } {
  const errno = errnoOf(thrown);
  const why = errno === undefined ? String(thrown) : `system error ${errno}`;
  return FILE_REASONS[errno ?? ''] ?? { why, hint: 'Check the path and the disk.' };
}

export function errnoOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

const FILE_ACTS: Readonly<Record<string, string>> = {
  lstat: 'read',
  mkdir: 'create',
  open: 'open',
  read: 'read',
  rename: 'replace',
  rmdir: 'remove',
  scandir: 'list',
  stat: 'read',
  unlink: 'remove',
  write: 'write',
};

/** Converts a file system error and names its path; null for any other error. */
function fileError(thrown: Error): FuelError | null {
  const { syscall, path } = thrown as { readonly syscall?: unknown; readonly path?: unknown };
  const errno = errnoOf(thrown) ?? '';
  const isFull = DISK_FULL.has(errno);
  // Errors about open files have no path.
  const name = typeof path === 'string' ? path : isFull || errno === 'EISDIR' ? 'a file' : null;
  if (errno === '' || name === null) return null;
  const { why, hint } = fileReasonOf(thrown);
  const act = FILE_ACTS[String(syscall)] ?? (isFull ? 'write' : 'use');
  const code = isFull ? 'disk_full' : 'file_unavailable';
  return new FuelError(code, `Could not ${act} ${name}: ${why}.`, { hint, cause: thrown });
}

/** A damaged database can fail in any way, so the remedy is named here too. */
const INTERNAL_HINT =
  'This is a bug in fuel-code, or the database is damaged: `fuel-code verify` checks it, `fuel-code rebuild` creates a new one.';

/** Converts anything thrown to a FuelError: ours unchanged, file system errors explained, others `internal` with the cause. */
export function toFuelError(thrown: unknown): FuelError {
  if (thrown instanceof FuelError) return thrown;
  const file = thrown instanceof Error ? fileError(thrown) : null;
  if (file !== null) return file;
  if (isMissingModule(thrown)) return programChanged(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new FuelError('internal', message, { hint: INTERNAL_HINT, cause: thrown });
}

/** Parts of the program are loaded when they are first needed, which may be long after an update. */
function isMissingModule(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
}

function programChanged(cause: unknown): FuelError {
  return new FuelError(
    'program_changed',
    'A part of fuel-code is missing; it was updated or moved while it was running.',
    {
      hint: 'Restart the server or run the command again. If that does not help, install fuel-code again.',
      cause,
    },
  );
}
