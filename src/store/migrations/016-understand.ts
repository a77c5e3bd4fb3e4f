import { SESSION_CONTENTS } from '../../domain/session.ts';
import type { Migration } from '../migrate.ts';

const contents = Object.keys(SESSION_CONTENTS)
  .map((content) => `'${content}'`)
  .join(', ');

/** What a session holds, and the titles that files of other sessions give it. Rows come with the next parse. */
export const understand: Migration = {
  version: 16,
  name: 'understand',
  statements: ({ int }) => [
    `ALTER TABLE sessions ADD COLUMN content TEXT NOT NULL DEFAULT 'prompted' CHECK (content IN (${contents}))`,
    'ALTER TABLE sessions ADD COLUMN sibling_title TEXT',
    'ALTER TABLE transcript_messages ADD COLUMN leaf_uuid TEXT',
    'CREATE INDEX messages_by_leaf ON transcript_messages (leaf_uuid) WHERE leaf_uuid IS NOT NULL',
    `CREATE TABLE leaf_titles (
      session_id TEXT NOT NULL REFERENCES sessions(id),
      revision ${int} NOT NULL,
      position ${int} NOT NULL,
      leaf_uuid TEXT NOT NULL,
      title TEXT NOT NULL,
      PRIMARY KEY (session_id, revision, position)
    )`,
    'CREATE INDEX leaf_titles_by_leaf ON leaf_titles (leaf_uuid)',
  ],
};
