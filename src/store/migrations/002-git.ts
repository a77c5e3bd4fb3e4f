import type { Migration } from '../migrate.ts';

/** Memory of folders, what people decided about workspaces, and what correlation needs. */
export const git: Migration = {
  version: 2,
  name: 'git',
  statements: ({ json, time, bool, int }) => [
    'ALTER TABLE workspaces ADD COLUMN merged_into TEXT REFERENCES workspaces(id)',
    `CREATE TABLE workspace_folders (
      device_id     TEXT NOT NULL REFERENCES devices(id),
      path_key      TEXT NOT NULL,
      path          TEXT NOT NULL,
      workspace_id  TEXT NOT NULL REFERENCES workspaces(id),
      root          TEXT NOT NULL,
      is_repository ${bool} NOT NULL,
      worktree_name TEXT,
      fingerprint   TEXT,
      last_seen_at  ${time} NOT NULL,
      PRIMARY KEY (device_id, path_key)
    )`,
    'CREATE INDEX workspace_folders_by_workspace ON workspace_folders (workspace_id)',
    `CREATE TABLE session_workspaces (
      session_id   TEXT PRIMARY KEY,
      workspace_id TEXT NOT NULL REFERENCES workspaces(id),
      is_chosen    ${bool} NOT NULL,
      decided_at   ${time} NOT NULL
    )`,
    'CREATE INDEX session_workspaces_by_workspace ON session_workspaces (workspace_id)',
    `CREATE TABLE session_folders (
      session_id   TEXT NOT NULL REFERENCES sessions(id),
      position     ${int} NOT NULL,
      folder       TEXT NOT NULL,
      workspace_id TEXT NOT NULL REFERENCES workspaces(id),
      PRIMARY KEY (session_id, position)
    )`,
    'CREATE INDEX session_folders_by_workspace ON session_folders (workspace_id)',
    `CREATE TABLE git_calls (
      session_id  TEXT NOT NULL REFERENCES sessions(id),
      position    ${int} NOT NULL,
      tool_use_id TEXT NOT NULL,
      kind        TEXT NOT NULL,
      sha         TEXT,
      branch      TEXT,
      message     TEXT,
      started_at  ${time},
      ended_at    ${time},
      is_reported ${bool} NOT NULL,
      data        ${json} NOT NULL DEFAULT '{}',
      PRIMARY KEY (session_id, position)
    )`,
    'ALTER TABLE git_activity ADD COLUMN folder TEXT',
    'ALTER TABLE git_activity ADD COLUMN tool_use_id TEXT',
    'ALTER TABLE git_activity ADD COLUMN linked_by TEXT',
    'CREATE INDEX git_activity_by_time ON git_activity (device_id, timestamp)',
  ],
};
