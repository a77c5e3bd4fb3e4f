import type { Migration } from '../migrate.ts';

/** Deleted sessions: tombstones that keep them from coming back, and the progress of their removal. */
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

/** Sessions with masked secrets. Settled once journal and database files no longer contain them. */
export const masks: Migration = {
  version: 37,
  name: 'masks',
  statements: ({ bool, key, time }) => [
    `CREATE TABLE masked_sessions (
      session_id ${key} PRIMARY KEY,
      masked_at  ${time} NOT NULL,
      is_settled ${bool} NOT NULL DEFAULT FALSE
    )`,
  ],
};
