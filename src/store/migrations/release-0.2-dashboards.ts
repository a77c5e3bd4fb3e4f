import type { Migration } from '../migrate.ts';

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
