import type { Migration } from '../migrate.ts';

/**
 * Pages that were shared, and the blobs that hold them. Of the secret in a link only its SHA-256 is kept. A session that
 * is gone must not keep its links, and blobs are to be removed first: so there is no foreign key, but a sweep.
 */
export const shares: Migration = {
  version: 13,
  name: 'shares',
  statements: ({ time, int, json }) => [
    `CREATE TABLE shares (
      id           TEXT PRIMARY KEY,
      session_id   TEXT NOT NULL,
      token_sha256 TEXT NOT NULL UNIQUE,
      state        TEXT NOT NULL CHECK (state IN ('making', 'ready', 'revoked')),
      title        TEXT NOT NULL,
      note         TEXT,
      size_bytes   ${int} NOT NULL DEFAULT 0,
      redacted     ${json} NOT NULL DEFAULT '{}',
      created_at   ${time} NOT NULL,
      expires_at   ${time} NOT NULL
    )`,
    'CREATE INDEX shares_by_session ON shares (session_id)',
    `CREATE TABLE share_parts (
      share_id TEXT NOT NULL REFERENCES shares(id) ON DELETE CASCADE,
      position ${int} NOT NULL,
      sha256   TEXT NOT NULL,
      PRIMARY KEY (share_id, position)
    )`,
  ],
};
