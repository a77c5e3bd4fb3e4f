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

/**
 * Session ids use byte order everywhere. PostgreSQL does not use an index for a comparison with a column of another
 * collation, so it read whole tables for every session. Columns of later tables are `key` from the start.
 */
export const sessionIds: Migration = {
  version: 34,
  name: 'session-ids',
  statements: ({ keyed }) => keyed('session_id'),
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
