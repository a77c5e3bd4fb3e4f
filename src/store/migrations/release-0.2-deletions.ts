import type { Migration } from '../migrate.ts';

/** Deleted sessions: what keeps them from coming back, and how far their removal is. */
export const deletions: Migration = {
  version: 35,
  name: 'deletions',
  statements: ({ bool, json, key, time }) => [
    `CREATE TABLE deleted_sessions (
      session_id ${key} PRIMARY KEY,
      deleted_at ${time} NOT NULL,
      purge_at   ${time} NOT NULL,
      purged_at  ${time},
      is_settled ${bool} NOT NULL DEFAULT FALSE,
      undo_at    ${time},
      file_ids   ${json} NOT NULL DEFAULT '[]',
      forks      ${json} NOT NULL DEFAULT '[]',
      told       TEXT
    )`,
  ],
};
