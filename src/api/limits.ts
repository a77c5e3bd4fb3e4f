/** Every limit on requests, with its unit. */
export const MAX_BODY_BYTES = 1_000_000;
export const MAX_JSON_DEPTH = 50;

export const MAX_NONCE_CHARS = 128;
export const MIN_NONCE_CHARS = 16;
export const MAX_QUERY_CHARS = 500;
export const MAX_CURSOR_CHARS = 1_024;
export const MAX_ID_CHARS = 256;
export const MAX_LIST_WORDS = 32;
export const MAX_GIT_ROWS = 500;
export const MAX_EVENT_ROWS = 1_000;
export const MAX_BATCH_IDS = 10_000;
export const MAX_POSITION = 2_147_483_647;
