import type { Migration } from '../migrate.ts';

/** What people say about sessions. */
export const people: Migration = {
  version: 4,
  name: 'people',
  statements: ({ time }) => [
    `CREATE TABLE session_tags (
      session_id TEXT NOT NULL,
      tag        TEXT NOT NULL,
      created_at ${time} NOT NULL,
      PRIMARY KEY (session_id, tag)
    )`,
    `CREATE TABLE session_notes (
      id         TEXT PRIMARY KEY,
      session_id TEXT NOT NULL,
      text       TEXT NOT NULL,
      created_at ${time} NOT NULL,
      updated_at ${time} NOT NULL
    )`,
    `CREATE TABLE session_pins (
      session_id TEXT PRIMARY KEY,
      pinned_at  ${time} NOT NULL
    )`,
  ],
};
