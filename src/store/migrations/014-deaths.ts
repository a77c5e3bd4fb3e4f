import type { Migration } from '../migrate.ts';

/** What the holder of a claim is at, while there is one, and how many of them a session has outlived. */
export const deaths: Migration = {
  version: 14,
  name: 'deaths',
  statements: ({ int }) => [
    'ALTER TABLE sessions ADD COLUMN claim_work TEXT',
    `ALTER TABLE sessions ADD COLUMN deaths ${int} NOT NULL DEFAULT 0`,
  ],
};
