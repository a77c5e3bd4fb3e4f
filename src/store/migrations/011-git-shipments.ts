import type { Migration } from '../migrate.ts';

/** What a server was told of git; and commits that several devices tell of, which count once. */
export const gitShipments: Migration = {
  version: 11,
  name: 'git shipments',
  statements: ({ time, int }) => [
    `ALTER TABLE git_activity ADD COLUMN facts_version ${int} NOT NULL DEFAULT 1`,
    'ALTER TABLE git_activity ADD COLUMN duplicate_of TEXT',
    `ALTER TABLE devices ADD COLUMN git_order ${int} NOT NULL DEFAULT 0`,
    'CREATE INDEX git_activity_by_commit ON git_activity (commit_sha)',
    `CREATE TABLE git_shipments (
      server     TEXT NOT NULL,
      item_id    TEXT NOT NULL,
      told       TEXT NOT NULL,
      refusal    TEXT,
      updated_at ${time} NOT NULL,
      PRIMARY KEY (server, item_id)
    )`,
  ],
};
