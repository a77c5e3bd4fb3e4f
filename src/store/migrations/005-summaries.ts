import { SUMMARY_KINDS, SUMMARY_STATES } from '../../domain/summary.ts';
import type { Migration } from '../migrate.ts';

const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** What sessions, sub-agents and teammates did, in words; and what asking a model for them has cost. */
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
