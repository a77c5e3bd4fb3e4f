import type { Migration } from '../migrate.ts';

/** Which team a session belongs to, and as whom. Rows come with the next parse. */
export const teams: Migration = {
  version: 23,
  name: 'teams',
  statements: ({ int }) => [
    'ALTER TABLE sessions ADD COLUMN team_name TEXT',
    'ALTER TABLE sessions ADD COLUMN agent_name TEXT',
    'CREATE INDEX sessions_by_team ON sessions (team_name) WHERE team_name IS NOT NULL',
    `ALTER TABLE teammates ADD COLUMN messages_sent ${int} NOT NULL DEFAULT 0`,
  ],
};
