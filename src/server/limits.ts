/** Every limit of the HTTP door, with its unit. */
export const MAX_BODY_BYTES = 1_000_000;
/** Uploads at a time; each holds up to a chunk of 8 MiB. */
export const MAX_UPLOADS_AT_ONCE = 4;
export const UPLOAD_RETRY_SECONDS = 1;
/** A transcript that is uploaded in one piece. */
export const MAX_TRANSCRIPT_BYTES = 2 * 1024 * 1024 * 1024;
export const MAX_HEADER_BYTES = 16_384;
export const HEADERS_TIMEOUT_MS = 10_000;
export const REQUEST_TIMEOUT_MS = 30_000;
export const KEEP_ALIVE_TIMEOUT_MS = 5_000;
export const MAX_CONNECTIONS = 256;
export const CLOSE_GRACE_MS = 1_000;

export const MAX_TOKEN_FAILURES = 10;
export const TOKEN_FAILURE_WINDOW_MS = 60_000;
/** Addresses whose failures are remembered; the oldest is forgotten first. */
export const MAX_FAILING_ADDRESSES = 1_024;

export const MAX_NONCE_CHARS = 128;
export const MIN_NONCE_CHARS = 16;
export const MAX_CURSOR_CHARS = 1_024;
export const MAX_ID_CHARS = 256;

export const MAX_STATIC_FILES = 200;
export const MAX_STATIC_FILE_BYTES = 10_000_000;
