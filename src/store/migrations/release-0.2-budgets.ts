import type { Migration } from '../migrate.ts';

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
