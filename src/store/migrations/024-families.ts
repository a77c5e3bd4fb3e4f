import type { Migration } from '../migrate.ts';

/** Sessions that share messages are compared once per import, not once per session: until then they are marked. */
export const families: Migration = {
  version: 24,
  name: 'families',
  statements: ({ bool }) => [
    `ALTER TABLE session_lineage ADD COLUMN needs_settling ${bool} NOT NULL DEFAULT FALSE`,
    'CREATE INDEX session_lineage_to_settle ON session_lineage (session_id) WHERE needs_settling',
    'CREATE INDEX messages_by_counted_key ON transcript_messages (usage_key) WHERE counted',
  ],
};
