import type { Migration } from '../migrate.ts';

/** Tokens of single devices; of each only its hash. */
export const deviceTokens: Migration = {
  version: 12,
  name: 'device tokens',
  statements: ({ time, bool }) => [
    `CREATE TABLE device_tokens (
      id            TEXT PRIMARY KEY,
      name          TEXT NOT NULL,
      sha256        TEXT NOT NULL,
      is_write_only ${bool} NOT NULL,
      created_at    ${time} NOT NULL,
      last_used_at  ${time},
      revoked_at    ${time}
    )`,
    'CREATE UNIQUE INDEX device_tokens_by_name ON device_tokens (name) WHERE revoked_at IS NULL',
  ],
};
