import type { Migration } from '../migrate.ts';

/** Usage is also summed by the rate it was priced at, which shows what the cache saved. Filled by the next parse. */
export const usageRates: Migration = {
  version: 29,
  name: 'usage-rates',
  statements: ({ bool, int }) => [
    `CREATE TABLE rated_rollups (
      session_id        TEXT NOT NULL REFERENCES sessions(id),
      time_slot         ${int} NOT NULL,
      model             TEXT NOT NULL,
      git_branch        TEXT NOT NULL,
      is_subagent       ${bool} NOT NULL,
      rate_id           TEXT NOT NULL,
      messages          ${int} NOT NULL,
      unpriced_messages ${int} NOT NULL,
      tokens_in         ${int} NOT NULL,
      tokens_out        ${int} NOT NULL,
      cache_read        ${int} NOT NULL,
      cache_write       ${int} NOT NULL,
      cache_write_1h    ${int} NOT NULL,
      cost_nanos        ${int} NOT NULL,
      PRIMARY KEY (session_id, time_slot, model, git_branch, is_subagent, rate_id)
    )`,
    `INSERT INTO rated_rollups SELECT session_id, time_slot, model, git_branch, is_subagent, '', messages,
      unpriced_messages, tokens_in, tokens_out, cache_read, cache_write, cache_write_1h, cost_nanos FROM usage_rollups`,
    'DROP TABLE usage_rollups',
    'ALTER TABLE rated_rollups RENAME TO usage_rollups',
    'CREATE INDEX usage_rollups_by_time ON usage_rollups (time_slot)',
  ],
};

/** The history of one file across sessions. Paths can exceed the maximum size of a PostgreSQL index entry. */
export const filePaths: Migration = {
  version: 30,
  name: 'file-paths',
  statements: () => ['CREATE INDEX touched_files_by_path ON touched_files (substr(path, 1, 200))'],
};

/** Calls are counted and timed over all sessions; this index covers those queries. */
export const countedCalls: Migration = {
  version: 32,
  name: 'counted-calls',
  statements: () => [
    `CREATE INDEX tool_calls_counted ON tool_calls
      (session_id, revision, is_inherited, name, status, duration_ms)`,
  ],
};

/** Budgets, and which of their thresholds were reported: once per period. An empty `workspace_key` means all workspaces. */
export const budgets: Migration = {
  version: 33,
  name: 'budgets',
  statements: ({ int, time }) => [
    `CREATE TABLE budgets (
      id            TEXT PRIMARY KEY,
      period        TEXT NOT NULL,
      workspace_key TEXT NOT NULL,
      amount_nanos  ${int} NOT NULL,
      created_at    ${time} NOT NULL,
      updated_at    ${time} NOT NULL,
      UNIQUE (period, workspace_key)
    )`,
    `CREATE TABLE budget_alerts (
      budget_id  TEXT NOT NULL,
      first_day  TEXT NOT NULL,
      percent    ${int} NOT NULL,
      attempts   ${int} NOT NULL,
      tried_at   ${time} NOT NULL,
      sent_at    ${time},
      PRIMARY KEY (budget_id, first_day, percent)
    )`,
  ],
};

/**
 * Session ids use byte order everywhere. PostgreSQL does not use an index for a comparison with a column of another
 * collation, so it read whole tables for every session. Columns of later tables are `key` from the start.
 */
export const sessionIds: Migration = {
  version: 34,
  name: 'session-ids',
  statements: ({ keyed }) => keyed('session_id'),
};

/** Deleted sessions: tombstones that keep them from coming back, and the progress of their removal. */
export const deletions: Migration = {
  version: 35,
  name: 'deletions',
  statements: ({ bool, json, key, time }) => [
    `CREATE TABLE deleted_sessions (
      session_id ${key} PRIMARY KEY,
      deleted_at ${time} NOT NULL,
      purge_at   ${time} NOT NULL,
      purged_at  ${time},
      is_settled ${bool} NOT NULL DEFAULT FALSE,
      undo_at    ${time},
      file_ids   ${json} NOT NULL DEFAULT '[]',
      forks      ${json} NOT NULL DEFAULT '[]',
      told       TEXT
    )`,
  ],
};

