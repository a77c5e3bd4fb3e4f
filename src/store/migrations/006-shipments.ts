import type { Migration } from '../migrate.ts';

/** What of the archive and of the events another server has. What is still to be shipped follows; bytes are never queued. */
export const shipments: Migration = {
  version: 6,
  name: 'shipments',
  statements: ({ time, int }) => [
    `CREATE TABLE shipments (
      server            TEXT NOT NULL,
      source_file_id    TEXT NOT NULL,
      generation        ${int} NOT NULL,
      remote_generation ${int} NOT NULL,
      shipped_bytes     ${int} NOT NULL DEFAULT 0,
      told_state        TEXT,
      told_sha256       TEXT,
      told_workspace_id TEXT,
      attempts          ${int} NOT NULL DEFAULT 0,
      next_try_ms       ${int} NOT NULL DEFAULT 0,
      refusal           TEXT,
      updated_at        ${time} NOT NULL,
      PRIMARY KEY (server, source_file_id, generation),
      FOREIGN KEY (source_file_id, generation) REFERENCES generations(source_file_id, number)
    )`,
    `CREATE TABLE shipping (
      server               TEXT PRIMARY KEY,
      failures             ${int} NOT NULL DEFAULT 0,
      next_try_ms          ${int} NOT NULL DEFAULT 0,
      reason               TEXT,
      refused_token_sha256 TEXT,
      updated_at           ${time} NOT NULL
    )`,
    'ALTER TABLE events ADD COLUMN shipped_to TEXT',
    'ALTER TABLE events ADD COLUMN shipping_refusal TEXT',
    'CREATE INDEX events_by_device ON events (device_id, shipped_to)',
  ],
};
