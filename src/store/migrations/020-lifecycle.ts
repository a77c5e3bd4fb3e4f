import type { Migration } from '../migrate.ts';

/**
 * Sessions that hooks report, tokens that belong to one device, devices with names of their own, and what repositories
 * were last read up to. Columns that nothing filled are gone.
 */
export const lifecycle: Migration = {
  version: 20,
  name: 'lifecycle',
  statements: ({ time }) => [
    // PostgreSQL refuses to alter `sessions` after its rows changed in the same migration: keep this first.
    'ALTER TABLE sessions DROP COLUMN transcript_s3_key',
    'ALTER TABLE events DROP COLUMN blob_refs',
    'CREATE INDEX events_by_time ON events (timestamp, id)',
    'ALTER TABLE devices DROP COLUMN status',
    'ALTER TABLE workspace_devices DROP COLUMN hooks_installed',
    'ALTER TABLE workspace_devices DROP COLUMN git_hooks_installed',
    'ALTER TABLE workspace_devices DROP COLUMN git_hooks_prompted',
    'ALTER TABLE workspace_devices DROP COLUMN pending_git_hooks_prompt',
    'ALTER TABLE devices ADD COLUMN custom_name TEXT',
    'ALTER TABLE devices ADD COLUMN merged_into TEXT REFERENCES devices(id)',
    'ALTER TABLE device_tokens ADD COLUMN device_id TEXT',
    // A token of before that carries the name of exactly one device belongs to it; others are bound when they are used.
    `UPDATE device_tokens SET device_id = (SELECT d.id FROM devices d WHERE d.name = device_tokens.name)
      WHERE (SELECT count(*) FROM devices d WHERE d.name = device_tokens.name) = 1`,
    "UPDATE device_tokens SET device_id = '' WHERE device_id IS NULL",
    "ALTER TABLE git_activity ADD COLUMN order_key TEXT NOT NULL DEFAULT '0000000'",
    'ALTER TABLE git_activity ADD COLUMN relation TEXT',
    "UPDATE git_activity SET order_key = '1000000' WHERE type = 'push'",
    "UPDATE git_activity SET order_key = '2000000' WHERE type = 'pr'",
    `UPDATE git_activity SET relation = CASE WHEN linked_by IN ('sha', 'call') THEN 'own' ELSE 'meanwhile' END
      WHERE session_id IS NOT NULL`,
    `CREATE TABLE repository_looks (
      device_id  TEXT NOT NULL REFERENCES devices(id),
      common_dir TEXT NOT NULL,
      stamp      TEXT NOT NULL,
      looked_at  ${time} NOT NULL,
      PRIMARY KEY (device_id, common_dir)
    )`,
  ],
};
