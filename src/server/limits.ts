/** Limits of the HTTP server; those of parameters are in src/api/values.ts. */

/** Concurrent uploads; each holds up to a chunk of 8 MiB. */
export const MAX_UPLOADS_AT_ONCE = 4;
/** A transcript that is uploaded in one piece. */
export const MAX_TRANSCRIPT_BYTES = 2 * 1024 * 1024 * 1024;
export const MAX_BODY_BYTES = 1_000_000;
export const MAX_JSON_DEPTH = 50;
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
/** Concurrent requests with a token; further ones get 429 with Retry-After. */
export const MAX_REQUESTS_AT_ONCE = 64;
export const RETRY_AFTER_SECONDS = 1;

export const MAX_LIVE_STREAMS = 64;
/** Interval of keep-alive comments on an idle stream. */
export const STREAM_HEARTBEAT_MS = 15_000;
/** A client that reads nothing from a stream for this long is disconnected. */
export const STALL_MS = 60_000;

/** Rows of a usage or cost report. */
export const MAX_REPORT_ROWS = 20_000;
/** Concurrent exports: each reads a whole session. */
export const MAX_EXPORTS_AT_ONCE = 4;

export const MAX_STATIC_FILES = 200;
export const MAX_STATIC_FILE_BYTES = 10_000_000;
