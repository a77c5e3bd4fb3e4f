import type { Migration } from '../migrate.ts';

/** Which change created a session, which one ended it, and whether it was deleted; maintained by triggers. */
export const changeKinds: Migration = {
  version: 39,
  name: 'change-kinds',
  statements: ({ bool, int }) => [
    `ALTER TABLE session_changes ADD COLUMN first_seq ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE session_changes ADD COLUMN ended_seq ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE session_changes ADD COLUMN is_deleted ${bool} NOT NULL DEFAULT FALSE`,
  ],
};

/** Events recorded by scripts, which are few compared to those of hooks. */
export const emittedEvents: Migration = {
  version: 38,
  name: 'emitted-events',
  statements: ({ bool }) => [
    `ALTER TABLE events ADD COLUMN is_emitted ${bool} NOT NULL DEFAULT FALSE`,
    'CREATE INDEX events_emitted ON events (timestamp, id) WHERE is_emitted',
  ],
};
