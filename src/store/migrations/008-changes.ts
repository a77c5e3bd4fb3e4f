import type { Migration } from '../migrate.ts';

/**
 * When which session changed last, in one order that readers can go on from; and each message's place in the graph.
 * The engines note changes by triggers of their own, so that no query can forget to. A later migration that alters the
 * table `sessions` must do so before it updates rows of it: PostgreSQL notes changes when a migration is complete.
 */
export const changes: Migration = {
  version: 8,
  name: 'changes',
  statements: ({ int }) => [
    'ALTER TABLE transcript_messages ADD COLUMN parent_message_id TEXT',
    'ALTER TABLE transcript_messages ADD COLUMN turn_id TEXT',
    // The new columns are filled by parsing again.
    'UPDATE sessions SET parser_version = 0',
    `CREATE TABLE change_clock (
      epoch TEXT PRIMARY KEY,
      seq   ${int} NOT NULL
    )`,
    `CREATE TABLE session_changes (
      session_id TEXT PRIMARY KEY,
      seq        ${int} NOT NULL
    )`,
    'CREATE UNIQUE INDEX session_changes_by_seq ON session_changes (seq)',
  ],
};