/**
 * SQLite keeps the full text in a separate file. It is rebuilt from the rows after everything else; see `searchSchema` of
 * the engine.
 */
export const searchFile: Migration = { version: 36, name: 'search-file', statements: () => [] };

/** Sessions with masked secrets. Settled once journal and database files no longer contain them. */
export const masks: Migration = {
  version: 37,
  name: 'masks',
  statements: ({ bool, key, time }) => [
    `CREATE TABLE masked_sessions (
      session_id ${key} PRIMARY KEY,
      masked_at  ${time} NOT NULL,
      is_settled ${bool} NOT NULL DEFAULT FALSE
    )`,
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

/**
 * Sums over all sessions for dashboards and lists: the calls of each tool in a session, and its changed lines. The previous
 * indexes for this are dropped; the few sessions whose client reported a cost are found by an index.
 */
export const callSums: Migration = {
  version: 40,
  name: 'call-sums',
  statements: ({ bool, int, key }) => [
    // PostgreSQL refuses to alter `sessions` after its rows changed in the same migration: keep these first.
    `ALTER TABLE sessions ADD COLUMN lines_added ${int}`,
    `ALTER TABLE sessions ADD COLUMN lines_removed ${int}`,
    "CREATE INDEX sessions_with_client_cost ON sessions (id) WHERE (metadata ->> 'client_cost') IS NOT NULL",
    `CREATE TABLE call_sums (
      session_id   ${key} NOT NULL REFERENCES sessions(id),
      revision     ${int} NOT NULL,
      position     ${int} NOT NULL,
      name         TEXT,
      status       TEXT NOT NULL,
      is_inherited ${bool} NOT NULL,
      calls        ${int} NOT NULL,
      durations    TEXT NOT NULL,
      PRIMARY KEY (session_id, revision, position)
    )`,
    `INSERT INTO call_sums (session_id, revision, position, name, status, is_inherited, calls, durations)
     SELECT session_id, revision, row_number() OVER (PARTITION BY session_id, revision ORDER BY first_position) - 1,
       name, status, is_inherited, calls, durations
     FROM (
       SELECT session_id, revision, name, status, is_inherited, min(position) AS first_position, count(*) AS calls,
         coalesce(string_agg(CAST(duration_ms AS TEXT), ',' ORDER BY position), '') AS durations
       FROM tool_calls GROUP BY session_id, revision, name, status, is_inherited
     ) AS g`,
    'DROP INDEX tool_calls_counted',
    'DROP INDEX tool_calls_failed',
    `UPDATE sessions SET lines_added = f.added, lines_removed = f.removed
     FROM (
       SELECT session_id, revision, CAST(sum(lines_added) AS BIGINT) AS added, CAST(sum(lines_removed) AS BIGINT) AS removed
       FROM touched_files GROUP BY session_id, revision
     ) AS f
     WHERE f.session_id = sessions.id AND f.revision = sessions.revision`,
  ],
};

/**
 * Filters compare tool names in lower case. Without these statistics PostgreSQL assumes that every tool is rare and reads
 * all texts of its calls unnecessarily.
 */
export const toolNames: Migration = {
  version: 41,
  name: 'tool-names',
  statements: ({ statistics }) => statistics('tool_calls_names', 'tool_calls', 'lower(name COLLATE "C")'),
};

/**
 * The parts of a name are separated from those of the next one, so that the index is certain about phrases. Every session is
 * reindexed; on SQLite, the format of the index file triggers this.
 */
export const namesApart: Migration = { version: 42, name: 'names-apart', statements: () => [] };

/** New texts are compressed faster on PostgreSQL; see `searchSchema`. */
export const fasterCompression: Migration = { version: 43, name: 'faster-compression', statements: () => [] };

/** Sessions that get bytes after they have ended count as ended again; see `changeSchema`. */
export const endedAgain: Migration = { version: 44, name: 'ended-again', statements: () => [] };
