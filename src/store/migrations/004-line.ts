import type { Migration } from '../migrate.ts';

/** The line: who works on a session, how its steps went, what it cost when, and what people say about it. */
export const line: Migration = {
  version: 4,
  name: 'line',
  statements: ({ time, int, bool }) => [
    'ALTER TABLE sessions ADD COLUMN claim_holder TEXT',
    `ALTER TABLE sessions ADD COLUMN claim_token ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE sessions ADD COLUMN claim_expires_at_ms ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE sessions ADD COLUMN attempts ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE sessions ADD COLUMN next_try_at_ms ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE sessions ADD COLUMN tried_parser_version ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE sessions ADD COLUMN rows_version ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE sessions ADD COLUMN correlated_version ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE sessions ADD COLUMN indexed_version ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE sessions ADD COLUMN archived_at ${time}`,
    `CREATE TABLE session_steps (
      session_id  TEXT NOT NULL REFERENCES sessions(id),
      step        TEXT NOT NULL,
      outcome     TEXT NOT NULL CHECK (outcome IN ('done', 'nothing_to_do', 'waits', 'failed')),
      error_code  TEXT,
      error       TEXT,
      attempts    ${int} NOT NULL,
      next_try_at_ms ${int} NOT NULL,
      duration_ms ${int} NOT NULL,
      revision    ${int} NOT NULL,
      finished_at ${time} NOT NULL,
      PRIMARY KEY (session_id, step)
    )`,
    'ALTER TABLE transcript_messages ADD COLUMN git_branch TEXT',
    `ALTER TABLE transcript_messages ADD COLUMN time_slot ${int} NOT NULL DEFAULT 0`,
    `CREATE TABLE usage_rollups (
      session_id        TEXT NOT NULL REFERENCES sessions(id),
      time_slot         ${int} NOT NULL,
      model             TEXT NOT NULL,
      git_branch        TEXT NOT NULL,
      is_subagent       ${bool} NOT NULL,
      messages          ${int} NOT NULL,
      unpriced_messages ${int} NOT NULL,
      tokens_in         ${int} NOT NULL,
      tokens_out        ${int} NOT NULL,
      cache_read        ${int} NOT NULL,
      cache_write       ${int} NOT NULL,
      cache_write_1h    ${int} NOT NULL,
      cost_nanos        ${int} NOT NULL,
      PRIMARY KEY (session_id, time_slot, model, git_branch, is_subagent)
    )`,
    'CREATE INDEX usage_rollups_by_time ON usage_rollups (time_slot)',
    `CREATE TABLE archived_usage (
      usage_key  TEXT NOT NULL,
      session_id TEXT NOT NULL REFERENCES sessions(id),
      counted    ${bool} NOT NULL,
      PRIMARY KEY (usage_key, session_id)
    )`,
    'CREATE INDEX archived_usage_by_session ON archived_usage (session_id)',
    `CREATE TABLE session_tags (
      session_id TEXT NOT NULL,
      tag        TEXT NOT NULL,
      created_at ${time} NOT NULL,
      PRIMARY KEY (session_id, tag)
    )`,
    'CREATE INDEX session_tags_by_tag ON session_tags (tag)',
    `CREATE TABLE session_notes (
      id         TEXT PRIMARY KEY,
      session_id TEXT NOT NULL,
      text       TEXT NOT NULL,
      created_at ${time} NOT NULL,
      updated_at ${time} NOT NULL
    )`,
    'CREATE INDEX session_notes_by_session ON session_notes (session_id, created_at)',
    `CREATE TABLE session_pins (
      session_id TEXT PRIMARY KEY,
      pinned_at  ${time} NOT NULL
    )`,
  ],
};
