import type { Migration } from '../migrate.ts';

/**
 * Where sessions come from: what their lines say about it, what comparing them has shown, and what was copied. And the
 * figures of messages of which another session holds a fuller copy than the one that counts them.
 */
export const links: Migration = {
  version: 19,
  name: 'links',
  statements: ({ time, int, bool }) => [
    'ALTER TABLE transcript_messages ADD COLUMN copied_from TEXT',
    `ALTER TABLE tool_calls ADD COLUMN is_inherited ${bool} NOT NULL DEFAULT FALSE`,
    `CREATE TABLE session_lineage (
      session_id         TEXT PRIMARY KEY REFERENCES sessions(id),
      first_message_id   TEXT,
      lead_ms            ${int},
      cleared_at         ${time},
      left_at            ${time},
      process_session_id TEXT,
      parent_session_id  TEXT,
      is_certain         ${bool} NOT NULL DEFAULT TRUE,
      inherited_through  TEXT,
      cleared_from       TEXT
    )`,
    'CREATE INDEX session_lineage_by_first_message ON session_lineage (first_message_id)',
    'CREATE INDEX session_lineage_by_clear ON session_lineage (cleared_at)',
    'CREATE INDEX session_lineage_by_left ON session_lineage (cleared_from) WHERE cleared_from IS NOT NULL',
    `CREATE INDEX session_lineage_by_process ON session_lineage (process_session_id, cleared_at)
      WHERE process_session_id IS NOT NULL`,
    "CREATE INDEX sessions_by_last_line ON sessions (device_id, (metadata ->> 'last_line_at'))",
    'CREATE INDEX events_by_device_time ON events (device_id, timestamp)',
    `CREATE TABLE adopted_usage (
      session_id     TEXT NOT NULL REFERENCES sessions(id),
      usage_key      TEXT NOT NULL,
      model          TEXT,
      tokens_in      ${int},
      tokens_out     ${int},
      cache_read     ${int},
      cache_write    ${int},
      cache_write_1h ${int},
      cost_nanos     ${int},
      PRIMARY KEY (session_id, usage_key)
    )`,
  ],
};
