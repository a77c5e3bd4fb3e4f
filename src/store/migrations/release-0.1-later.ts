import { SUMMARY_KINDS, SUMMARY_STATES } from '../../domain/summary.ts';
import type { Migration } from '../migrate.ts';

const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Narratives of sessions, sub-agents and teammates, and the cost of asking a model for summaries. */
export const summaries: Migration = {
  version: 5,
  name: 'summaries',
  statements: ({ json, time, int }) => [
    'ALTER TABLE sessions ADD COLUMN client_title TEXT',
    `ALTER TABLE sessions ADD COLUMN summary_kind TEXT CHECK (summary_kind IN (${list(SUMMARY_KINDS)}))`,
    `CREATE TABLE session_summaries (
      session_id   TEXT NOT NULL REFERENCES sessions(id),
      agent_id     TEXT NOT NULL DEFAULT '',
      kind         TEXT NOT NULL CHECK (kind IN (${list(SUMMARY_KINDS)})),
      state        TEXT NOT NULL CHECK (state IN (${list(SUMMARY_STATES)})),
      title        TEXT,
      text         TEXT,
      sections     ${json} NOT NULL DEFAULT '{}',
      rows_version ${int} NOT NULL DEFAULT 0,
      version      ${int} NOT NULL DEFAULT 0,
      model        TEXT,
      input_sha256 TEXT,
      tokens_in    ${int},
      tokens_out   ${int},
      spent_nanos  ${int} NOT NULL DEFAULT 0,
      attempts     ${int} NOT NULL DEFAULT 0,
      bad_answers  ${int} NOT NULL DEFAULT 0,
      next_try_at  ${time},
      error        TEXT,
      made_at      ${time},
      PRIMARY KEY (session_id, agent_id, kind)
    )`,
    'CREATE INDEX session_summaries_by_input ON session_summaries (input_sha256) WHERE input_sha256 IS NOT NULL',
    `CREATE TABLE summary_spend (
      day   TEXT PRIMARY KEY,
      nanos ${int} NOT NULL,
      calls ${int} NOT NULL
    )`,
    `CREATE TABLE summary_services (
      service      TEXT PRIMARY KEY,
      failures     ${int} NOT NULL,
      why          TEXT NOT NULL,
      paused_until ${time} NOT NULL,
      notice       TEXT NOT NULL
    )`,
  ],
};

/**
 * How much of the archive and the events another server has. Pending shipments are derived from this; bytes are never
 * queued.
 */
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

/**
 * Rebuilds the full-text index: words from our tokenizer, hits ordered by time, titles and notes included. Every session is
 * reindexed, after everything else.
 */
export const search: Migration = {
  version: 7,
  name: 'search',
  statements: ({ id, int }) => [
    'DROP TABLE search_index',
    'DROP TABLE search_documents',
    `CREATE TABLE search_documents (
      id          ${id},
      session_id  TEXT NOT NULL REFERENCES sessions(id),
      message_id  TEXT NOT NULL,
      block_order ${int} NOT NULL,
      part        ${int} NOT NULL,
      kind        TEXT NOT NULL,
      chars       ${int} NOT NULL,
      call_id     TEXT
    )`,
    'CREATE INDEX search_documents_by_session ON search_documents (session_id, message_id, block_order)',
    'CREATE INDEX tool_calls_by_id ON tool_calls (session_id, revision, id)',
    'UPDATE sessions SET indexed_revision = 0, indexed_version = 0',
  ],
};

/**
 * The last change of each session, in one order from which readers can continue; and each message's place in the graph.
 * Triggers of the engines record changes, so that no query can forget to. A later migration that alters the table `sessions`
 * must do so before it updates rows of it: PostgreSQL records changes when a migration is complete.
 */
export const changes: Migration = {
  version: 8,
  name: 'changes',
  statements: ({ int }) => [
    'ALTER TABLE transcript_messages ADD COLUMN parent_message_id TEXT',
    'ALTER TABLE transcript_messages ADD COLUMN turn_id TEXT',
    // The new columns are filled by the next parse.
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

/** Which price book priced a session, and which one each device uses. */
export const prices: Migration = {
  version: 9,
  name: 'prices',
  statements: ({ int }) => [
    `ALTER TABLE sessions ADD COLUMN price_book TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE sessions ADD COLUMN price_rates TEXT NOT NULL DEFAULT ''`,
    `CREATE TABLE price_books (
      device_id TEXT PRIMARY KEY,
      book      TEXT NOT NULL,
      book_date TEXT NOT NULL,
      seq       ${int} NOT NULL
    )`,
  ],
};

/** An index of the texts themselves, where the engine has one. */
export const texts: Migration = { version: 10, name: 'texts', statements: () => [] };

/** Git activity reported to a server. A commit that several devices report counts once. */
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

/** Tokens of single devices; only their hashes. */
export const deviceTokens: Migration = {
  version: 12,
  name: 'device tokens',
  statements: ({ time, bool }) => [
    `CREATE TABLE device_tokens (
      id            TEXT PRIMARY KEY,
      name          TEXT NOT NULL,
      sha256        TEXT NOT NULL,
      is_write_only ${bool} NOT NULL,
      created_at    ${time} NOT NULL,
      last_used_at  ${time},
      revoked_at    ${time}
    )`,
    'CREATE UNIQUE INDEX device_tokens_by_name ON device_tokens (name) WHERE revoked_at IS NULL',
  ],
};

/**
 * Shared pages and the blobs that contain them. Only the SHA-256 of a link's secret is stored. A deleted session must not
 * keep its links, and blobs have to be removed first: therefore there is a sweep instead of a foreign key.
 */
export const shares: Migration = {
  version: 13,
  name: 'shares',
  statements: ({ time, int, json }) => [
    `CREATE TABLE shares (
      id           TEXT PRIMARY KEY,
      session_id   TEXT NOT NULL,
      token_sha256 TEXT NOT NULL UNIQUE,
      state        TEXT NOT NULL CHECK (state IN ('making', 'ready', 'revoked')),
      title        TEXT NOT NULL,
      note         TEXT,
      size_bytes   ${int} NOT NULL DEFAULT 0,
      redacted     ${json} NOT NULL DEFAULT '{}',
      created_at   ${time} NOT NULL,
      expires_at   ${time} NOT NULL
    )`,
    'CREATE INDEX shares_by_session ON shares (session_id)',
    `CREATE TABLE share_parts (
      share_id TEXT NOT NULL REFERENCES shares(id) ON DELETE CASCADE,
      position ${int} NOT NULL,
      sha256   TEXT NOT NULL,
      PRIMARY KEY (share_id, position)
    )`,
  ],
};

/** The current work of a claim's holder, and the number of holders that crashed on the session. */
export const deaths: Migration = {
  version: 14,
  name: 'deaths',
  statements: ({ int }) => [
    'ALTER TABLE sessions ADD COLUMN claim_work TEXT',
    `ALTER TABLE sessions ADD COLUMN deaths ${int} NOT NULL DEFAULT 0`,
  ],
};
